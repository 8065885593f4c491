// SPDX-License-Identifier: MIT
pragma solidity 0.8.35;

import {AccessManager} from "@openzeppelin/contracts/access/manager/AccessManager.sol";
import {ITradeGuard} from "../../../contracts/ITradeGuard.sol";

/// @dev OpenZeppelin's manager as it is; it stands here so that there is an artifact to deploy it from.
contract Manager is AccessManager {
    constructor(address initialAdmin) AccessManager(initialAdmin) {}
}

uint64 constant ADMIN_ROLE = 0;
uint64 constant OPERATOR = 1;
uint64 constant PAUSER_ROLE = 2;

/// @dev What permits more, and so is for operators.
function permitting() pure returns (bytes4[] memory selectors) {
    selectors = new bytes4[](5);
    selectors[0] = ITradeGuard.unpause.selector;
    selectors[1] = ITradeGuard.rotateSigner.selector;
    selectors[2] = ITradeGuard.allowRoute.selector;
    selectors[3] = ITradeGuard.allowRecipient.selector;
    selectors[4] = ITradeGuard.renewExecutor.selector;
}

/// @dev What only restricts, and so is for pausers.
function restricting() pure returns (bytes4[] memory selectors) {
    selectors = new bytes4[](4);
    selectors[0] = ITradeGuard.pause.selector;
    selectors[1] = ITradeGuard.endOverlap.selector;
    selectors[2] = ITradeGuard.disallowRoute.selector;
    selectors[3] = ITradeGuard.disallowRecipient.selector;
}

/// @dev What the manager does to itself and its targets. Its roles here say who may cancel it, which is the pauser; who may
/// do it is fixed: an admin. A pauser's own end is not among them, so that no pauser can prevent it.
function managing() pure returns (bytes4[] memory selectors) {
    selectors = new bytes4[](8);
    selectors[0] = AccessManager.grantRole.selector;
    selectors[1] = AccessManager.setRoleAdmin.selector;
    selectors[2] = AccessManager.setRoleGuardian.selector;
    selectors[3] = AccessManager.setGrantDelay.selector;
    selectors[4] = AccessManager.setTargetAdminDelay.selector;
    selectors[5] = AccessManager.setTargetClosed.selector;
    selectors[6] = AccessManager.setTargetFunctionRole.selector;
    selectors[7] = AccessManager.updateAuthority.selector;
}

/// @dev As a deployment does it, whose own right of the admin then ends.
function setRoles(AccessManager manager, address guard, address admin, address pauser, uint32 delay) {
    manager.setTargetFunctionRole(guard, permitting(), OPERATOR);
    manager.setTargetFunctionRole(guard, restricting(), PAUSER_ROLE);
    manager.setTargetFunctionRole(address(manager), managing(), OPERATOR);
    manager.setRoleGuardian(OPERATOR, PAUSER_ROLE);
    manager.grantRole(OPERATOR, admin, delay);
    manager.grantRole(PAUSER_ROLE, admin, 0);
    manager.grantRole(PAUSER_ROLE, pauser, 0);
    manager.grantRole(ADMIN_ROLE, admin, delay);
}
