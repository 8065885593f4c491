// SPDX-License-Identifier: MIT
pragma solidity 0.8.35;

import {AccessManager} from "@openzeppelin/contracts/access/manager/AccessManager.sol";

/// @dev OpenZeppelin's manager as it is; it stands here so that tests in TypeScript find its factory.
contract Manager is AccessManager {
    constructor(address initialAdmin) AccessManager(initialAdmin) {}
}
