// SPDX-License-Identifier: MIT
pragma solidity 0.8.35;

import {ERC20} from "@openzeppelin/contracts/token/ERC20/ERC20.sol";

/// @dev A well-behaved token that anyone may mint.
contract PlainToken is ERC20 {
    uint8 private immutable DECIMALS;

    constructor(string memory symbol_, uint8 decimals_) ERC20(symbol_, symbol_) {
        DECIMALS = decimals_;
    }

    function mint(address to, uint256 amount) external virtual {
        _mint(to, amount);
    }

    function decimals() public view virtual override returns (uint8) {
        return DECIMALS;
    }
}
