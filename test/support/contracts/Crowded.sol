// SPDX-License-Identifier: MIT
pragma solidity 0.8.35;

/// @dev More variables at once than the stack lets reach, so that the compiler keeps some in memory.
contract Crowded {
    function mixed() external view returns (uint256) {
        unchecked {
            (uint256 a, uint256 b, uint256 c, uint256 d) = (gasleft(), gasleft(), gasleft(), gasleft());
            (uint256 e, uint256 f, uint256 g, uint256 h) = (gasleft(), gasleft(), gasleft(), gasleft());
            (uint256 i, uint256 j, uint256 k, uint256 l) = (gasleft(), gasleft(), gasleft(), gasleft());
            (uint256 m, uint256 n, uint256 o, uint256 p) = (gasleft(), gasleft(), gasleft(), gasleft());
            (uint256 q, uint256 r, uint256 s, uint256 t) = (gasleft(), gasleft(), gasleft(), gasleft());
            uint256 first = (((((((((a * b) ^ c) * d) ^ e) * f) ^ g) * h) ^ i) * j) ^ k;
            uint256 second = (((((((l * m) ^ n) * o) ^ p) * q) ^ r) * s) ^ t;
            return (first * second) ^ (a + t * k) ^ (b + s * j) ^ (c + r * i) ^ (d + q * h) ^ (e + p * g);
        }
    }
}
