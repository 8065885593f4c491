// SPDX-License-Identifier: MIT
pragma solidity 0.8.35;

import {AccessManager} from "@openzeppelin/contracts/access/manager/AccessManager.sol";
import {
    OPERATOR,
    PAUSER as PAUSER_ROLE,
    managing,
    permitting,
    restricting
} from "../../../contracts/GuardDeployment.sol";

/// @dev OpenZeppelin's manager as it is; it stands here so that there is an artifact to deploy it from.
contract Manager is AccessManager {
    constructor(address initialAdmin) AccessManager(initialAdmin) {}
}

uint64 constant ADMIN_ROLE = 0;

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
