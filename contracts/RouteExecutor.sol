// SPDX-License-Identifier: MIT
pragma solidity 0.8.35;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {SafeERC20} from "@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol";
import {LowLevelCall} from "@openzeppelin/contracts/utils/LowLevelCall.sol";
import {Math} from "@openzeppelin/contracts/utils/math/Math.sol";
import {ITradeGuard, TradeIntent} from "./ITradeGuard.sol";

// Questions to tokens, in three steps that are small enough for the compiler to put them where they are used; the literal
// length that `answers` is called with is part of that. One function for the whole question would cost a jump there and
// back for each of the seven readings of a trade.

/// @notice Puts the question for the balance of an account into scratch memory.
/// @param account The account.
/// @return place Of the question, which has 36 bytes.
function askBalance(address account) pure returns (uint256 place) {
    bytes4 selector = IERC20.balanceOf.selector;
    assembly ("memory-safe") {
        mstore(0x00, selector)
        mstore(0x04, account)
    }
    return 0x00;
}

/// @notice Sends a question.
/// @param token The token.
/// @param place Where the question lies in memory.
/// @param length Of the question.
/// @return Whether there is a token that answered with a word, which then lies in scratch memory: see `answer`.
function answers(address token, uint256 place, uint256 length) view returns (bool) {
    bool success;
    assembly ("memory-safe") {
        success := and(gt(returndatasize(), 0x1f), staticcall(gas(), token, place, length, 0x00, 0x20))
    }
    return success;
}

/// @notice The word that a token answered.
/// @return word What it says.
function answer() pure returns (uint256 word) {
    assembly ("memory-safe") {
        word := mload(0x00)
    }
}

