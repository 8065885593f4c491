// SPDX-License-Identifier: MIT
pragma solidity 0.8.35;

/// @title A price feed of the local world in the shape of Chainlink's AggregatorV3
/// @notice One instance holds one price in US dollars with 8 decimals; its publisher alone writes it.
contract LocalAggregator {
    struct Round {
        int256 answer;
        uint256 updatedAt;
    }

    uint8 public constant decimals = 8;
    uint256 public constant version = 1;

    /// @notice The only account that may submit.
    address public immutable publisher;

    /// @notice What the price is of, such as "AAPL / USD".
    string public description;

    uint80 private _latestRound;
    mapping(uint80 roundId => Round) private _rounds;

    event AnswerUpdated(int256 indexed current, uint256 indexed roundId, uint256 updatedAt);

    error NotPublisher(address caller);
    error AnswerNotPositive(int256 answer);
    error NoDataPresent(uint80 roundId);

    constructor(address publisher_, string memory description_) {
        publisher = publisher_;
        description = description_;
    }

    /// @notice Opens the next round.
    /// @param answer Price in US dollars with 8 decimals.
    /// @param updatedAt Unix seconds at which the price was observed; the publisher's word, older than the last
    /// one if the publisher says so.
    function submit(int256 answer, uint256 updatedAt) external {
        if (msg.sender != publisher) revert NotPublisher(msg.sender);
        if (answer <= 0) revert AnswerNotPositive(answer);
        uint80 roundId = ++_latestRound;
        _rounds[roundId] = Round(answer, updatedAt);
        emit AnswerUpdated(answer, roundId, updatedAt);
    }

    /// @notice The newest round. Reverts with {NoDataPresent} before the first.
    function latestRoundData()
        external
        view
        returns (uint80 roundId, int256 answer, uint256 startedAt, uint256 updatedAt, uint80 answeredInRound)
    {
        return getRoundData(_latestRound);
    }

    /// @notice Round `id`. Reverts with {NoDataPresent} where there is none.
    function getRoundData(
        uint80 id
    )
        public
        view
        returns (uint80 roundId, int256 answer, uint256 startedAt, uint256 updatedAt, uint80 answeredInRound)
    {
        Round memory round = _rounds[id];
        if (round.answer == 0) revert NoDataPresent(id);
        return (id, round.answer, round.updatedAt, round.updatedAt, id);
    }
}
