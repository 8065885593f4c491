// SPDX-License-Identifier: MIT
pragma solidity 0.8.35;

/// @title Several calls in one transaction, for one account
/// @author Assay
/// @notice Publishes the feeds and trades in the pools of the local world: the market moves by two transactions a tick.
contract LocalBatch {
    struct Call {
        address target;
        bytes data;
    }

    /// @notice The only account that may use this contract.
    address public immutable OWNER;

    /// @notice A call of a batch reverted; the others stand.
    /// @param index Its place in the batch.
    /// @param reason What it reverted with.
    event CallFailed(uint256 indexed index, bytes reason);

    /// @notice Someone else called.
    error NotOwner(address caller);

    /// @notice Creates the contract for one account.
    /// @param owner The only account that may use it.
    constructor(address owner) {
        OWNER = owner;
    }

    /// @notice Makes the calls in order. One that reverts emits {CallFailed} and does not stop the others.
    /// @param calls Targets and call data.
    function execute(Call[] calldata calls) external {
        if (msg.sender != OWNER) revert NotOwner(msg.sender);
        for (uint256 i = 0; i < calls.length; ++i) {
            // solhint-disable-next-line avoid-low-level-calls
            (bool success, bytes memory reason) = calls[i].target.call(calls[i].data);
            if (!success) emit CallFailed(i, reason);
        }
    }
}
