// SPDX-License-Identifier: MIT
pragma solidity 0.8.35;

import {Ownable} from "@openzeppelin/contracts/access/Ownable.sol";
import {ERC20} from "@openzeppelin/contracts/token/ERC20/ERC20.sol";
import {ERC3009} from "@openzeppelin/contracts/token/ERC20/extensions/draft-ERC3009.sol";
import {EIP712} from "@openzeppelin/contracts/utils/cryptography/EIP712.sol";

/// @title The settlement token of the local world
/// @author Assay
/// @notice Worth nothing. Six decimals and EIP-3009 transfers by authorization, as real dollar tokens have them.
contract LocalDollar is ERC20, ERC3009, Ownable {
    /// @notice Creates a token of which nobody has any.
    /// @param issuer The only account that may mint.
    constructor(address issuer) ERC20("Local Dollar", "USDL") EIP712("Local Dollar", "1") Ownable(issuer) {}

    /// @notice Mints to several accounts.
    /// @param recipients The accounts.
    /// @param amount Raw units for each of them.
    function mint(address[] calldata recipients, uint256 amount) external onlyOwner {
        for (uint256 i = 0; i < recipients.length; ++i) _mint(recipients[i], amount);
    }

    /// @inheritdoc ERC20
    function decimals() public pure override returns (uint8) {
        return 6;
    }
}
