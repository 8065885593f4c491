// SPDX-License-Identifier: MIT
pragma solidity 0.8.35;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {ITradeGuard, TradeIntent} from "../../contracts/ITradeGuard.sol";
import {GuardFixture, Trade} from "../support/contracts/GuardFixture.sol";
import {certificateTypeHash, firstBytes, intentTypeHash} from "../support/contracts/Trades.sol";
import {vm} from "../support/contracts/Vm.sol";
import {HonestRoute, RecordingRoute} from "../support/contracts/routes/HonestRoute.sol";

/// @dev An intent that the attestation key certified and the owner signed still has to be in time, whole and meaningful.
contract TermsTest is GuardFixture {
    uint256 private constant FAULTS = 11;

    /*//////////////////////////////////////////////////////////////
                           DEADLINE AND AMOUNTS
    //////////////////////////////////////////////////////////////*/

    /// @dev At and beside the deadline, at any time.
    function testFuzz_a_trade_executes_until_its_deadline_and_not_a_second_later(
        uint256 time,
        uint256 deadline
    ) public {
        time = between(time, START, 1 << 39);
        vm.warp(time);
        Trade memory trade = _trade();
        trade.intent.deadline = between(deadline, time - 3, time + 3);
        _certifyAgain(trade);

        if (time > trade.intent.deadline) {
            _expectRefused(trade, _reason(ITradeGuard.DeadlinePassed.selector, trade.intent.deadline));
        } else {
            _execute(trade);
        }
    }

    function test_a_trade_of_nothing_is_refused() public {
        Trade memory trade = _trade();
        trade.intent.amountIn = 0;
        _expectRefusedAsCertified(trade, _reason(ITradeGuard.ZeroAmountIn.selector));
    }

    function test_a_trade_without_a_minimum_is_refused() public {
        Trade memory trade = _swap(AMOUNT_IN, 0);
        trade.intent.minAmountOut = 0;
        _expectRefusedAsCertified(trade, _reason(ITradeGuard.ZeroMinAmountOut.selector));
    }

    function test_a_token_is_not_traded_for_itself() public {
        Trade memory trade = _swap(address(input), address(input), AMOUNT_IN, AMOUNT_OUT);
        _expectRefused(trade, _reason(ITradeGuard.SameToken.selector, address(input)));
    }

    function test_an_address_without_code_is_no_token() public {
        address[2] memory accounts = [STRANGER, address(0)];
        for (uint256 i; i < accounts.length; ++i) {
            bytes memory reason = _reason(ITradeGuard.BalanceUnreadable.selector, accounts[i]);
            _expectRefused(_swap(accounts[i], address(output), 0, AMOUNT_OUT), reason);
            _expectRefused(_swap(address(input), accounts[i], AMOUNT_IN, 0), reason);
        }
    }

    /*//////////////////////////////////////////////////////////////
                                CALL DATA
    //////////////////////////////////////////////////////////////*/

    function testFuzz_the_route_receives_the_signed_call_data_to_the_byte(
        bytes4 selector,
        bytes memory rest
    ) public {
        vm.assume(selector != 0);
        RecordingRoute recording = _recording(selector);
        // RecordingRoute answers to `received()` with what it has, and not with output.
        vm.assume(selector != recording.received.selector);
        bytes memory data = bytes.concat(selector, rest);
        _execute(_tradeOn(address(recording), data));
        expectEqual(keccak256(recording.received()), keccak256(data), "call data");
    }

    function testFuzz_call_data_with_any_byte_changed_is_refused(uint256 position, bytes1 change) public {
        vm.assume(change != 0);
        Trade memory trade = _trade();
        trade.routeCallData[position % trade.routeCallData.length] ^= change;
        _expectRefused(trade, _mismatch(trade.routeCallData));
    }

    function testFuzz_longer_or_shorter_call_data_is_refused(uint8 length) public {
        Trade memory trade = _trade();
        vm.assume(length >= 4 && length != trade.routeCallData.length);
        trade.routeCallData = firstBytes(trade.routeCallData, length);
        _expectRefused(trade, _mismatch(trade.routeCallData));
    }

    function test_call_data_below_a_selector_reaches_no_fallback() public {
        bytes4 selector = 0xaabbcc00;
        address recording = address(_recording(selector));
        for (uint256 length; length < 4; ++length) {
            bytes memory data = firstBytes(abi.encodePacked(selector), length);
            _expectRefused(_tradeOn(recording, data), _reason(ITradeGuard.CallDataTooShort.selector, length));
        }
        _execute(_tradeOn(recording, abi.encodePacked(selector)));
    }

    function _recording(bytes4 selector) private returns (RecordingRoute recording) {
        recording = new RecordingRoute(IERC20(address(output)), AMOUNT_OUT);
        output.mint(address(recording), AMOUNT_OUT);
        _allow(address(recording), selector);
    }

    function _mismatch(bytes memory data) private pure returns (bytes memory) {
        return _reason(ITradeGuard.CallDataHashMismatch.selector, keccak256(data));
    }

    /*//////////////////////////////////////////////////////////////
                           THE CALL AS A WHOLE
    //////////////////////////////////////////////////////////////*/

    /// @dev Everything but the padding behind the dynamic members, which nobody reads.
    function testFuzz_a_call_with_any_byte_changed_never_trades(uint256 position, bytes1 change) public {
        vm.assume(change != 0);
        Trade memory t = _trade();
        bytes memory call = _relayerCall(t);
        position = position % call.length;
        // Head: selector, 17 words of structs, 3 offsets. Then two signatures behind their length, then the data.
        uint256 first = 4 + 20 * 32;
        uint256 second = first + 4 * 32;
        uint256 data = second + 4 * 32;
        uint256 signature = 32 + t.ownerSignature.length;
        vm.assume(position < first + signature || position >= second);
        vm.assume(position < second + signature || position >= data);
        vm.assume(position < data + 32 + t.routeCallData.length);
        call[position] ^= change;

        (bool success, ) = _try(STRANGER, call);

        expect(!success, "a changed call reverts");
        expectEqual(input.balanceOf(OWNER), 1_000_000e18, "nothing moved");
    }

    function testFuzz_bits_beyond_a_member_are_refused_even_if_they_were_signed(uint256 dirt) public {
        vm.assume(dirt != 0);
        // The first and the last bit by themselves, and any others.
        _expectRefusedBeyond(1 << 160, 1 << 64);
        _expectRefusedBeyond(1 << 255, 1 << 255);
        _expectRefusedBeyond(
            between(dirt, 1, type(uint96).max) << 160,
            between(dirt, 1, type(uint192).max) << 64
        );
    }

    /// @dev Attestor and owner sign the words as they are sent, dirt and all.
    /// @param ofAddress bits above the 160 of owner, recipient, tokens and route
    /// @param ofNumber bits above the 64 of version, begin and end
    function _expectRefusedBeyond(uint256 ofAddress, uint256 ofNumber) private {
        uint256[5] memory places = [uint256(0), 1, 2, 3, 6];
        for (uint256 i; i < places.length; ++i) {
            Trade memory t = _trade();
            bytes memory words = abi.encode(t.intent);
            _stain(words, places[i] * 32, ofAddress);
            t.certificate.intentHash = keccak256(bytes.concat(intentTypeHash(), words));
            _signCertificate(t, ATTESTOR_KEY);
            t.ownerSignature = _sign(OWNER_KEY, t.certificate.intentHash);
            _expectStainedRefused(t, 4 + places[i] * 32, ofAddress);
        }
        for (uint256 place = 3; place < 6; ++place) {
            Trade memory t = _trade();
            bytes memory words = abi.encode(t.certificate);
            _stain(words, place * 32, ofNumber);
            bytes32 structHash = keccak256(bytes.concat(certificateTypeHash(), words));
            t.certificateSignature = _sign(ATTESTOR_KEY, structHash);
            _expectStainedRefused(t, 4 + (11 + place) * 32, ofNumber);
        }
    }

    function _expectStainedRefused(Trade memory t, uint256 place, uint256 bits) private {
        bytes[2] memory calls = [_ownerCall(t), _relayerCall(t)];
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

    /*//////////////////////////////////////////////////////////////
                            ORDER OF THE CHECKS
    //////////////////////////////////////////////////////////////*/

    /// @dev In the order of docs/guard/calls.md.
    function test_of_two_faults_the_one_that_is_checked_first_is_named() public {
        for (uint256 first; first < FAULTS; ++first) {
            for (uint256 second = first + 1; second < FAULTS; ++second) {
                Trade memory trade = _trade();
                _spoil(second, trade);
                bytes memory reason = _spoil(first, trade);
                _expectRefusedAsCertified(trade, reason);
            }
        }
    }

    /// @return reason what such a trade is refused with
    function _spoil(uint256 fault, Trade memory trade) private returns (bytes memory reason) {
        TradeIntent memory n = trade.intent;
        if (fault == 0) n.deadline = block.timestamp - 1;
        if (fault == 1) n.amountIn = 0;
        if (fault == 2) n.minAmountOut = 0;
        if (fault == 3) n.outputToken = n.inputToken;
        if (fault == 4) n.callDataHash = keccak256("other call data");
        if (fault == 5) n.route = n.inputToken;
        if (fault == 6) n.route = STRANGER;
        if (fault == 7) n.recipient = n.outputToken;
        if (fault == 8) n.recipient = STRANGER;
        if (fault == 9) {
            n.nonce = 512;
            vm.prank(OWNER);
            guard.invalidateNonces(2, 1);
        }
        if (fault == 10) n.inputToken = account("nobody's token");
        bytes[FAULTS] memory reasons = [
            _reason(ITradeGuard.DeadlinePassed.selector, n.deadline),
            _reason(ITradeGuard.ZeroAmountIn.selector),
            _reason(ITradeGuard.ZeroMinAmountOut.selector),
            _reason(ITradeGuard.SameToken.selector, n.inputToken),
            _mismatch(trade.routeCallData),
            _reason(ITradeGuard.RouteIsToken.selector, n.route),
            _reason(ITradeGuard.RouteNotAllowed.selector, n.route, HonestRoute.swap.selector),
            _reason(ITradeGuard.InvalidRecipient.selector, n.recipient),
            _reason(ITradeGuard.RecipientNotAllowed.selector, n.recipient),
            _reason(ITradeGuard.NonceUsed.selector, OWNER, n.nonce),
            _reason(ITradeGuard.BalanceUnreadable.selector, n.inputToken)
        ];
        return reasons[fault];
    }
}
