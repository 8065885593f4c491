// SPDX-License-Identifier: MIT
pragma solidity 0.8.35;

import {ReentrancyGuardTransient} from "@openzeppelin/contracts/utils/ReentrancyGuardTransient.sol";
import {ITradeGuard} from "../../contracts/ITradeGuard.sol";
import {GuardFixture, Trade} from "../support/contracts/GuardFixture.sol";
import {
    HALF_ORDER,
    firstBytes,
    fitsPackedFor,
    bytesFrom,
    packTrade,
    packTradeFor
} from "../support/contracts/Packing.sol";
import {OneCall} from "../support/contracts/Attackers.sol";
import {vm} from "../support/contracts/Vm.sol";
import {PickyWallet, ScriptedWallet} from "../support/contracts/wallets/Wallets.sol";

/// @dev The packed form of a trade: that it says the same as the readable one, and that nothing else passes for it.
contract PackedTest is GuardFixture {
    uint256 internal constant HEAD = 280;
    uint256 internal constant OWNER_HEAD = 84;
    /// @dev Where a packed trade begins behind its place and its length.
    uint256 internal constant BEHIND_HEADER = 4 + 64;

    /// @dev Of the whole call behind its selector, but for the padding behind the data, which no one reads.
    /// @param isRelayed with the owner and the owner's signature before it
    function _refusesEveryFlippedBit(address sender, bytes memory data, bool isRelayed) internal {
        uint256 begin = BEHIND_HEADER;
        uint256 end = begin + _word(data, 4 + 32);
        for (uint256 bit = 4 * 8; bit < end * 8; ++bit) {
            bytes1 flip = bytes1(uint8(1 << (bit & 7)));
            data[bit >> 3] ^= flip;
            (bool success, bytes4 reason) = _outcome(sender, data);
            expect(!success, "a flipped bit reverts");
            if (bit >= begin * 8) expect(reason == _refusalAt((bit >> 3) - begin, isRelayed), "by its name");
            data[bit >> 3] ^= flip;
        }
        expect(_succeeds(sender, data), "as it was, it trades");
    }

    /// @dev The certificate reveals any change; only a change of a relayed owner's signature fails by itself.
    function _refusalAt(uint256 place, bool isRelayed) private pure returns (bytes4) {
        return
            isRelayed && place >= 20 && place < OWNER_HEAD
                ? ITradeGuard.OwnerSignatureInvalid.selector
                : ITradeGuard.CertificateSignerUnknown.selector;
    }

    /// @param callOf the call that brings such bytes
    function _refusesEveryOtherLength(
        address sender,
        bytes memory packed,
        function(bytes memory) internal view returns (bytes memory) callOf
    ) internal {
        for (uint256 i; i < packed.length; ++i) {
            bytes memory before = firstBytes(packed, i);
            expect(!_succeeds(sender, callOf(before)), "the beginning alone");
            bytes memory cut = bytes.concat(before, bytesFrom(packed, i + 1));
            expect(!_succeeds(sender, callOf(cut)), "a byte less");
        }
        for (uint256 i; i <= packed.length; ++i) {
            bytes memory more = bytes.concat(firstBytes(packed, i), bytes1(uint8(i)), bytesFrom(packed, i));
            expect(!_succeeds(sender, callOf(more)), "a byte more");
        }
        expect(_succeeds(sender, callOf(packed)), "as it was, it trades");
    }

    function _succeeds(address sender, bytes memory data) internal returns (bool success) {
        (success, ) = _outcome(sender, data);
    }

    function _word(bytes memory data, uint256 place) internal pure returns (uint256 word) {
        assembly ("memory-safe") {
            word := mload(add(add(data, 0x20), place))
        }
    }

    /*//////////////////////////////////////////////////////////////
                              THE SAME TRADE
    //////////////////////////////////////////////////////////////*/

    function test_both_forms_share_the_nonces() public {
        Trade memory trade = _trade();
        bytes memory owned = packTrade(trade);
        bytes memory relayed = packTradeFor(trade);
        bytes memory used = _reason(ITradeGuard.NonceUsed.selector, OWNER, uint256(0));

        _execute(trade);
        vm.expectRevert(used);
        vm.prank(OWNER);
        guard.executePacked(owned);
        vm.expectRevert(used);
        guard.executeForPacked(relayed);

        trade = _trade();
        trade.intent.nonce = 1;
        _certifyAgain(trade);
        relayed = packTradeFor(trade);
        guard.executeForPacked(relayed);
        used = _reason(ITradeGuard.NonceUsed.selector, OWNER, uint256(1));
        vm.expectRevert(used);
        _execute(trade);
        vm.expectRevert(used);
        _executeFor(trade);
    }

    function test_numbers_up_to_the_last_that_fits_are_read_whole() public {
        vm.warp(type(uint32).max);
        Trade memory trade = _trade();
        trade.intent.nonce = type(uint96).max;
        trade.intent.deadline = type(uint32).max;
        _certifyAgain(trade);
        trade.certificate.reportVersion = type(uint32).max;
        trade.certificate.expiresAt = type(uint32).max;
        _signCertificate(trade, ATTESTOR_KEY);
        bytes memory packed = packTrade(trade);
        vm.prank(OWNER);
        guard.executePacked(packed);
        expect(guard.isNonceUsed(OWNER, type(uint96).max), "the highest nonce");
    }

    /// @dev Beyond what the route gives, so that the trade shows by its failure what was read.
    function test_an_amount_of_128_bits_is_read_whole() public {
        Trade memory trade = _trade();
        trade.intent.minAmountOut = type(uint128).max;
        _certifyAgain(trade);
        bytes memory packed = packTrade(trade);
        vm.expectRevert(
            _reason(ITradeGuard.OutputBelowMinimum.selector, AMOUNT_OUT, uint256(type(uint128).max))
        );
        vm.prank(OWNER);
        guard.executePacked(packed);
    }

    function testFuzz_whatever_fits_is_executed_alike_by_both_forms(
        uint96 nonce,
        uint128 amountIn,
        uint128 minAmountOut,
        uint32 deadline,
        uint32 version
    ) public {
        Trade memory trade = _trade();
        amountIn = uint128(between(amountIn, 1, 1_000_000e18));
        trade.routeCallData = _swapData(amountIn, AMOUNT_OUT);
        trade.intent.callDataHash = keccak256(trade.routeCallData);
        (trade.intent.amountIn, trade.intent.minAmountOut) = (amountIn, between(minAmountOut, 1, AMOUNT_OUT));
        (trade.intent.nonce, trade.intent.deadline) = (nonce, between(deadline, START, type(uint32).max));
        _certifyAgain(trade);
        trade.certificate.reportVersion = version;
        _signCertificate(trade, ATTESTOR_KEY);
        expect(fitsPackedFor(trade), "it fits");

        guard.executeForPacked(packTradeFor(trade));
        expectEqual(input.balanceOf(address(route)), amountIn, "what the packed form spends");
        expectEqual(output.balanceOf(OWNER), AMOUNT_OUT, "what it brings");

        vm.assume(amountIn <= 500_000e18);
        trade.intent.nonce ^= 1;
        _certifyAgain(trade);
        _executeFor(trade);
        expectEqual(
            input.balanceOf(address(route)),
            2 * uint256(amountIn),
            "the readable form spends the same"
        );
        expectEqual(output.balanceOf(OWNER), 2 * AMOUNT_OUT, "and brings the same");
    }

    /// @dev The very bytes that were relayed, whether or not a key could have signed them, and the digest of this intent.
    function test_a_contract_is_asked_about_the_digest_and_the_64_bytes_that_were_relayed() public {
        PickyWallet wallet = new PickyWallet();
        _fund(address(input), address(wallet), AMOUNT_IN);
        Trade memory trade = _tradeOwnedBy(address(wallet));
        bytes memory odd = bytes.concat(bytes32(type(uint256).max), keccak256("no curve knows this"));
        bytes32 digest = _digest(trade.certificate.intentHash);
        bytes memory refused = _reason(ITradeGuard.OwnerSignatureInvalid.selector, address(wallet));
        trade.ownerSignature = odd;
        bytes memory packed = packTradeFor(trade);

        wallet.accept(trade.certificate.intentHash, odd);
        vm.expectRevert(refused);
        guard.executeForPacked(packed);
        wallet.accept(digest, trade.certificateSignature);
        vm.expectRevert(refused);
        guard.executeForPacked(packed);

        wallet.accept(digest, odd);
        guard.executeForPacked(packed);
        expectEqual(output.balanceOf(address(wallet)), AMOUNT_OUT, "received");
    }

    function test_an_account_with_delegated_code_signs_a_packed_trade_with_its_key() public {
        bytes memory packed = packTradeFor(_trade());
        // The owner's own address has code that refuses every ERC-1271 call.
        vm.etch(OWNER, address(new ScriptedWallet()).code);
        expectEqual(guard.executeForPacked(packed), AMOUNT_OUT, "amount out");
    }

    /*//////////////////////////////////////////////////////////////
                            NOTHING BUT THE TRADE
    //////////////////////////////////////////////////////////////*/

    function test_no_bit_of_what_the_owner_sends_can_be_another() public {
        _refusesEveryFlippedBit(OWNER, _packedCall(_trade()), false);
    }

    function test_no_bit_of_what_a_relayer_sends_can_be_another() public {
        _refusesEveryFlippedBit(STRANGER, _packedCallFor(_trade()), true);
    }

    function test_no_byte_can_be_missing_or_more_in_what_the_owner_sends() public {
        _refusesEveryOtherLength(OWNER, packTrade(_trade()), _headed);
    }

    function test_no_byte_can_be_missing_or_more_in_what_a_relayer_sends() public {
        _refusesEveryOtherLength(STRANGER, packTradeFor(_trade()), _headedFor);
    }

    function test_what_is_too_short_to_be_a_trade_has_a_name() public {
        bytes memory packed = packTrade(_trade());
        for (uint256 length; length < HEAD + 4; ++length) {
            bytes memory cut = firstBytes(packed, length);
            bytes memory tooShort = _reason(
                ITradeGuard.CallDataTooShort.selector,
                length < HEAD ? 0 : length - HEAD
            );
            vm.expectRevert(tooShort);
            vm.prank(OWNER);
            guard.executePacked(cut);
            vm.expectRevert(tooShort);
            guard.executeForPacked(bytes.concat(new bytes(OWNER_HEAD), cut));
        }
        for (uint256 length; length < OWNER_HEAD; ++length) {
            vm.expectRevert(_reason(ITradeGuard.CallDataTooShort.selector, uint256(0)));
            guard.executeForPacked(new bytes(length));
        }
    }

    function test_what_is_too_short_has_its_name_whoever_sends_it() public {
        bytes memory cut = firstBytes(packTrade(_trade()), HEAD + 3);
        address[3] memory senders = _rotatedSigners();
        for (uint256 i; i < senders.length; ++i) {
            vm.expectRevert(_reason(ITradeGuard.CallDataTooShort.selector, uint256(3)));
            vm.prank(senders[i]);
            guard.executePacked(cut);
            vm.expectRevert(_reason(ITradeGuard.CallDataTooShort.selector, uint256(0)));
            vm.prank(senders[i]);
            guard.executeForPacked(new bytes(OWNER_HEAD - 1));
        }
    }

    function test_what_is_too_short_is_told_before_a_pause_is() public {
        vm.prank(PAUSER);
        guard.pause();
        vm.expectRevert(_reason(ITradeGuard.CallDataTooShort.selector, uint256(0)));
        guard.executePacked("");
        bytes memory packed = packTrade(_trade());
        vm.expectRevert(_reason(ITradeGuard.TradingPaused.selector));
        vm.prank(OWNER);
        guard.executePacked(packed);
    }

    /// @dev What stands where the data usually stand is not read: a reader of transactions has to follow the header, too.
    function test_a_packed_trade_is_the_one_that_its_header_points_at() public {
        Trade memory trade = _tradeWith(1);
        bytes memory decoy = abi.encode(packTrade(_trade()));
        bytes memory data = bytes.concat(
            guard.executePacked.selector,
            bytes32(decoy.length),
            bytesFrom(decoy, 32),
            bytesFrom(abi.encode(packTrade(trade)), 32)
        );
        (bool success, ) = _try(OWNER, data);
        expect(success, "a trade");
        expect(guard.isNonceUsed(OWNER, 1), "the one that is pointed at");
        expect(!guard.isNonceUsed(OWNER, 0), "and not the other");
    }

    function test_no_other_header_reads_a_trade_out_of_what_the_owner_sends() public {
        _refusesEveryOtherHeader(OWNER, _headed(packTrade(_trade())));
    }

    function test_no_other_header_reads_a_trade_out_of_what_a_relayer_sends() public {
        _refusesEveryOtherHeader(STRANGER, _headedFor(packTradeFor(_trade())));
    }

    function testFuzz_a_header_beyond_the_call_data_trades_nothing(uint256 place, uint256 length) public {
        bytes memory data = _headed(packTrade(_trade()));
        vm.assume(place != 32 || length != _word(data, 36));
        _setWord(data, 4, place);
        _setWord(data, 36, length);
        expect(!_succeeds(OWNER, data), "nothing is there");
    }

    function test_a_packed_trade_pays_its_owner_even_if_others_are_listed() public {
        Trade memory trade = _trade();
        _allowRecipient(RECIPIENT);
        trade.intent.recipient = RECIPIENT;
        _certifyAgain(trade);
        (bool success, ) = _try(OWNER, _headed(packTrade(trade)));
        expect(!success, "another recipient takes the readable form");
        _execute(trade);
        expectEqual(output.balanceOf(RECIPIENT), AMOUNT_OUT, "which pays it");
    }

    /// @dev In 64 bytes a high s has no place, but for those between half the order and 2^255.
    function test_a_high_s_is_nobodys_signature() public {
        Trade memory trade = _trade();
        trade.certificateSignature = abi.encodePacked(bytes32(uint256(1)), HALF_ORDER + 1);
        bytes memory packed = packTrade(trade);
        vm.expectRevert(_reason(ITradeGuard.CertificateSignerUnknown.selector, address(0)));
        vm.prank(OWNER);
        guard.executePacked(packed);

        // The highest that counts recovers to somebody, if to nobody who certifies.
        trade.certificateSignature = abi.encodePacked(bytes32(uint256(1)), HALF_ORDER);
        (bool success, bytes memory reason) = _try(OWNER, _headed(packTrade(trade)));
        expect(!success && bytes4(reason) == ITradeGuard.CertificateSignerUnknown.selector, "unknown");
        expect(uint160(uint256(_word(reason, 4))) != 0, "and somebody");
    }

    /// @dev Each entry inside each, from any caller: the lock refuses.
    function test_nothing_trades_inside_a_packed_trade_and_no_packed_trade_inside_another() public {
        bytes[4] memory inner = _everyCall(_trade());
        for (uint256 i; i < 16; ++i) {
            OneCall accomplice = new OneCall();
            accomplice.tell(address(guard), inner[i % 4]);
            (bool success, ) = _try(OWNER, _everyCall(_tradeAround(accomplice, i + 1))[i / 4]);
            expect(success && accomplice.tried() && !accomplice.succeeded(), "the outer trade alone");
            expect(
                bytes4(accomplice.result()) == ReentrancyGuardTransient.ReentrancyGuardReentrantCall.selector,
                "by the lock"
            );
        }
    }

    /*//////////////////////////////////////////////////////////////
                                 HELPERS
    //////////////////////////////////////////////////////////////*/

    function _headed(bytes memory packed) private view returns (bytes memory) {
        return abi.encodeCall(guard.executePacked, (packed));
    }

    function _headedFor(bytes memory packed) private view returns (bytes memory) {
        return abi.encodeCall(guard.executeForPacked, (packed));
    }

    /// @dev Every place within the call data and those around 2^64 and 2^256, with the length that the trade has.
    function _refusesEveryOtherHeader(address sender, bytes memory data) private {
        uint256 length = _word(data, 36);
        for (uint256 place; place < data.length + 64; ++place) {
            if (place == 32) continue;
            _setWord(data, 4, place);
            expect(!_succeeds(sender, data), "another place");
            _setWord(data, 4, ~place);
            expect(!_succeeds(sender, data), "a place that wraps");
            _setWord(data, 4, (1 << 64) - 32 + place);
            expect(!_succeeds(sender, data), "a place around 64 bits");
        }
        _setWord(data, 4, 32);
        for (uint256 other; other < data.length + 64; ++other) {
            if (other == length) continue;
            _setWord(data, 36, other);
            expect(!_succeeds(sender, data), "another length");
            _setWord(data, 36, ~other);
            expect(!_succeeds(sender, data), "a length that wraps");
        }
        _setWord(data, 36, length);
        expect(_succeeds(sender, data), "as it was, it trades");
    }

    function _setWord(bytes memory data, uint256 place, uint256 word) private pure {
        assembly ("memory-safe") {
            mstore(add(add(data, 0x20), place), word)
        }
    }
}
