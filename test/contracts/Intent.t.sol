// SPDX-License-Identifier: MIT
pragma solidity 0.8.35;

import {ITradeGuard} from "../../contracts/ITradeGuard.sol";
import {GuardFixture, Trade} from "../support/contracts/GuardFixture.sol";
import {vm} from "../support/contracts/Vm.sol";
import {certificateTypeHash, firstBytes, intentTypeHash} from "../support/contracts/Packing.sol";
import {HonestRoute} from "../support/contracts/routes/HonestRoute.sol";

/// @dev An intent that the attestor certified and the owner signed still has to be whole and within the allowlists.
contract IntentTest is GuardFixture {
    function test_an_address_without_code_is_no_token() public {
        Trade memory trade = _trade();
        trade.intent.inputToken = STRANGER;
        _expectRefusedAsCertified(trade, _reason(ITradeGuard.BalanceUnreadable.selector, STRANGER));

        trade = _trade();
        trade.intent.outputToken = address(0);
        _expectRefusedAsCertified(trade, _reason(ITradeGuard.BalanceUnreadable.selector, address(0)));
    }

    function testFuzz_a_route_has_to_be_on_the_list(address other) public {
        vm.assume(other != address(route) && other != address(input) && other != address(output));
        Trade memory trade = _trade();
        trade.intent.route = other;
        _expectRefusedAsCertified(
            trade,
            _reason(ITradeGuard.RouteNotAllowed.selector, other, HonestRoute.swap.selector)
        );
    }

    function testFuzz_a_selector_has_to_be_on_the_list_with_its_route(bytes4 selector) public {
        vm.assume(selector != HonestRoute.swap.selector && selector != HonestRoute.swapWithRefund.selector);
        Trade memory trade = _certify(_intent(), abi.encodePacked(selector, new bytes(160)));

        _expectBothRevert(trade, _reason(ITradeGuard.RouteNotAllowed.selector, address(route), selector));
    }

    function test_no_selector_stands_for_all() public {
        bytes4[3] memory selectors = [bytes4(0xffffffff), 0x00000001, 0x80000000];
        vm.prank(PAUSER);
        guard.disallowRoute(address(route), HonestRoute.swap.selector);
        for (uint256 i; i < selectors.length; ++i) {
            _allow(address(route), selectors[i]);
            bytes4 selector = HonestRoute.swap.selector;
            expect(!guard.isRouteAllowed(address(route), selector), "not on the list");
            _expectBothRevert(
                _trade(),
                _reason(ITradeGuard.RouteNotAllowed.selector, address(route), selector)
            );
        }
    }

    /// @dev At and beside the deadline, at any time.
    function testFuzz_nothing_passes_after_its_deadline(uint256 time, uint256 deadline) public {
        time = between(time, START, 1 << 39);
        vm.warp(time);
        Trade memory trade = _trade();
        trade.intent.deadline = between(deadline, time - 3, time + 3);
        _certifyAgain(trade);

        if (time > trade.intent.deadline) {
            _expectBothRevert(trade, _reason(ITradeGuard.DeadlinePassed.selector, trade.intent.deadline));
        } else {
            _execute(trade);
        }
    }

    function testFuzz_call_data_below_four_bytes_is_refused(uint8 length) public {
        length = uint8(between(length, 0, 3));
        Trade memory trade = _trade();
        trade.routeCallData = firstBytes(trade.routeCallData, length);
        trade.intent.callDataHash = keccak256(trade.routeCallData);
        _expectRefusedAsCertified(trade, _reason(ITradeGuard.CallDataTooShort.selector, length));
    }

    function test_call_data_of_a_selector_alone_reaches_the_route() public {
        Trade memory trade = _certify(_intent(), abi.encodePacked(HonestRoute.swap.selector));

        _expectBothRevert(trade, _reason(ITradeGuard.RouteFailed.selector, address(route), bytes("")));
    }

    function testFuzz_call_data_with_any_byte_changed_is_refused(uint256 position, bytes1 change) public {
        vm.assume(change != 0);
        Trade memory trade = _trade();
        position = between(position, 4, trade.routeCallData.length - 1);
        trade.routeCallData[position] ^= change;

        _expectBothRevert(
            trade,
            _reason(ITradeGuard.CallDataHashMismatch.selector, keccak256(trade.routeCallData))
        );
    }

    function testFuzz_longer_or_shorter_call_data_is_refused(uint8 length) public {
        Trade memory trade = _trade();
        vm.assume(length >= 4 && length != trade.routeCallData.length);
        trade.routeCallData = firstBytes(trade.routeCallData, length);

        _expectBothRevert(
            trade,
            _reason(ITradeGuard.CallDataHashMismatch.selector, keccak256(trade.routeCallData))
        );
    }

    function testFuzz_a_recipient_has_to_be_the_owner_or_on_the_list(address recipient) public {
        vm.assume(recipient != OWNER && recipient != address(input) && recipient != address(output));
        Trade memory trade = _tradeTo(recipient);

        _expectBothRevert(trade, _reason(ITradeGuard.RecipientNotAllowed.selector, recipient));
    }

    function test_a_token_of_the_trade_is_no_recipient_even_if_listed() public {
        address[2] memory tokens = [address(input), address(output)];
        for (uint256 i; i < 2; ++i) {
            _allowRecipient(tokens[i]);
            Trade memory trade = _tradeTo(tokens[i]);

            _expectBothRevert(trade, _reason(ITradeGuard.InvalidRecipient.selector, tokens[i]));
        }
    }

    function testFuzz_bits_beyond_a_member_are_refused_even_if_they_were_signed(uint256 dirt) public {
        vm.assume(dirt != 0);
        _refusesBeyond(
            between(dirt, 1, type(uint96).max) << 160,
            between(dirt, 1, type(uint224).max),
            between(dirt, 1, type(uint192).max) << 64
        );
    }

    function test_the_first_and_the_last_bit_beyond_a_member_are_refused_by_themselves() public {
        _refusesBeyond(1 << 160, 1, 1 << 64);
        _refusesBeyond(1 << 255, 1 << 223, 1 << 255);
    }

    /// @dev Attestor and owner sign the words as they are sent, dirt and all.
    /// @param ofAddress bits above the 160 of owner, recipient, tokens and route
    /// @param ofSelector bits below its four bytes
    /// @param ofNumber bits above the 64 of version, begin and end
    function _refusesBeyond(uint256 ofAddress, uint256 ofSelector, uint256 ofNumber) private {
        uint256[6] memory places = [uint256(0), 1, 2, 3, 6, 7];
        for (uint256 i; i < places.length; ++i) {
            uint256 bits = i < 5 ? ofAddress : ofSelector;
            Trade memory t = _trade();
            bytes memory words = abi.encode(t.intent);
            _stain(words, places[i] * 32, bits);
            t.certificate.intentHash = keccak256(bytes.concat(intentTypeHash(), words));
            _signCertificate(t, ATTESTOR_KEY);
            t.ownerSignature = _sign(OWNER_KEY, t.certificate.intentHash);
            _refusesStained(t, 4 + places[i] * 32, bits);
        }
        for (uint256 place = 4; place < 7; ++place) {
            Trade memory t = _trade();
            bytes memory words = abi.encode(t.certificate);
            _stain(words, place * 32, ofNumber);
            t.certificateSignature = _sign(
                ATTESTOR_KEY,
                keccak256(bytes.concat(certificateTypeHash(), words))
            );
            _refusesStained(t, 4 + (11 + place) * 32, ofNumber);
        }
    }

    function _refusesStained(Trade memory t, uint256 place, uint256 bits) private {
        bytes[2] memory calls = [_readableCall(t), _readableCallFor(t)];
        for (uint256 i; i < calls.length; ++i) {
            _stain(calls[i], place, bits);
            (bool success, bytes memory reason) = _try(OWNER, calls[i]);
            expect(!success && reason.length == 0, "refused as it arrives");
        }
    }

    function _stain(bytes memory data, uint256 place, uint256 bits) private pure {
        assembly ("memory-safe") {
            let word := add(add(data, 0x20), place)
            mstore(word, or(mload(word), bits))
        }
    }

    /// @dev Everything but the padding behind the dynamic members, which no one reads.
    function testFuzz_a_call_with_any_byte_changed_never_trades(uint256 position, bytes1 change) public {
        vm.assume(change != 0);
        Trade memory t = _trade();
        bytes memory call = _readableCallFor(t);
        position = between(position, 0, call.length - 1);
        // Head: selector, 18 words of structs, 3 offsets. Then two signatures behind their length, in whole words, then data.
        uint256 length = 32 + t.ownerSignature.length;
        uint256 first = 4 + 21 * 32;
        uint256 second = first + ((length + 31) / 32) * 32;
        uint256 data = 2 * second - first;
        vm.assume(position < first + length || position >= second);
        vm.assume(position < second + length || position >= data);
        vm.assume(position < data + 32 + t.routeCallData.length);
        call[position] ^= change;
        uint256 inputBefore = input.balanceOf(OWNER);

        (bool success, ) = _try(STRANGER, call);

        expect(!success, "a changed call reverts");
        expectEqual(input.balanceOf(OWNER), inputBefore, "nothing moved");
    }
}
