// SPDX-License-Identifier: MIT
pragma solidity 0.8.35;

import {IMandateModule, ISafe, Mandate} from "./IMandateModule.sol";

/// @title MandateSetup
/// @author Assay
/// @notice Makes a new Safe one that has granted a mandate, within the transaction that creates it.
/// @dev A Safe delegates a call to it in its `setup`, so that it runs as the Safe. Called directly it can do nothing.
contract MandateSetup {
    /// @notice Enables the module, and grants an agent a mandate.
    /// @param module The module.
    /// @param agent The agent.
    /// @param mandate What it may do.
    function enableAndGrant(IMandateModule module, address agent, Mandate calldata mandate) external {
        // Called directly this reverts: the contract itself has no such function.
        ISafe(address(this)).enableModule(address(module));
        module.grant(agent, mandate);
    }
}
