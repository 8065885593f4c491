// SPDX-License-Identifier: MIT
pragma solidity 0.8.35;

/// @title A price feed of the local world in the shape of Chainlink's AggregatorV3
/// @author Assay
/// @notice One instance holds one price in US dollars with 8 decimals; its publisher alone writes it. It keeps the
/// newest round only.
contract LocalAggregator {
    /// @dev One slot, written by every tick of the market.
    struct Round {
        int128 answer;
        uint64 updatedAt;
        uint64 id;
    }

    /// @notice The only account that may submit.
    address public immutable PUBLISHER;

    /// @notice What the price is of, such as "AAPL / USD".
    string public description;

    Round private _latest;

    /// @notice A round was opened.
    /// @param current The price, with 8 decimals.
    /// @param roundId Counts from 1.
    /// @param updatedAt Unix seconds at which the price was observed.
    event AnswerUpdated(int256 indexed current, uint256 indexed roundId, uint256 updatedAt); // solhint-disable-line gas-indexed-events

    /// @notice Someone other than the publisher submitted.
    error NotPublisher(address caller);
    /// @notice A price must be above zero.
    error AnswerNotPositive(int128 answer);
    /// @notice That round is not here: none was opened yet, or it is not the newest.
    error NoDataPresent(uint80 roundId);

    /// @notice Creates a feed without a price.
    /// @param publisher The only account that may submit.
    /// @param description_ What the price is of.
    constructor(address publisher, string memory description_) {
        PUBLISHER = publisher;
        description = description_;
    }

    /// @notice Opens the next round.
    /// @param answer Price in US dollars with 8 decimals.
    /// @param updatedAt Unix seconds at which the price was observed: the publisher's word, also where it is older
    /// than the last one.
    function submit(int128 answer, uint64 updatedAt) external {
        if (msg.sender != PUBLISHER) revert NotPublisher(msg.sender);
        if (answer < 1) revert AnswerNotPositive(answer);
        uint64 id = _latest.id + 1;
        _latest = Round(answer, updatedAt, id);
        emit AnswerUpdated(answer, id, updatedAt);
    }

    /// @notice The newest round. Reverts with {NoDataPresent} before the first.
    /// @return roundId Counts from 1.
    /// @return answer Price in US dollars with 8 decimals.
    /// @return startedAt The same as `updatedAt`.
    /// @return updatedAt Unix seconds at which the price was observed.
    /// @return answeredInRound The same as `roundId`.
    function latestRoundData()
        external
        view
        returns (uint80 roundId, int256 answer, uint256 startedAt, uint256 updatedAt, uint80 answeredInRound)
    {
        return getRoundData(_latest.id);
    }

    /// @notice How many decimals a price has.
    /// @return Always 8.
    function decimals() external pure returns (uint8) {
        return 8;
    }

    /// @notice The version of this feed's shape.
    /// @return Always 1.
    function version() external pure returns (uint256) {
        return 1;
    }

    /// @notice A round by its number. Reverts with {NoDataPresent} unless it is the newest.
    /// @param id Number of the round.
    /// @return roundId Counts from 1.
    /// @return answer Price in US dollars with 8 decimals.
    /// @return startedAt The same as `updatedAt`.
    /// @return updatedAt Unix seconds at which the price was observed.
    /// @return answeredInRound The same as `roundId`.
    function getRoundData(
        uint80 id
    )
        public
        view
        returns (uint80 roundId, int256 answer, uint256 startedAt, uint256 updatedAt, uint80 answeredInRound)
    {
        Round memory round = _latest;
        if (id == 0 || id != round.id) revert NoDataPresent(id);
        return (id, round.answer, round.updatedAt, round.updatedAt, id);
    }
}