/// @title RouteExecutor
/// @author Assay
/// @notice Calls the route of a trade, keeps the output until it has been measured, and pays it out.
/// @dev The guard deploys it, and it trades for the guard alone. Nobody should approve it; then the code that it calls can
/// reach the tokens of the running trade at most. The guard holds the reentrancy lock.
///
/// Every amount is a difference of balances: what lay here before a trade is neither counted as output nor paid to
/// anyone, and lies here after it. One unit of a token left here on purpose saves gas, because storage that goes
/// through zero earns refunds that are capped.
contract RouteExecutor {
    using SafeERC20 for IERC20;

    /// @dev Length of a call of `run` without the route call data: a selector, 11 words of intent, one of balance.
    uint256 private constant ROUTE_CALL_DATA_START = 0x184;

    /// @dev How much of a failing route's revert data is passed on.
    uint256 private constant MAX_REASON_LENGTH = 256;

    /// @dev The only caller.
    address private immutable GUARD;

    /// @notice Binds the executor to the guard that deploys it.
    constructor() {
        GUARD = msg.sender;
    }

    /// @notice Trades input that the guard has just moved here. What to send to the route follows the arguments.
    /// @param intent The trade, which the guard has checked.
    /// @param inputBefore The balance of the input token here before the guard moved the owner's tokens.
    /// @return amountSpent `amountIn` less the refund.
    /// @return amountOut Output that reached the recipient from this trade.
    function run(
        TradeIntent calldata intent,
        uint256 inputBefore
    ) external returns (uint256 amountSpent, uint256 amountOut) {
        if (msg.sender != GUARD) revert ITradeGuard.NotGuard(msg.sender);

        // The guard has validated what it sends, so nothing is validated again.
        address owner;
        address recipient;
        address inputToken;
        address outputToken;
        uint256 amountIn;
        uint256 minAmountOut;
        address route;
        assembly ("memory-safe") {
            owner := calldataload(intent)
            recipient := calldataload(add(intent, 0x20))
            inputToken := calldataload(add(intent, 0x40))
            outputToken := calldataload(add(intent, 0x60))
            amountIn := calldataload(add(intent, 0x80))
            minAmountOut := calldataload(add(intent, 0xa0))
            route := calldataload(add(intent, 0xc0))
        }

        IERC20(inputToken).forceApprove(route, amountIn);
        if (!answers(outputToken, askBalance(address(this)), 0x24))
            revert ITradeGuard.BalanceUnreadable(outputToken);
        uint256 outputBefore = answer();
        _callRoute(route);
        // Most routes use up the allowance, so it is read first.
        if (!answers(inputToken, _askAllowance(route), 0x44))
            revert ITradeGuard.AllowanceUnreadable(inputToken);
        if (answer() != 0) _clearAllowance(inputToken, route);

        // Measured here and not at the recipient, because a callback may pay the recipient what it was due anyway.
        if (!answers(outputToken, askBalance(address(this)), 0x24))
            revert ITradeGuard.BalanceUnreadable(outputToken);
        uint256 delivered = Math.saturatingSub(answer(), outputBefore);
        if (delivered < minAmountOut) revert ITradeGuard.OutputBelowMinimum(delivered, minAmountOut);

        amountOut = _pay(outputToken, recipient, delivered, minAmountOut);
        amountSpent = _refund(inputToken, owner, amountIn, inputBefore);
    }

    /// @notice Takes back an allowance of this contract. Anyone may, but not during a trade, whose route needs its own.
    /// @dev Between trades there should be none. A hostile admin can make some, by listing `approve` of a token as a route;
    /// whoever finds one clears it here. All that this makes the contract say is that it allows nothing.
    /// @param token The token.
    /// @param spender Who has the allowance.
    function clearAllowance(address token, address spender) external {
        if (ITradeGuard(GUARD).isTrading()) revert ITradeGuard.TradeRunning();
        _clearAllowance(token, spender);
    }

    /// @dev The return data of a success is not copied: the route may return any amount of it.
    function _callRoute(address route) private {
        bool success;
        assembly ("memory-safe") {
            let free := mload(0x40)
            let length := sub(calldatasize(), ROUTE_CALL_DATA_START)
            calldatacopy(free, ROUTE_CALL_DATA_START, length)
            success := call(gas(), route, 0, free, length, 0, 0)
        }
        if (!success) _revertWithReason(route);
    }

    /// @dev What counts is the allowance afterwards, not what the token says about the call.
    function _clearAllowance(address token, address route) private {
        LowLevelCall.callNoReturn(token, abi.encodeCall(IERC20.approve, (route, 0)));
        if (!answers(token, _askAllowance(route), 0x44)) revert ITradeGuard.AllowanceUnreadable(token);
        uint256 left = answer();
        if (left != 0) revert ITradeGuard.AllowanceNotCleared(token, route, left);
    }

    /// @dev Pays the recipient. A fee of the token shows at the recipient; money that arrives there meanwhile from
    /// elsewhere does not raise the reported amount.
    function _pay(
        address outputToken,
        address recipient,
        uint256 delivered,
        uint256 minAmountOut
    ) private returns (uint256 amountOut) {
        if (!answers(outputToken, askBalance(recipient), 0x24))
            revert ITradeGuard.BalanceUnreadable(outputToken);
        uint256 balanceBefore = answer();
        IERC20(outputToken).safeTransfer(recipient, delivered);
        if (!answers(outputToken, askBalance(recipient), 0x24))
            revert ITradeGuard.BalanceUnreadable(outputToken);
        uint256 received = Math.saturatingSub(answer(), balanceBefore);
        if (received < minAmountOut) revert ITradeGuard.ReceivedBelowMinimum(received, minAmountOut);
        amountOut = Math.min(received, delivered);
    }

    /// @dev Returns to the owner whatever input the trade left here. Comes after the payment, so that two addresses of
    /// one token cannot have the same units counted as output and as refund.
    function _refund(
        address inputToken,
        address owner,
        uint256 amountIn,
        uint256 inputBefore
    ) private returns (uint256 amountSpent) {
        if (!answers(inputToken, askBalance(address(this)), 0x24))
            revert ITradeGuard.BalanceUnreadable(inputToken);
        uint256 balance = answer();
        if (balance == inputBefore) return amountIn;
        if (balance < inputBefore) revert ITradeGuard.InputOverspent(balance, inputBefore);
        uint256 unspent = balance - inputBefore;
        IERC20(inputToken).safeTransfer(owner, unspent);
        amountSpent = unspent < amountIn ? amountIn - unspent : 0;
    }

    /// @dev Puts the question for what the route may still take here, of 68 bytes, into memory that is free, and says where.
    function _askAllowance(address route) private view returns (uint256 place) {
        bytes4 selector = IERC20.allowance.selector;
        assembly ("memory-safe") {
            place := mload(0x40)
            mstore(place, selector)
            mstore(add(place, 0x04), address())
            mstore(add(place, 0x24), route)
        }
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
