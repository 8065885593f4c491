// SPDX-License-Identifier: MIT
pragma solidity 0.8.35;

import {ITradeGuard, TradeIntent, VerificationCertificate} from "../../contracts/ITradeGuard.sol";
import {GuardFixture, Trade} from "../support/contracts/GuardFixture.sol";
import {hashIntent} from "../support/contracts/Trades.sol";
import {vm} from "../support/contracts/Vm.sol";

/// @dev A trade needs a certificate for itself, signed by the attestation key, in its window of at most 300 seconds.
contract CertificateTest is GuardFixture {
    /*//////////////////////////////////////////////////////////////
                          WHOSE, AND FOR WHAT
    //////////////////////////////////////////////////////////////*/

    function test_no_other_key_certifies_even_a_trade_of_its_own() public {
        string[5] memory names = ["owner", "admin", "pauser", "stranger", "recipient"];
        for (uint256 i; i < names.length; ++i) {
            uint256 key = uint256(keccak256(bytes(names[i])));
            Trade memory trade = _tradeOwnedBy(vm.addr(key));
            trade.ownerSignature = _sign(key, trade.certificate.intentHash);
            _signCertificate(trade, key);
            _expectRefused(trade, _reason(ITradeGuard.CertificateSignerUnknown.selector, vm.addr(key)));
        }
    }

    function testFuzz_a_certificate_with_any_member_changed_is_refused(uint8 member, uint256 change) public {
        vm.assume(change != 0);
        Trade memory trade = _trade();
        VerificationCertificate memory c = trade.certificate;
        bytes32 flip = bytes32(change);
        uint64 flip64 = uint64(between(change, 1, type(uint64).max));
        member = member % 6;
        if (member == 0) c.intentHash ^= flip;
        if (member == 1) c.evidenceHash ^= flip;
        if (member == 2) c.jobId ^= flip;
        if (member == 3) c.reportVersion ^= flip64;
        if (member == 4) c.issuedAt ^= flip64;
        if (member == 5) c.expiresAt ^= flip64;

        // Whichever other check would fail later, the signature is what fails first.
        (bool success, bytes memory reason) = _try(STRANGER, _relayerCall(trade));
        expect(!success, "refused");
        expectEqual(bytes4(reason), ITradeGuard.CertificateSignerUnknown.selector, "by the signature");
    }

    function testFuzz_a_certificate_does_not_serve_an_intent_with_any_member_changed(
        uint8 member,
        uint256 change
    ) public {
        vm.assume(change != 0);
        Trade memory trade = _trade();
        _changeIntent(trade.intent, member % 10, change);
        bytes32 otherHash = hashIntent(trade.intent);
        trade.ownerSignature = _sign(OWNER_KEY, otherHash);
        _expectRefused(
            trade,
            _reason(ITradeGuard.CertificateIntentMismatch.selector, trade.certificate.intentHash, otherHash)
        );
    }

    /// @dev Every member but the owner, without whom nobody could send it.
    function _changeIntent(TradeIntent memory intent, uint8 member, uint256 change) private pure {
        address flip = address(uint160(between(change, 1, type(uint160).max)));
        if (member == 0) intent.recipient = _xor(intent.recipient, flip);
        if (member == 1) intent.inputToken = _xor(intent.inputToken, flip);
        if (member == 2) intent.outputToken = _xor(intent.outputToken, flip);
        if (member == 3) intent.amountIn ^= change;
        if (member == 4) intent.minAmountOut ^= change;
        if (member == 5) intent.route = _xor(intent.route, flip);
        if (member == 6) intent.callDataHash ^= bytes32(change);
        if (member == 7) intent.policyHash ^= bytes32(change);
        if (member == 8) intent.nonce ^= change;
        if (member == 9) intent.deadline ^= change;
    }

    function _xor(address a, address b) private pure returns (address) {
        return address(uint160(a) ^ uint160(b));
    }

    function testFuzz_evidence_job_and_version_are_the_services_to_choose(
        bytes32 evidenceHash,
        bytes32 jobId,
        uint64 reportVersion
    ) public {
        Trade memory trade = _trade();
        VerificationCertificate memory c = trade.certificate;
        (c.evidenceHash, c.jobId, c.reportVersion) = (evidenceHash, jobId, reportVersion);
        _signCertificate(trade, ATTESTOR_KEY);
        _expectEvent(trade, AMOUNT_IN, AMOUNT_OUT);
        _relay(trade);
    }

    /*//////////////////////////////////////////////////////////////
                          WINDOW AND LIFETIME
    //////////////////////////////////////////////////////////////*/

    /// @dev At and beside both ends of short windows, some of which are empty, at any time.
    function testFuzz_a_certificate_counts_in_its_window_alone(
        uint64 issuedAt,
        uint64 expiresAt,
        uint64 time
    ) public {
        issuedAt = uint64(between(issuedAt, 5, 1 << 47));
        expiresAt = uint64(between(expiresAt, issuedAt - 3, issuedAt + 3));
        time = uint64(between(time, issuedAt - 4, issuedAt + 4));
        vm.warp(time);
        Trade memory trade = _windowed(issuedAt, expiresAt);

        if (time < issuedAt) {
            _expectRefused(trade, _reason(ITradeGuard.CertificateNotYetValid.selector, issuedAt));
        } else if (time > expiresAt) {
            _expectRefused(trade, _reason(ITradeGuard.CertificateExpired.selector, expiresAt));
        } else {
            _execute(trade);
        }
    }

    function test_a_certificate_that_lives_300_seconds_counts_from_its_first_second_to_its_last() public {
        Trade memory trade = _windowed(uint64(START), uint64(START + 300));
        uint256 state = vm.snapshotState();
        _relay(trade);
        vm.revertToState(state);
        vm.warp(START + 300);
        _relay(trade);
    }

    function test_a_certificate_that_lives_longer_than_300_seconds_never_counts() public {
        _expectTooLong(uint64(START), uint64(START + 301));
        _expectTooLong(uint64(START - 301), uint64(START));
        _expectTooLong(uint64(START - 150), uint64(START + 151));
        _expectTooLong(0, uint64(START));
        _expectTooLong(uint64(START), type(uint64).max);
        _expectTooLong(0, type(uint64).max);
    }

    function _expectTooLong(uint64 issuedAt, uint64 expiresAt) private {
        _expectRefused(
            _windowed(issuedAt, expiresAt),
            _reason(ITradeGuard.CertificateLifetimeTooLong.selector, expiresAt - issuedAt, 300)
        );
    }

    function _windowed(uint64 issuedAt, uint64 expiresAt) private view returns (Trade memory trade) {
        trade = _trade();
        (trade.certificate.issuedAt, trade.certificate.expiresAt) = (issuedAt, expiresAt);
        _signCertificate(trade, ATTESTOR_KEY);
    }
}
