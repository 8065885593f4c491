// SPDX-License-Identifier: MIT
pragma solidity 0.8.35;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {SafeERC20} from "@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol";
import {LowLevelCall} from "@openzeppelin/contracts/utils/LowLevelCall.sol";
import {Math} from "@openzeppelin/contracts/utils/math/Math.sol";
import {ITradeGuard, TradeIntent} from "./ITradeGuard.sol";

// Tokens and routes may answer or fail with any amount of data, and Solidity copies all of a failure: a megabyte costs
// over six million gas. So OpenZeppelin's LowLevelCall calls them, which copies nothing or two words, and of a failure the
// start is copied here, in the one block of assembly of the guard and its executor.

/// @notice The balance of an account.
/// @param token The token.
/// @param account The account.
/// @return amount What the token says.
function balanceOf(address token, address account) view returns (uint256 amount) {
    bool success;
    (success, amount) = readAmount(token, abi.encodeCall(IERC20.balanceOf, (account)));
    if (!success) revert ITradeGuard.BalanceUnreadable(token);
}

/// @notice Asks a token for an amount.
/// @param token The token.
/// @param question The call data.
/// @return success Whether it answered with a word, or more.
/// @return amount That word.
function readAmount(address token, bytes memory question) view returns (bool success, uint256 amount) {
    bytes32 answer;
    (success, answer, ) = LowLevelCall.staticcallReturn64Bytes(token, question);
    return (success && LowLevelCall.returnDataSize() >= 32, uint256(answer));
}

/// @notice At most the first 256 bytes of what the last call returned or reverted with.
/// @return start These bytes.
function startOfReturnData() pure returns (bytes memory start) {
    start = new bytes(Math.min(LowLevelCall.returnDataSize(), 256));
    // Solidity and LowLevelCall.returnData copy all of it.
    assembly ("memory-safe") {
        returndatacopy(add(start, 0x20), 0, mload(start))
    }
}

/// @title RouteExecutor
/// @author Assay
/// @notice Calls the route of a trade, keeps the output until it has been measured, and pays it out.
/// @dev The guard deploys it, and it trades for the guard alone. Nobody should approve it; then the code that it calls can
/// reach the tokens of the running trade at most. The guard holds the reentrancy lock.
///
/// Every amount is a difference of balances: what lay here before a trade is neither counted as output nor paid to anyone,
/// and lies here after it. One unit of a token left here saves gas in every trade, because storage that goes through zero
/// earns refunds that are capped.
contract RouteExecutor {
    using SafeERC20 for IERC20;

    /// @dev The only caller.
    address private immutable GUARD;

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
        (address input, address output) = (intent.inputToken, intent.outputToken);
        address route = intent.route;

        // Some tokens have to be approved from zero.
        bool approved =
            _approve(input, route, intent.amountIn) ||
                (_approve(input, route, 0) && _approve(input, route, intent.amountIn));
        if (!approved) revert ITradeGuard.TokenCallFailed(input, startOfReturnData());
        uint256 outputBefore = balanceOf(output, address(this));
        if (!LowLevelCall.callNoReturn(route, routeCallData))
            revert ITradeGuard.RouteFailed(route, startOfReturnData());
        // Most routes use up the allowance, so it is read first.
        if (_allowance(input, route) != 0) _clearAllowance(input, route);
        // Measured here and not at the recipient, because a callback may pay the recipient what it was due anyway.
        uint256 delivered = Math.saturatingSub(balanceOf(output, address(this)), outputBefore);
        if (delivered < intent.minAmountOut)
            revert ITradeGuard.OutputBelowMinimum(delivered, intent.minAmountOut);
        amountOut = _pay(intent, delivered);
        amountSpent = _refund(intent, inputBefore);
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

    /// @dev A fee of the token shows at the recipient; money that arrives there meanwhile from elsewhere does not raise the
    /// reported amount.
    function _pay(TradeIntent calldata intent, uint256 delivered) private returns (uint256 amountOut) {
        (address token, address recipient) = (intent.outputToken, intent.recipient);
        uint256 balanceBefore = balanceOf(token, recipient);
        _transfer(token, recipient, delivered);
        uint256 received = Math.saturatingSub(balanceOf(token, recipient), balanceBefore);
        uint256 minimum = intent.minAmountOut;
        if (received < minimum) revert ITradeGuard.ReceivedBelowMinimum(received, minimum);
        return Math.min(received, delivered);
    }

    /// @dev Returns to the owner whatever input the trade left here. Comes after the payment, so that two addresses of
    /// one token cannot have the same units counted as output and as refund.
    function _refund(TradeIntent calldata intent, uint256 inputBefore) private returns (uint256 amountSpent) {
        uint256 balance = balanceOf(intent.inputToken, address(this));
        if (balance < inputBefore) revert ITradeGuard.InputOverspent(balance, inputBefore);
        uint256 unspent = balance - inputBefore;
        if (unspent != 0) _transfer(intent.inputToken, intent.owner, unspent);
        return unspent < intent.amountIn ? intent.amountIn - unspent : 0;
    }

    function _transfer(address token, address to, uint256 amount) private {
        if (!IERC20(token).trySafeTransfer(to, amount))
            revert ITradeGuard.TokenCallFailed(token, startOfReturnData());
    }

    /// @dev Whether the token, which has told a balance and so has code, answered true, or nothing at all.
    function _approve(address token, address spender, uint256 amount) private returns (bool) {
        bytes memory approval = abi.encodeCall(IERC20.approve, (spender, amount));
        (bool success, bytes32 answer, ) = LowLevelCall.callReturn64Bytes(token, approval);
        uint256 size = LowLevelCall.returnDataSize();
        return success && (size == 0 || (size >= 32 && uint256(answer) == 1));
    }

    function _allowance(address token, address spender) private view returns (uint256) {
        bytes memory question = abi.encodeCall(IERC20.allowance, (address(this), spender));
        (bool success, uint256 amount) = readAmount(token, question);
        if (!success) revert ITradeGuard.AllowanceUnreadable(token);
        return amount;
    }

    /// @dev What counts is the allowance afterwards, not what the token says about the call.
    function _clearAllowance(address token, address spender) private {
        _approve(token, spender, 0);
        uint256 left = _allowance(token, spender);
        if (left != 0) revert ITradeGuard.AllowanceNotCleared(token, spender, left);
    }
}
