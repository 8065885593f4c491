// SPDX-License-Identifier: MIT
pragma solidity 0.8.35;

/// @dev Properties of the nonces that the compiler's SMTChecker proves. `npm run formal` puts the code of the guard where
/// a line begins with `/// real:`.
contract Nonces {
    mapping(address owner => mapping(uint256 word => uint256)) private _usedNonces;

    event NoncesInvalidated(address indexed owner, uint256 indexed word, uint256 mask);

    /// real: contracts/TradeGuard.sol isNonceUsed invalidateNonces _spendNonce

    function a_nonce_that_trades_was_unused_and_is_used(address owner, uint256 nonce) external {
        bool usedBefore = isNonceUsed(owner, nonce);
        _spendNonce(owner, nonce);
        assert(!usedBefore);
        assert(isNonceUsed(owner, nonce));
    }

    function a_nonce_never_trades_twice(address owner, uint256 nonce) external {
        _spendNonce(owner, nonce);
        _spendNonce(owner, nonce);
        assert(false);
    }

    function a_nonce_that_was_invalidated_never_trades(uint256 word, uint256 mask, uint256 nonce) external {
        require(nonce >> 8 == word && (mask >> (nonce & 0xff)) & 1 == 1);
        invalidateNonces(word, mask);
        _spendNonce(msg.sender, nonce);
        assert(false);
    }
}
