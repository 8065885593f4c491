// SPDX-License-Identifier: MIT
pragma solidity 0.8.35;

import {TradeIntent, VerificationCertificate} from "contracts/ITradeGuard.sol";

/// @dev Properties of the times. `npm run formal` puts the code of the guard where a line begins with `/// real:`.
contract Windows {
    error InvalidSigner(address signer);
    error OverlapTooLong(uint256 overlapSeconds, uint256 maxOverlapSeconds);
    error CertificateNotYetValid(uint256 issuedAt);
    error CertificateExpired(uint256 expiresAt);
    error DeadlinePassed(uint256 deadline);
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

    function _checkWindow(VerificationCertificate memory certificate) private view {
        /// real: contracts/TradeGuard.sol _checkTrade, lines with certificate.expiresAt
        /// real: contracts/TradeGuard.sol _checkTrade, lines with block.timestamp
    }

    function _checkDeadline(TradeIntent memory intent) private view {
        /// real: contracts/TradeGuard.sol _checkTerms, lines with block.timestamp
    }

    /// @dev After the first second of 1970, and before seconds no longer fit: 292 billion years on.
    modifier inTime() {
        require(block.timestamp > 0 && block.timestamp < 2 ** 63);
        _;
    }

    function holds_only_the_key_before_counts_and_only_with_an_overlap(
        address newSigner,
        uint256 overlapSeconds,
        address recovered
    ) external inTime {
        address before = signer;
        rotateSigner(newSigner, overlapSeconds);
        assert(_isPreviousSigner(recovered) == (recovered == before && overlapSeconds != 0));
    }

    function holds_the_overlap_ends_within_the_hour_and_is_what_was_asked(
        address newSigner,
        uint256 overlapSeconds
    ) external inTime {
        rotateSigner(newSigner, overlapSeconds);
        assert(overlapSeconds <= 3600);
        if (overlapSeconds == 0) assert(_previousSignerValidUntil == 0 && previousSigner == address(0));
        else assert(_previousSignerValidUntil == block.timestamp + overlapSeconds);
    }

    function holds_a_certificate_passes_in_its_window_alone(
        VerificationCertificate calldata certificate
    ) external view {
        _checkWindow(certificate);
        assert(certificate.issuedAt <= block.timestamp && block.timestamp <= certificate.expiresAt);
    }

    function refuses_a_certificate_whose_window_is_empty(
        VerificationCertificate calldata certificate
    ) external view {
        require(certificate.expiresAt < certificate.issuedAt);
        _checkWindow(certificate);
    }

    function refuses_a_trade_after_its_deadline(TradeIntent calldata intent) external view {
        require(block.timestamp > intent.deadline);
        _checkDeadline(intent);
    }
}
