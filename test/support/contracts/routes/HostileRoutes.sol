// SPDX-License-Identifier: MIT
pragma solidity 0.8.35;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {SafeERC20} from "@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol";
import {ITransferHook} from "../tokens/OddTokens.sol";

/// @dev A route for each thing that a route might try.
contract HostileRoute {
    using SafeERC20 for IERC20;

    error Nested(bytes reason);

    /// @dev Pays the owner's account directly instead of the executor.
    function payElsewhere(IERC20 input, IERC20 output, uint256 take, uint256 give, address whom) external {
        input.safeTransferFrom(msg.sender, address(this), take);
        output.safeTransfer(whom, give);
    }

    /// @dev Pays nothing, but makes a third party release what it owed to somebody.
    function releaseDeposit(IERC20 input, uint256 take, Escrow escrow) external {
        input.safeTransferFrom(msg.sender, address(this), take);
        escrow.release();
    }

    /// @dev Takes as often as it can.
    function takeTwice(IERC20 input, uint256 take) external {
        input.safeTransferFrom(msg.sender, address(this), take);
        input.safeTransferFrom(msg.sender, address(this), take);
    }

    /// @dev What a route with a left-over allowance would do afterwards.
    function takeLater(IERC20 input, address from, uint256 take) external {
        input.safeTransferFrom(from, address(this), take);
    }

    /// @dev Calls anything in the middle of a trade and passes on how it failed.
    function callInside(address target, bytes calldata data) external {
        (bool success, bytes memory result) = target.call(data);
        if (!success) revert Nested(result);
    }

    /// @dev Trades rightly and returns a great deal of nothing.
    function bombOnSuccess(IERC20 input, IERC20 output, uint256 take, uint256 give, uint256 size) external {
        input.safeTransferFrom(msg.sender, address(this), take);
        output.safeTransfer(msg.sender, give);
        assembly ("memory-safe") {
            return(0x00, size)
        }
    }

    /// @dev Fails with a great deal of nothing.
    function bombOnFailure(uint256 size) external pure {
        assembly ("memory-safe") {
            revert(0x00, size)
        }
    }
}

/// @dev Owes a deposit to an account and pays when anyone asks.
contract Escrow {
    IERC20 private immutable TOKEN;
    address private immutable CREDITOR;

    constructor(IERC20 token, address creditor) {
        (TOKEN, CREDITOR) = (token, creditor);
    }

    function release() external {
        TOKEN.transfer(CREDITOR, TOKEN.balanceOf(address(this)));
    }
}

/// @dev Called by a hook token in the middle of a trade; tries the given call and remembers its outcome.
contract ReenteringHook is ITransferHook {
    address private _target;
    bytes private _data;
    uint256 public calls;
    uint256 public successes;
    bytes public lastResult;

    function tell(address target, bytes calldata data) external {
        (_target, _data) = (target, data);
    }

    function onTransfer(address, address, uint256) external {
        ++calls;
        bool success;
        (success, lastResult) = _target.call(_data);
        if (success) ++successes;
    }
}
