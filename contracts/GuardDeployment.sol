// SPDX-License-Identifier: MIT
pragma solidity 0.8.35;

import {AccessManager} from "@openzeppelin/contracts/access/manager/AccessManager.sol";
import {ITradeGuard} from "./ITradeGuard.sol";
import {TradeGuard} from "./TradeGuard.sol";

uint64 constant OPERATOR = 1;
uint64 constant PAUSER = 2;

/// @title GuardDeployment
/// @author Assay
/// @notice Deploys a guard and its AccessManager in one transaction, so that nobody ever holds a role without its delay.
/// @dev All of it is the constructor. Its first contract is the manager, its second the guard: their addresses follow from
/// its own. What permits more is for operators and waits; what only restricts is for pausers and does not.
contract GuardDeployment {
    /// @notice A guard and its manager are there, and the manager answers to the admin alone.
    /// @param manager The AccessManager.
    /// @param guard The guard.
    event GuardDeployed(address indexed manager, address indexed guard);

    /// @notice The zero address cannot be the admin.
    error InvalidAdmin(address admin);

    /// @notice Deploys both.
    /// @param admin Admin of the manager and operator of the guard, both after `delay`, and a pauser.
    /// @param pauser Another who may pause, or zero.
    /// @param signer The attestation key.
    /// @param delay Seconds for which whatever permits more, and every change of roles, has to wait.
    constructor(address admin, address pauser, address signer, uint32 delay) {
        if (admin == address(0)) revert InvalidAdmin(admin);
        AccessManager manager = new AccessManager(address(this));
        address guard = address(new TradeGuard(address(manager), signer));

        manager.setTargetFunctionRole(guard, permitting(), OPERATOR);
        manager.setTargetFunctionRole(guard, restricting(), PAUSER);
        // Who may do these is fixed: an admin. The role says whose guardian may cancel them.
        manager.setTargetFunctionRole(address(manager), managing(), OPERATOR);
        manager.setRoleGuardian(OPERATOR, PAUSER);

        manager.grantRole(OPERATOR, admin, delay);
        manager.grantRole(PAUSER, admin, 0);
        if (pauser != address(0)) manager.grantRole(PAUSER, pauser, 0);
        manager.grantRole(manager.ADMIN_ROLE(), admin, delay);
        manager.renounceRole(manager.ADMIN_ROLE(), address(this));
        emit GuardDeployed(address(manager), guard);
    }
}

/// @dev What permits more, and so is for operators.
function permitting() pure returns (bytes4[] memory selectors) {
    selectors = new bytes4[](4);
    selectors[0] = ITradeGuard.unpause.selector;
    selectors[1] = ITradeGuard.rotateSigner.selector;
    selectors[2] = ITradeGuard.allowRoute.selector;
    selectors[3] = ITradeGuard.allowRecipient.selector;
}

/// @dev What only restricts, and so is for pausers.
function restricting() pure returns (bytes4[] memory selectors) {
    selectors = new bytes4[](3);
    selectors[0] = ITradeGuard.pause.selector;
    selectors[1] = ITradeGuard.disallowRoute.selector;
    selectors[2] = ITradeGuard.disallowRecipient.selector;
}

/// @dev What a pauser can cancel of the manager's own changes: not `revokeRole`, which can be the pauser's own end.
function managing() pure returns (bytes4[] memory selectors) {
    selectors = new bytes4[](8);
    selectors[0] = AccessManager.grantRole.selector;
    selectors[1] = AccessManager.setRoleAdmin.selector;
    selectors[2] = AccessManager.setRoleGuardian.selector;
    selectors[3] = AccessManager.setGrantDelay.selector;
    selectors[4] = AccessManager.setTargetAdminDelay.selector;
    selectors[5] = AccessManager.setTargetFunctionRole.selector;
    selectors[6] = AccessManager.setTargetClosed.selector;
    selectors[7] = AccessManager.updateAuthority.selector;
}
