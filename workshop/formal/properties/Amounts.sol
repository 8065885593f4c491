// SPDX-License-Identifier: MIT
pragma solidity 0.8.35;

import {Math} from "@openzeppelin/contracts/utils/math/Math.sol";
import {ITradeGuard} from "contracts/ITradeGuard.sol";

interface IERC20 {}

/// @dev Stands for the token: remembers what was paid.
library Payments {
    struct Payment {
        address to;
        uint256 amount;
    }

    function last() internal pure returns (Payment storage payment) {
        assembly ("memory-safe") {
            payment.slot := 0x1000
        }
    }

    function safeTransfer(IERC20, address to, uint256 amount) internal {
        (last().to, last().amount) = (to, amount);
    }
}

/// @dev Properties of refund and gain. `npm run formal` puts the code of the executor where a line begins with
/// `/// real:`. The token's balances may be anything.
contract Amounts {
    using Payments for IERC20;

    mapping(address token => mapping(address account => uint256)) private _balances;

    uint256 private _answer;

    function balanceOf(address token, address account) private view returns (uint256) {
        return _balances[token][account];
    }

    /// @dev The three steps of a question, as the executor takes them; the account itself stands for the question.
    function askBalance(address account) private pure returns (uint256 place) {
        return uint256(uint160(account));
    }

    function answers(address token, uint256 place, uint256) private returns (bool) {
        _answer = balanceOf(token, address(uint160(place)));
        return true;
    }

    function answer() private view returns (uint256 word) {
        return _answer;
    }

    /// real: contracts/RouteExecutor.sol _refund

    function _delivered(uint256 outputBefore) private view returns (uint256) {
        /// real: contracts/RouteExecutor.sol run, lines with saturatingSub
        return delivered;
    }

    function holds_the_refund_is_what_lies_here_above_what_lay_here(
        address token,
        address owner,
        uint256 amountIn,
        uint256 inputBefore
    ) external {
        Payments.last().amount = 0;
        uint256 balance = balanceOf(token, address(this));
        uint256 amountSpent = _refund(token, owner, amountIn, inputBefore);
        uint256 refunded = Payments.last().amount;
        assert(balance >= inputBefore && refunded == balance - inputBefore);
        if (refunded != 0) assert(Payments.last().to == owner);
        // A route may give back more than it took; then nothing was spent.
        assert(refunded <= amountIn ? amountSpent == amountIn - refunded : amountSpent == 0);
    }

    function refuses_to_end_with_less_than_lay_here(
        address token,
        address owner,
        uint256 amountIn,
        uint256 inputBefore
    ) external {
        require(balanceOf(token, address(this)) < inputBefore);
        _refund(token, owner, amountIn, inputBefore);
    }

    function holds_a_gain_is_the_difference_or_nothing(
        address token,
        address account,
        uint256 balanceBefore
    ) external {
        uint256 balance = balanceOf(token, account);
        answers(token, askBalance(account), 0x24);
        uint256 gain = _delivered(balanceBefore);
        assert(balance > balanceBefore ? gain == balance - balanceBefore : gain == 0);
    }
}
