// SPDX-License-Identifier: MIT
pragma solidity 0.8.35;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";

/// @dev An input that costs nothing: every call succeeds and every number is zero.
contract FreeToken {
    function balanceOf(address) external pure returns (uint256) {
        return 0;
    }

    function allowance(address, address) external pure returns (uint256) {
        return 0;
    }

    fallback() external {
        assembly ("memory-safe") {
            mstore(0x00, 1)
            return(0x00, 0x20)
        }
    }
}

/// @dev An output that appears in the executor once the executor has approved an accomplice for a real token, and at the
/// recipient once it is sent there. It makes a trade whose route is `approve` of that token look good.
contract FakeOutput {
    uint256 private constant PLENTY = 1e36;

    IERC20 private immutable REAL;
    address private immutable EXECUTOR;
    address private immutable ACCOMPLICE;
    bool private _sent;

    constructor(IERC20 real, address executor, address accomplice) {
        (REAL, EXECUTOR, ACCOMPLICE) = (real, executor, accomplice);
    }

    function balanceOf(address account) external view returns (uint256) {
        if (account == EXECUTOR) return REAL.allowance(EXECUTOR, ACCOMPLICE) == 0 ? 0 : PLENTY;
        return _sent ? PLENTY : 0;
    }

    function transfer(address, uint256) external returns (bool) {
        _sent = true;
        return true;
    }
}

/// @dev An output that appears in the executor as soon as a thief has real tokens. It makes a trade whose route is
/// `transferFrom` of that token look good.
contract MirrorOutput {
    IERC20 private immutable REAL;
    address private immutable EXECUTOR;
    address private immutable THIEF;
    bool private _sent;

    constructor(IERC20 real, address executor, address thief) {
        (REAL, EXECUTOR, THIEF) = (real, executor, thief);
    }

    function balanceOf(address account) external view returns (uint256) {
        return account == EXECUTOR || _sent ? REAL.balanceOf(THIEF) : 0;
    }

    function transfer(address, uint256) external returns (bool) {
        _sent = true;
        return true;
    }
}
