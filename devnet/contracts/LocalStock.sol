// SPDX-License-Identifier: MIT
pragma solidity 0.8.35;

import {Ownable} from "@openzeppelin/contracts/access/Ownable.sol";
import {ERC20} from "@openzeppelin/contracts/token/ERC20/ERC20.sol";

/// @title A tokenized stock of the local world
/// @author Assay
/// @notice Worth nothing. 18 decimals; says after ERC-8056 how many shares a token stands for and which change of that
/// is announced, and whether its issuer halted trading. Balances are raw: a change moves none of them.
contract LocalStock is ERC20, Ownable {
    /// @notice True while the issuer asks that nobody trades the token. Transfers still work.
    bool public tradingHalted;

    /// @notice When the last announced change takes or took effect, in unix seconds; 0 before the first announcement.
    uint256 public effectiveAt;

    uint256 private _multiplier;
    uint256 private _nextMultiplier;

    /// @notice A change of the shares per token was announced or made.
    /// @param oldMultiplier Until then, with 18 decimals.
    /// @param newMultiplier From then on, with 18 decimals.
    /// @param effectiveAtTimestamp Unix seconds.
    event UIMultiplierUpdated(uint256 oldMultiplier, uint256 newMultiplier, uint256 effectiveAtTimestamp); // solhint-disable-line gas-indexed-events

    /// @notice The trading halt was raised or lifted.
    /// @param halted Whether it is raised now.
    event TradingHaltedSet(bool indexed halted);

    /// @notice A token must stand for something.
    error ZeroMultiplier();
    /// @notice A change is announced for a time that has not come.
    error EffectiveInPast(uint256 effectiveAtTimestamp);

    /// @notice Creates a token of which nobody has any.
    /// @param issuer The only account that may mint, halt and set the shares per token.
    /// @param name The token's name.
    /// @param symbol The token's symbol.
    /// @param shares Shares of the stock that one whole token stands for, with 18 decimals.
    constructor(
        address issuer,
        string memory name,
        string memory symbol,
        uint256 shares
    ) ERC20(name, symbol) Ownable(issuer) {
        if (shares == 0) revert ZeroMultiplier();
        _multiplier = shares;
        _nextMultiplier = shares;
    }

    /// @notice Mints to several accounts.
    /// @param recipients The accounts.
    /// @param amount Raw units for each of them.
    function mint(address[] calldata recipients, uint256 amount) external onlyOwner {
        for (uint256 i = 0; i < recipients.length; ++i) _mint(recipients[i], amount);
    }

    /// @notice Changes the shares per token at once and unannounced, as a reinvested dividend does. Takes an announced
    /// change off.
    /// @param shares With 18 decimals.
    function setUIMultiplier(uint256 shares) external onlyOwner {
        if (shares == 0) revert ZeroMultiplier();
        emit UIMultiplierUpdated(uiMultiplier(), shares, block.timestamp);
        _multiplier = shares;
        _nextMultiplier = shares;
        effectiveAt = 0;
    }

    /// @notice Announces a change of the shares per token, such as a split.
    /// @param shares From then on, with 18 decimals.
    /// @param effectiveAtTimestamp Unix seconds; not before the next block.
    function scheduleUIMultiplier(uint256 shares, uint256 effectiveAtTimestamp) external onlyOwner {
        if (shares == 0) revert ZeroMultiplier();
        if (effectiveAtTimestamp < block.timestamp + 1) revert EffectiveInPast(effectiveAtTimestamp);
        _multiplier = uiMultiplier();
        _nextMultiplier = shares;
        effectiveAt = effectiveAtTimestamp;
        emit UIMultiplierUpdated(_multiplier, shares, effectiveAtTimestamp);
    }

    /// @notice Raises or lifts the trading halt.
    /// @param halted Whether it shall be raised.
    function setTradingHalted(bool halted) external onlyOwner {
        tradingHalted = halted;
        emit TradingHaltedSet(halted);
    }

    /// @notice The multiplier that is announced, or the one in effect where nothing is.
    /// @return With 18 decimals.
    function newUIMultiplier() external view returns (uint256) {
        return _nextMultiplier;
    }

    /// @notice Shares of the stock that one whole token stands for now.
    /// @return With 18 decimals.
    function uiMultiplier() public view returns (uint256) {
        return block.timestamp < effectiveAt ? _multiplier : _nextMultiplier;
    }
}
