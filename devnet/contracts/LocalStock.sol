// SPDX-License-Identifier: MIT
pragma solidity 0.8.35;

import {Ownable} from "@openzeppelin/contracts/access/Ownable.sol";
import {ERC20} from "@openzeppelin/contracts/token/ERC20/ERC20.sol";

/// @title A tokenized stock of the local world
/// @author Assay
/// @notice Worth nothing. 18 decimals; says how many shares a token stands for and whether its issuer halted trading.
contract LocalStock is ERC20, Ownable {
    /// @notice Shares of the underlying stock that one whole token stands for, with 18 decimals.
    uint256 public sharesPerToken;

    /// @notice True while the issuer asks that nobody trades the token. Transfers still work.
    bool public tradingHalted;

    /// @notice The shares per token changed.
    /// @param sharesPerToken With 18 decimals.
    event SharesPerTokenSet(uint256 indexed sharesPerToken);

    /// @notice The trading halt was raised or lifted.
    /// @param halted Whether it is raised now.
    event TradingHaltedSet(bool indexed halted);

    /// @notice A token must stand for something.
    error ZeroSharesPerToken();

    /// @notice Creates a token of which nobody has any.
    /// @param issuer The only account that may mint, halt and set the shares per token.
    /// @param name The token's name.
    /// @param symbol The token's symbol.
    /// @param shares The first value of {sharesPerToken}.
    constructor(
        address issuer,
        string memory name,
        string memory symbol,
        uint256 shares
    ) ERC20(name, symbol) Ownable(issuer) {
        _setSharesPerToken(shares);
    }

    /// @notice Mints to several accounts.
    /// @param recipients The accounts.
    /// @param amount Raw units for each of them.
    function mint(address[] calldata recipients, uint256 amount) external onlyOwner {
        for (uint256 i = 0; i < recipients.length; ++i) _mint(recipients[i], amount);
    }

    /// @notice Changes the shares per token, as a reinvested dividend or a split does.
    /// @param shares With 18 decimals.
    function setSharesPerToken(uint256 shares) external onlyOwner {
        _setSharesPerToken(shares);
    }

    /// @notice Raises or lifts the trading halt.
    /// @param halted Whether it shall be raised.
    function setTradingHalted(bool halted) external onlyOwner {
        tradingHalted = halted;
        emit TradingHaltedSet(halted);
    }

    function _setSharesPerToken(uint256 shares) private {
        if (shares == 0) revert ZeroSharesPerToken();
        sharesPerToken = shares;
        emit SharesPerTokenSet(shares);
    }
}
