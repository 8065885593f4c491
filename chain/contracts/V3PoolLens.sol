// SPDX-License-Identifier: MIT
pragma solidity 0.8.35;

// Nothing of this is ever deployed or called by anybody else: the names say what the views of the pool are.
// solhint-disable use-natspec

interface IV3PoolState {
    function token0() external view returns (address);
    function token1() external view returns (address);
    function fee() external view returns (uint24);
    function tickSpacing() external view returns (int24);
    function slot0() external view returns (uint160 sqrtPriceX96, int24 tick);
    function liquidity() external view returns (uint128);
    function tickBitmap(int16 word) external view returns (uint256);
    function ticks(int24 tick) external view returns (uint128 liquidityGross, int128 liquidityNet);
}

/// @notice Reads a Uniswap V3 pool in one `eth_call` without a recipient. Nothing is ever deployed: the call runs this
/// constructor, and answers with what it returns in the place of code.
contract V3PoolLens {
    struct State {
        address token0;
        address token1;
        uint24 fee;
        int24 tickSpacing;
        uint160 sqrtPriceX96;
        int24 tick;
        uint128 liquidity;
        int256 firstWord;
        uint256[] words;
        int24[] ticks;
        int128[] nets;
    }

    int256 private constant MAX_TICK = 887272;

    /// @param pool answered with nothing where it has no code
    /// @param reach words of the bitmap to each side of the price's own
    /// @param enough initialized ticks to a side after which no further word is read
    constructor(IV3PoolState pool, int256 reach, uint256 enough) {
        bytes memory answer =
            address(pool).code.length == 0 ? new bytes(0) : abi.encode(_read(pool, reach, enough));
        assembly ("memory-safe") {
            return(add(answer, 32), mload(answer))
        }
    }

    function _read(
        IV3PoolState pool,
        int256 reach,
        uint256 enough
    ) private view returns (State memory state) {
        state.token0 = pool.token0();
        state.token1 = pool.token1();
        state.fee = pool.fee();
        state.tickSpacing = pool.tickSpacing();
        (state.sqrtPriceX96, state.tick) = pool.slot0();
        state.liquidity = pool.liquidity();
        int256 spacing = state.tickSpacing;
        int256 own = _wordOf(state.tick, spacing);
        int256 lowest = _max(own - reach, _wordOf(-MAX_TICK, spacing));
        int256 highest = _min(own + reach, _wordOf(MAX_TICK, spacing));
        (state.firstWord, state.words) = _words(pool, own, lowest, highest, enough);
        (state.ticks, state.nets) = _ticks(pool, state.firstWord, state.words, spacing);
    }

    /// @dev Each word is asked for once: where a pool is read far, most of the call's time goes into them.
    function _words(
        IV3PoolState pool,
        int256 own,
        int256 lowest,
        int256 highest,
        uint256 enough
    ) private view returns (int256 first, uint256[] memory words) {
        uint256[] memory read = new uint256[](uint256(highest - lowest + 1));
        read[uint256(own - lowest)] = pool.tickBitmap(int16(own));
        int256 last = own;
        first = own;
        for (uint256 seen; first > lowest && seen < enough;) {
            --first;
            seen += _ones(read[uint256(first - lowest)] = pool.tickBitmap(int16(first)));
        }
        for (uint256 seen; last < highest && seen < enough;) {
            ++last;
            seen += _ones(read[uint256(last - lowest)] = pool.tickBitmap(int16(last)));
        }
        words = new uint256[](uint256(last - first + 1));
        for (uint256 i; i < words.length; ++i) words[i] = read[uint256(first - lowest) + i];
    }

    function _ticks(
        IV3PoolState pool,
        int256 first,
        uint256[] memory words,
        int256 spacing
    ) private view returns (int24[] memory ticks, int128[] memory nets) {
        uint256 count;
        for (uint256 i; i < words.length; ++i) count += _ones(words[i]);
        (ticks, nets) = (new int24[](count), new int128[](count));
        uint256 at;
        for (uint256 i; i < words.length; ++i)
            for (uint256 left = words[i]; left != 0; left &= left - 1) {
                ticks[at] = int24(((first + int256(i)) * 256 + int256(_lowestBit(left))) * spacing);
                (, nets[at]) = pool.ticks(ticks[at]);
                ++at;
            }
    }

    function _wordOf(int256 tick, int256 spacing) private pure returns (int256) {
        int256 place = tick / spacing;
        if (tick < 0 && tick % spacing != 0) --place;
        return place >> 8;
    }

    function _ones(uint256 word) private pure returns (uint256 count) {
        for (; word != 0; word &= word - 1) ++count;
    }

    /// @param word not zero
    function _lowestBit(uint256 word) private pure returns (uint256 bit) {
        for (uint256 width = 128; width != 0; width >>= 1)
            if (word << (256 - width) == 0) {
                bit += width;
                word >>= width;
            }
    }

    function _max(int256 a, int256 b) private pure returns (int256) {
        return a > b ? a : b;
    }

    function _min(int256 a, int256 b) private pure returns (int256) {
        return a < b ? a : b;
    }
}
