// SPDX-License-Identifier: MIT
pragma solidity 0.8.35;

import {Math} from "@openzeppelin/contracts/utils/math/Math.sol";
import {ITradeGuard, TradeIntent} from "contracts/ITradeGuard.sol";

/// @dev Properties of refund and gain. `npm run formal` puts the code of the executor where a line begins with
/// `/// real:`. The token's balances may be anything.
contract Amounts {
    mapping(address token => mapping(address account => uint256)) private _balances;
    address private _paid;
    uint256 private _payment;

    function balanceOf(address token, address account) private view returns (uint256) {
        return _balances[token][account];
    }

    function _transfer(address, address to, uint256 amount) private {
        (_paid, _payment) = (to, amount);
    }

    /// real: contracts/RouteExecutor.sol _refund

    function _delivered(address output, uint256 outputBefore) private view returns (uint256) {
        /// real: contracts/RouteExecutor.sol run, lines with saturatingSub
        return delivered;
    }

    function holds_the_refund_is_what_lies_here_above_what_lay_here(
        TradeIntent calldata intent,
        uint256 inputBefore
    ) external {
        _payment = 0;
        uint256 balance = balanceOf(intent.inputToken, address(this));
        uint256 amountSpent = _refund(intent, inputBefore);
        assert(balance >= inputBefore && _payment == balance - inputBefore);
        if (_payment != 0) assert(_paid == intent.owner);
        // A route may give back more than it took; then nothing was spent.
        assert(_payment <= intent.amountIn ? amountSpent == intent.amountIn - _payment : amountSpent == 0);
    }

    function refuses_to_end_with_less_than_lay_here(TradeIntent calldata intent, uint256 inputBefore) external {
        require(balanceOf(intent.inputToken, address(this)) < inputBefore);
        _refund(intent, inputBefore);
    }

    function holds_a_gain_is_the_difference_or_nothing(address token, uint256 balanceBefore) external view {
        uint256 balance = balanceOf(token, address(this));
        uint256 gain = _delivered(token, balanceBefore);
        assert(balance > balanceBefore ? gain == balance - balanceBefore : gain == 0);
    }
}
