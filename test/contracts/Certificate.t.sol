// SPDX-License-Identifier: MIT
pragma solidity 0.8.35;

import {ITradeGuard, VerificationCertificate} from "../../contracts/ITradeGuard.sol";
import {GuardFixture, Trade} from "../support/contracts/GuardFixture.sol";
import {expanded, firstBytes} from "../support/contracts/Packing.sol";
import {vm} from "../support/contracts/Vm.sol";

/// @dev A trade needs a certificate for itself, signed by the attestation key, in its window.
contract CertificateTest is GuardFixture {
    function test_the_owner_cannot_certify_a_trade() public {
        Trade memory trade = _trade();
        _signCertificate(trade, OWNER_KEY);

        _expectBothRevert(trade, _reason(ITradeGuard.CertificateSignerUnknown.selector, OWNER));
    }

    function testFuzz_a_certificate_that_differs_in_any_member_from_the_signed_one_is_refused(
        uint8 member,
        uint256 change
    ) public {
        vm.assume(change != 0);
        Trade memory trade = _trade();
        VerificationCertificate memory c = trade.certificate;
        bytes32 flip = bytes32(change);
        uint64 flip64 = uint64(between(change, 1, type(uint64).max));
        member = uint8(between(member, 0, 6));
        if (member == 0) c.intentHash ^= flip;
        if (member == 1) c.evidenceHash ^= flip;
        if (member == 2) c.policyHash ^= flip;
        if (member == 3) c.jobId ^= flip;
        if (member == 4) c.reportVersion ^= flip64;
        if (member == 5) c.issuedAt ^= flip64;
        if (member == 6) c.expiresAt ^= flip64;

        // Whichever other check would fail later, the signature is what fails first.
        _refusedAsOfNobodyKnown(trade, "by the signature");
    }

    function testFuzz_an_intent_that_differs_in_any_member_from_the_certified_one_is_refused(
        uint8 member,
        uint256 change
    ) public {
        vm.assume(change != 0);
        Trade memory trade = _trade();
        _changeIntent(trade, uint8(between(member, 1, 10)), change);
        bytes32 otherHash = _hashIntent(trade.intent);
        trade.ownerSignature = _sign(OWNER_KEY, otherHash);

        _expectBothRevert(
            trade,
            _reason(ITradeGuard.CertificateIntentMismatch.selector, trade.certificate.intentHash, otherHash)
        );
    }

    /// @dev All 256 values, of either signature.
    function test_a_signature_with_another_v_is_refused() public {
        bytes memory data;
        for (uint256 v; v < 256; ++v) {
            Trade memory trade = _trade();
            trade.certificateSignature = expanded(trade.certificateSignature);
            if (uint8(trade.certificateSignature[64]) != v) {
                trade.certificateSignature[64] = bytes1(uint8(v));
                _refusedAsOfNobodyKnown(trade, "by the signature");
            }
            trade = _trade();
            trade.ownerSignature = expanded(trade.ownerSignature);
            if (uint8(trade.ownerSignature[64]) == v) continue;
            trade.ownerSignature[64] = bytes1(uint8(v));
            data = _relayerCall(trade);
            vm.expectRevert(_reason(ITradeGuard.OwnerSignatureInvalid.selector, OWNER));
            _call(STRANGER, data);
        }
    }

    function test_every_version_of_a_report_has_its_window() public {
        uint64[3] memory versions = [uint64(0), 2, type(uint64).max];
        for (uint256 i; i < versions.length; ++i) {
            Trade memory trade = _trade();
            trade.certificate.reportVersion = versions[i];
            trade.certificate.expiresAt = uint64(START - 1);
            _signCertificate(trade, ATTESTOR_KEY);
            _expectBothRevert(trade, _reason(ITradeGuard.CertificateExpired.selector, START - 1));
            (trade.certificate.issuedAt, trade.certificate.expiresAt) = (
                uint64(START + 1),
                uint64(START + 2)
            );
            _signCertificate(trade, ATTESTOR_KEY);
            _expectBothRevert(trade, _reason(ITradeGuard.CertificateNotYetValid.selector, START + 1));
        }
    }

    /// @dev At and beside both ends of short windows, some of which are empty.
    function testFuzz_a_certificate_passes_in_its_window_alone(
        uint64 issuedAt,
        uint64 expiresAt,
        uint64 time
    ) public {
        issuedAt = uint64(between(issuedAt, START, 1 << 39));
        expiresAt = uint64(between(expiresAt, issuedAt - 3, issuedAt + 3));
        time = uint64(between(time, issuedAt - 4, issuedAt + 4));
        vm.warp(time);
        Trade memory trade = _trade();
        (trade.certificate.issuedAt, trade.certificate.expiresAt) = (issuedAt, expiresAt);
        _signCertificate(trade, ATTESTOR_KEY);

        if (time < issuedAt) {
            _expectBothRevert(trade, _reason(ITradeGuard.CertificateNotYetValid.selector, issuedAt));
        } else if (time > expiresAt) {
            _expectBothRevert(trade, _reason(ITradeGuard.CertificateExpired.selector, expiresAt));
        } else {
            _execute(trade);
        }
    }

    function testFuzz_a_signature_of_another_length_is_refused(uint8 length) public {
        vm.assume(length != 64 && length != 65);
        Trade memory trade = _trade();
        trade.certificateSignature = firstBytes(trade.certificateSignature, length);
        _refused(trade);
    }

    function test_zeros_are_not_a_signature() public {
        Trade memory trade = _trade();
        trade.certificateSignature = new bytes(65);
        _refused(trade);
        trade.certificateSignature = new bytes(64);
        _refused(trade);
    }

    function test_a_certificate_for_another_guard_is_refused() public {
        Trade memory trade = _trade();
        guard = _deployGuard(ADMIN, PAUSER, ATTESTOR);
        trade.ownerSignature = _sign(OWNER_KEY, trade.certificate.intentHash);

        _refusedAsOfNobodyKnown(trade, "by the domain");
    }

    function test_a_certificate_from_before_a_fork_is_refused_and_one_from_after_it_accepted() public {
        bytes32 before = guard.domainSeparator();
        Trade memory trade = _trade();
        uint256 chain = block.chainid;
        uint256[3] memory forks = [chain + 1, chain - 1, 1];
        for (uint256 i; i < forks.length; ++i) {
            vm.chainId(forks[i]);
            _refusedAsOfNobodyKnown(trade, "by the domain");
            expect(guard.domainSeparator() != before, "the domain follows the chain");
            _executeFor(_tradeWith(i + 1));
        }
        vm.chainId(chain);
        _executeFor(trade);
    }

    function test_the_guard_hashes_as_the_standard_says() public view {
        Trade memory trade = _trade();
        expectEqual(guard.hashIntent(trade.intent), _hashIntent(trade.intent), "intent");
        expectEqual(
            guard.hashCertificate(trade.certificate),
            _hashCertificate(trade.certificate),
            "certificate"
        );
    }

    function _refused(Trade memory trade) private {
        _expectBothRevert(trade, _reason(ITradeGuard.CertificateSignerUnknown.selector, address(0)));
    }

    function _changeIntent(Trade memory trade, uint8 member, uint256 change) private pure {
        address flip = address(uint160(between(change, 1, type(uint160).max)));
        if (member == 1) trade.intent.recipient = _xor(trade.intent.recipient, flip);
        if (member == 2) trade.intent.inputToken = _xor(trade.intent.inputToken, flip);
        if (member == 3) trade.intent.outputToken = _xor(trade.intent.outputToken, flip);
        if (member == 4) trade.intent.amountIn ^= change;
        if (member == 5) trade.intent.minAmountOut ^= change;
        if (member == 6) trade.intent.route = _xor(trade.intent.route, flip);
        if (member == 7) trade.intent.selector ^= bytes4(uint32(between(change, 1, type(uint32).max)));
        if (member == 8) trade.intent.callDataHash ^= bytes32(change);
        if (member == 9) trade.intent.nonce ^= change;
        if (member == 10) trade.intent.deadline ^= change;
    }

    function _xor(address a, address b) private pure returns (address) {
        return address(uint160(a) ^ uint160(b));
    }

    /// @dev Whom a spoilt signature recovers to is nobody's choice.
    function _refusedAsOfNobodyKnown(Trade memory trade, string memory what) private {
        (bool success, bytes memory reason) = _try(STRANGER, _relayerCall(trade));
        expect(!success, "refused");
        expectEqual(bytes4(reason), ITradeGuard.CertificateSignerUnknown.selector, what);
    }
}
