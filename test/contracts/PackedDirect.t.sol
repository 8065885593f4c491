// SPDX-License-Identifier: MIT
pragma solidity 0.8.35;

import {ITradeGuard} from "../../contracts/ITradeGuard.sol";
import {Trade} from "../support/contracts/GuardFixture.sol";
import {firstBytes, packTrade, packTradeFor} from "../support/contracts/Packing.sol";
import {vm} from "../support/contracts/Vm.sol";
import {PackedForms} from "./Packed.t.sol";

/// @dev The packed form without the header of the ABI: that it is the same trade, and that nothing else passes for it. The
/// suites of PackedSuites.t.sol run by it as well.
contract PackedDirectTest is PackedForms {
    function test_what_stands_behind_the_selector_is_executed_for_its_sender() public {
        expectEqual(_call(OWNER, _directCall(_trade())), AMOUNT_OUT, "amount out");
        expectEqual(output.balanceOf(OWNER), AMOUNT_OUT, "received");
        expect(guard.isNonceUsed(OWNER, 0), "the nonce is spent");
        _expectNothingLeft(address(input), address(route), 0);
    }

    function test_what_its_owner_signed_is_executed_for_anyone() public {
        expectEqual(_call(STRANGER, _directCallFor(_trade())), AMOUNT_OUT, "amount out");
        expectEqual(output.balanceOf(OWNER), AMOUNT_OUT, "received");
    }

    function test_with_and_without_the_header_it_is_one_trade() public {
        Trade memory trade = _trade();
        _call(OWNER, _directCall(trade));
        bytes memory used = _reason(ITradeGuard.NonceUsed.selector, OWNER, uint256(0));
        bytes memory packed = packTrade(trade);
        vm.expectRevert(used);
        vm.prank(OWNER);
        guard.executePacked(packed);
        packed = packTradeFor(trade);
        vm.expectRevert(used);
        guard.executeForPacked(packed);
        vm.expectRevert(used);
        _call(STRANGER, _directCallFor(trade));
    }

    function test_it_is_nobody_elses() public {
        bytes memory data = _directCall(_trade());
        _fund(address(input), STRANGER, AMOUNT_IN);
        (bool success, bytes4 reason) = _outcome(STRANGER, data);
        expect(!success && reason == ITradeGuard.CertificateSignerUnknown.selector, "by its name");
    }

    function test_no_bit_behind_the_selector_can_be_another() public {
        _refusesEveryFlippedBit(OWNER, _directCall(_trade()), 4, false);
        _refusesEveryFlippedBit(STRANGER, _directCallFor(_tradeWith(1)), 4, true);
    }

    function test_no_byte_behind_the_selector_can_be_missing_or_more() public {
        _refusesEveryOtherLength(OWNER, packTrade(_trade()), _direct);
        _refusesEveryOtherLength(STRANGER, packTradeFor(_tradeWith(1)), _directFor);
    }

    function test_what_is_too_short_has_a_name() public {
        bytes memory packed = packTrade(_trade());
        for (uint256 length; length < HEAD + 4; ++length) {
            bytes memory cut = firstBytes(packed, length);
            bytes memory tooShort = _reason(
                ITradeGuard.CallDataTooShort.selector,
                length < HEAD ? 0 : length - HEAD
            );
            vm.expectRevert(tooShort);
            _call(OWNER, _direct(cut));
            vm.expectRevert(tooShort);
            _call(STRANGER, _directFor(bytes.concat(new bytes(OWNER_HEAD), cut)));
        }
        for (uint256 length; length < OWNER_HEAD; ++length) {
            vm.expectRevert(_reason(ITradeGuard.CallDataTooShort.selector, uint256(0)));
            _call(STRANGER, _directFor(new bytes(length)));
        }
    }

    function test_it_brings_no_native_coin() public {
        bytes[2] memory calls = [_directCall(_trade()), _directCallFor(_trade())];
        vm.deal(OWNER, 2);
        for (uint256 i; i < 2; ++i) {
            vm.prank(OWNER);
            (bool success, ) = address(guard).call{value: 1}(calls[i]);
            expect(!success, "not payable");
        }
    }

    /*//////////////////////////////////////////////////////////////
                                 HELPERS
    //////////////////////////////////////////////////////////////*/

    function _direct(bytes memory packed) private view returns (bytes memory) {
        return bytes.concat(guard.executePackedDirect.selector, packed);
    }

    function _directFor(bytes memory packed) private view returns (bytes memory) {
        return bytes.concat(guard.executeForPackedDirect.selector, packed);
    }
}
