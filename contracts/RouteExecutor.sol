// SPDX-License-Identifier: MIT
pragma solidity 0.8.35;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {SafeERC20} from "@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol";
import {LowLevelCall} from "@openzeppelin/contracts/utils/LowLevelCall.sol";
import {Math} from "@openzeppelin/contracts/utils/math/Math.sol";
import {ITradeGuard, TradeIntent} from "./ITradeGuard.sol";

/// @notice The balance of an account, or a named error where there is no token that could tell it.
/// @param token The token.
/// @param account The account.
/// @return units What the token says.
function balanceOf(address token, address account) view returns (uint256 units) {
    bytes4 selector = IERC20.balanceOf.selector;
    bool success;
    assembly ("memory-safe") {
        mstore(0x00, selector)
        mstore(0x04, account)
        success := staticcall(gas(), token, 0x00, 0x24, 0x00, 0x20)
        success := and(success, gt(returndatasize(), 0x1f))
        units := mload(0x00)
    }
    if (!success) revert ITradeGuard.BalanceUnreadable(token);
}

/// @title RouteExecutor
/// @author Assay
/// @notice Calls the route of a trade, keeps the output until it has been measured, and pays it out.
/// @dev The guard deploys it, and it answers to the guard alone. Nobody approves it, so the code that it calls can
/// reach the tokens of the running trade at most. The guard holds the reentrancy lock.
///
/// Every amount is a difference of balances: what lay here before a trade is neither counted as output nor paid to
/// anyone, and lies here after it. One unit of a token left here on purpose saves gas, because storage that goes
/// through zero earns refunds that are capped.
contract RouteExecutor {
    using SafeERC20 for IERC20;

    /// @dev How much of a failing route's revert data is passed on.
    uint256 private constant MAX_REASON_LENGTH = 256;

    /// @dev The only caller.
    address private immutable GUARD;

    /// @notice Binds the executor to the guard that deploys it.
    constructor() {
        GUARD = msg.sender;
    }

    /// @notice Trades input that the guard has just moved here.
    /// @param intent The trade, which the guard has checked.
    /// @param inputBefore The balance of the input token here before the guard moved the owner's tokens.
    /// @param routeCallData What to send to the route.
    /// @return amountSpent `amountIn` less the refund.
    /// @return amountOut Output that reached the recipient from this trade.
    function run(
        TradeIntent calldata intent,
        uint256 inputBefore,
        bytes calldata routeCallData
    ) external returns (uint256 amountSpent, uint256 amountOut) {
        if (msg.sender != GUARD) revert ITradeGuard.NotGuard(msg.sender);

        uint256 delivered = _callRoute(intent, routeCallData);
        amountOut = _pay(intent, delivered);
        amountSpent = _refund(intent, inputBefore);
    }

    /// @dev Calls the route with an allowance of exactly `amountIn`, which is gone afterwards.
    /// Measures here and not at the recipient, because a callback may pay the recipient what it was due anyway.
    function _callRoute(
        TradeIntent calldata intent,
        bytes calldata routeCallData
    ) private returns (uint256 delivered) {
        (address outputToken, address route) = (intent.outputToken, intent.route);

        IERC20(intent.inputToken).forceApprove(route, intent.amountIn);
        uint256 outputBefore = balanceOf(outputToken, address(this));

        // The return data of a success is not copied: the route may return any amount of it.
        if (!LowLevelCall.callNoReturn(route, routeCallData)) _revertWithReason(route);

        _clearAllowance(IERC20(intent.inputToken), route);
        delivered = Math.saturatingSub(balanceOf(outputToken, address(this)), outputBefore);
        if (delivered < intent.minAmountOut) {
            revert ITradeGuard.OutputBelowMinimum(delivered, intent.minAmountOut);
        }
    }

    /// @dev Most routes use up the allowance, so it is read first.
    function _clearAllowance(IERC20 token, address route) private {
        if (token.allowance(address(this), route) == 0) return;
        // What counts is the allowance afterwards, not what the token says about the call.
        LowLevelCall.callNoReturn(address(token), abi.encodeCall(IERC20.approve, (route, 0)));
        uint256 left = token.allowance(address(this), route);
        if (left != 0) revert ITradeGuard.AllowanceNotCleared(address(token), route, left);
    }

    /// @dev Pays the recipient. A fee of the token shows at the recipient; money that arrives there meanwhile from
    /// elsewhere does not raise the reported amount.
    function _pay(TradeIntent calldata intent, uint256 delivered) private returns (uint256 amountOut) {
        (address outputToken, address recipient) = (intent.outputToken, intent.recipient);

        uint256 balanceBefore = balanceOf(outputToken, recipient);
        IERC20(outputToken).safeTransfer(recipient, delivered);
        uint256 received = Math.saturatingSub(balanceOf(outputToken, recipient), balanceBefore);
        if (received < intent.minAmountOut) {
            revert ITradeGuard.ReceivedBelowMinimum(received, intent.minAmountOut);
        }
        amountOut = Math.min(received, delivered);
    }

    /// @dev Returns to the owner whatever input the trade left here. Comes after the payment, so that two addresses of
    /// one token cannot have the same units counted as output and as refund.
    function _refund(TradeIntent calldata intent, uint256 inputBefore) private returns (uint256 amountSpent) {
        IERC20 inputToken = IERC20(intent.inputToken);

        uint256 balance = balanceOf(address(inputToken), address(this));
        if (balance < inputBefore) revert ITradeGuard.InputOverspent(balance, inputBefore);
        uint256 unspent = balance - inputBefore;
        if (unspent != 0) inputToken.safeTransfer(intent.owner, unspent);
        amountSpent = Math.saturatingSub(intent.amountIn, unspent);
    }

    /// @dev Reverts with the start of the revert data of the call just made.
    function _revertWithReason(address route) private pure {
        bytes memory reason = new bytes(Math.min(LowLevelCall.returnDataSize(), MAX_REASON_LENGTH));
        assembly ("memory-safe") {
            returndatacopy(add(reason, 0x20), 0, mload(reason))
        }
        revert ITradeGuard.RouteFailed(route, reason);
    }
}
