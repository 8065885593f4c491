// SPDX-License-Identifier: MIT
pragma solidity 0.8.35;

/// @dev Assertions that say what was wrong.
abstract contract Assert {
    error Expected(string what, uint256 expected, uint256 actual);
    error ExpectedAddress(string what, address expected, address actual);
    error ExpectedBytes32(string what, bytes32 expected, bytes32 actual);
    error ExpectedTrue(string what);

    function expect(bool condition, string memory what) internal pure {
        if (!condition) revert ExpectedTrue(what);
    }

    function expectEqual(uint256 actual, uint256 expected, string memory what) internal pure {
        if (actual != expected) revert Expected(what, expected, actual);
    }

    function expectEqual(address actual, address expected, string memory what) internal pure {
        if (actual != expected) revert ExpectedAddress(what, expected, actual);
    }

    function expectEqual(bytes32 actual, bytes32 expected, string memory what) internal pure {
        if (actual != expected) revert ExpectedBytes32(what, expected, actual);
    }

    /// @dev Folds a fuzzed number into a range.
    function between(uint256 value, uint256 low, uint256 high) internal pure returns (uint256) {
        if (value >= low && value <= high) return value;
        uint256 span = high - low;
        return span == type(uint256).max ? value : low + (value % (span + 1));
    }
}
