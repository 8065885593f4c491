// SPDX-License-Identifier: MIT
pragma solidity 0.8.35;

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

    function balanceOf(address token, address account) private view returns (uint256) {
        return _balances[token][account];
    }

    /// real: contracts/RouteExecutor.sol _refund
    /// real: contracts/RouteExecutor.sol _gain

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
    ) external view {
        uint256 balance = balanceOf(token, account);
        uint256 gain = _gain(token, account, balanceBefore);
        assert(balance > balanceBefore ? gain == balance - balanceBefore : gain == 0);
    }
}
