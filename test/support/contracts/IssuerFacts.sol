// SPDX-License-Identifier: MIT
pragma solidity 0.8.35;

/// @notice The views that Backed's tokens have of their multiplier: the new one counts from its activation time.
contract BackedFacts {
    uint256 public lastMultiplier;
    uint256 public newMultiplier;
    uint256 public newMultiplierActivationTime;
    bool public isPaused;

    function set(uint256 last, uint256 next, uint256 activationTime, bool paused) external {
        lastMultiplier = last;
        newMultiplier = next;
        newMultiplierActivationTime = activationTime;
        isPaused = paused;
    }

    function multiplier() external view returns (uint256) {
        return block.timestamp < newMultiplierActivationTime ? lastMultiplier : newMultiplier;
    }
}

/// @notice Backed's older tokens: a multiplier and no schedule.
contract PlainMultiplier {
    uint256 public constant multiplier = 1005700000000000000;
}

/// @notice The view that Ondo's SyntheticSharesOracle has of an asset.
contract OndoFacts {
    struct Asset {
        uint128 sValue;
        uint128 pendingSValue;
        uint256 lastUpdate;
        uint256 pauseStartTime;
        uint16 allowedDriftBps;
        uint48 driftCooldown;
    }

    error AssetNotFound(address asset);

    mapping(address => Asset) private _assets;

    function set(address asset, Asset calldata data) external {
        _assets[asset] = data;
    }

    function assetData(
        address asset
    )
        external
        view
        returns (
            uint128 sValue,
            uint128 pendingSValue,
            uint256 lastUpdate,
            uint256 pauseStartTime,
            uint16 allowedDriftBps,
            uint48 driftCooldown
        )
    {
        Asset memory data = _assets[asset];
        if (data.lastUpdate == 0) revert AssetNotFound(asset);
        return (
            data.sValue,
            data.pendingSValue,
            data.lastUpdate,
            data.pauseStartTime,
            data.allowedDriftBps,
            data.driftCooldown
        );
    }
}
