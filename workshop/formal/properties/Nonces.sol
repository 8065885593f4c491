// SPDX-License-Identifier: MIT
pragma solidity 0.8.35;

/// @dev Properties of the nonces. `npm run formal` puts the code of the guard where a line begins with `/// real:`.
contract Nonces {
    error NonceUsed(address owner, uint256 nonce);
    event NoncesInvalidated(address indexed owner, uint256 indexed word, uint256 mask);

    mapping(address owner => mapping(uint256 word => uint256)) private _usedNonces;

    /// real: contracts/TradeGuard.sol isNonceUsed invalidateNonces _spendNonce

    function holds_a_trade_touches_no_other_nonce_of_anybody(
        address owner,
        uint256 nonce,
        address other,
        uint256 otherNonce
    ) external {
        require(owner != other || nonce != otherNonce);
        bool usedBefore = isNonceUsed(other, otherNonce);
        _spendNonce(owner, nonce);
        assert(isNonceUsed(other, otherNonce) == usedBefore);
    }

    function holds_invalidation_uses_up_what_the_mask_names_and_nothing_else(
        uint256 word,
        uint256 mask,
        address other,
        uint256 nonce
    ) external {
        bool usedBefore = isNonceUsed(other, nonce);
        invalidateNonces(word, mask);
        bool named = other == msg.sender && nonce >> 8 == word && (mask >> (nonce & 0xff)) & 1 == 1;
        assert(isNonceUsed(other, nonce) == (usedBefore || named));
    }
}
