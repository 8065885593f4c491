// SPDX-License-Identifier: MIT
pragma solidity 0.8.35;

import {Ownable} from "@openzeppelin/contracts/access/Ownable.sol";
import {ERC20} from "@openzeppelin/contracts/token/ERC20/ERC20.sol";

/// @title The second dollar of the local world
/// @author Assay
/// @notice Worth nothing. Eighteen decimals and no EIP-3009, as the larger dollars of BNB chain have it, so that only
/// Permit2 can move it by a signature.
contract LocalTether is ERC20, Ownable {
    /// @notice Creates a token of which nobody has any.
    /// @param issuer The only account that may mint.
    constructor(address issuer) ERC20("Local Tether", "USDT") Ownable(issuer) {}

    /// @notice Mints to several accounts.
    /// @param recipients The accounts.
    /// @param amount Raw units for each of them.
    function mint(address[] calldata recipients, uint256 amount) external onlyOwner {
        for (uint256 i = 0; i < recipients.length; ++i) _mint(recipients[i], amount);
    }
}
