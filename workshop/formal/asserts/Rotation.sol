// SPDX-License-Identifier: MIT
pragma solidity 0.8.35;

/// @dev Properties of a rotation that the compiler's SMTChecker proves. `npm run formal` puts the code of the guard where
/// a line begins with `/// real:`.
contract Rotation {
    event SignerRotated(
        address indexed previousSigner,
        address indexed newSigner,
        uint256 previousValidUntil
    );

    uint256 private constant MAX_OVERLAP = 1 hours;

    address public signer;
    address public previousSigner;
    uint64 private _previousSignerValidUntil;

    modifier restricted() {
        _;
    }

    /// real: contracts/TradeGuard.sol rotateSigner _setSigner _isPreviousSigner

    function the_signer_after_a_rotation_is_the_new_one_and_not_zero(
        address newSigner,
        uint256 overlapSeconds
    ) external {
        rotateSigner(newSigner, overlapSeconds);
        assert(signer == newSigner && newSigner != address(0));
    }

    function a_previous_key_counts_until_its_last_second(address recovered) external view {
        bool counts = _isPreviousSigner(recovered);
        assert(counts == (recovered == previousSigner && block.timestamp <= _previousSignerValidUntil));
    }
}
