// SPDX-License-Identifier: MIT
pragma solidity 0.8.35;

import {ERC20} from "@openzeppelin/contracts/token/ERC20/ERC20.sol";
import {ERC20Permit} from "@openzeppelin/contracts/token/ERC20/extensions/ERC20Permit.sol";
import {PlainToken} from "./PlainToken.sol";

/// @dev A token whose holders can approve by signature (EIP-2612).
contract PermitToken is PlainToken, ERC20Permit {
    constructor(string memory symbol_) PlainToken(symbol_, 18) ERC20Permit(symbol_) {}

    function decimals() public view override(ERC20, PlainToken) returns (uint8) {
        return super.decimals();
    }
}
