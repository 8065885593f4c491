// SPDX-License-Identifier: MIT
pragma solidity 0.8.35;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {SafeERC20} from "@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol";
import {RebasingToken} from "../tokens/OddTokens.sol";

/// @dev A router with an inventory that does as the call data says.
contract HonestRoute {
    using SafeERC20 for IERC20;

    function swap(IERC20 input, IERC20 output, uint256 take, uint256 give, address to) external {
        if (take != 0) input.safeTransferFrom(msg.sender, address(this), take);
        if (give != 0) output.safeTransfer(to, give);
    }

    /// @dev Takes all and gives back what it did not need, as routers with a refund do.
    function swapWithRefund(
        IERC20 input,
        IERC20 output,
        uint256 take,
        uint256 back,
        uint256 give,
        address to
    ) external {
        input.safeTransferFrom(msg.sender, address(this), take);
        input.safeTransfer(msg.sender, back);
        output.safeTransfer(to, give);
    }
}

/// @dev A router that keeps what it was called with, sells nothing and pays its caller.
contract RecordingRoute {
    bytes public received;
    IERC20 private immutable OUTPUT;
    uint256 private immutable GIVE;

    constructor(IERC20 output, uint256 give) {
        (OUTPUT, GIVE) = (output, give);
    }

    // solhint-disable-next-line no-complex-fallback
    fallback() external {
        received = msg.data;
        OUTPUT.transfer(msg.sender, GIVE);
    }
}

/// @dev Trades as told, if it is approved for exactly what it expects, and remembers how much gas it was left.
contract ExactRoute {
    uint256 public gasOnEntry;

    function swap(IERC20 input, IERC20 output, uint256 approved, uint256 take, uint256 give) external {
        gasOnEntry = gasleft();
        require(input.allowance(msg.sender, address(this)) == approved, "not approved exactly");
        input.transferFrom(msg.sender, address(this), take);
        output.transfer(msg.sender, give);
    }
}

/// @dev A route in whose hands every balance of a token shrinks.
contract ShrinkingRoute {
    function swap(RebasingToken token) external {
        token.rebase(0.5e18);
    }
}
