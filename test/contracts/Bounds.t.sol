// SPDX-License-Identifier: MIT
pragma solidity 0.8.35;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {ITradeGuard, TradeIntent} from "../../contracts/ITradeGuard.sol";
import {GuardFixture, Trade} from "../support/contracts/GuardFixture.sol";
import {vm} from "../support/contracts/Vm.sol";
import {HonestRoute, RecordingRoute} from "../support/contracts/routes/HonestRoute.sol";
import {FeeToken, HookToken, ITransferHook, ReturningToken} from "../support/contracts/tokens/OddTokens.sol";
import {PlainToken} from "../support/contracts/tokens/PlainToken.sol";

/// @dev Keeps one unit of every transfer to anyone but the executor.
contract OneUnitFeeToken is ReturningToken {
    address private immutable FREE;

    constructor(address free) {
        FREE = free;
    }

    function _move(address from, address to, uint256 amount) internal override {
        super._move(from, to, amount);
        if (to != FREE) --_units[to];
    }
}

/// @dev Says more than it was asked.
contract TalkativeToken is ReturningToken {
    function balanceOf(address account) public view override returns (uint256) {
        _answer(super.balanceOf(account));
    }

    function allowance(address owner, address spender) public view override returns (uint256) {
        _answer(super.allowance(owner, spender));
    }

    function _answer(uint256 units) private pure {
        assembly ("memory-safe") {
            mstore(0x00, units)
            mstore(0x20, not(0))
            return(0x00, 0x40)
        }
    }
}

/// @dev Trades as told, if it is approved for exactly what it expects, and remembers how much gas it was left.
contract ExactRoute {
    uint256 public gasOnEntry;

    function swap(IERC20 input, IERC20 output, uint256 approved, uint256 take, uint256 give) external {
        gasOnEntry = gasleft();
        require(input.allowance(msg.sender, address(this)) == approved, "not approved exactly");
        input.transferFrom(msg.sender, address(this), take);
        output.transfer(msg.sender, give);
    }
}

/// @dev Remembers a spender's allowance for a token at the last transfer that called this hook.
contract AllowanceAtTransfer is ITransferHook {
    IERC20 private immutable TOKEN;
    address private immutable HOLDER;
    address private immutable SPENDER;
    uint256 public last = type(uint256).max;

    constructor(IERC20 token, address holder, address spender) {
        (TOKEN, HOLDER, SPENDER) = (token, holder, spender);
    }

    function onTransfer(address from, address, uint256) external {
        if (from == HOLDER) last = TOKEN.allowance(HOLDER, SPENDER);
    }
}

/// @dev The bounds of a trade for all numbers that their types hold, not for the usual ones.
contract BoundsTest is GuardFixture {
    uint256 private constant NEW_KEY = uint256(keccak256("new attestor"));
    uint256 private nextNonce;

    function _amounts() private pure returns (uint256[13] memory) {
        return
            [
                uint256(1),
                2,
                type(uint64).max,
                2 ** 64,
                2 ** 96,
                type(uint128).max,
                2 ** 128,
                2 ** 128 + 1,
                2 ** 192,
                2 ** 255,
                2 ** 255 + 2 ** 128,
                type(uint256).max - 1,
                type(uint256).max
            ];
    }

    /*//////////////////////////////////////////////////////////////
                                AMOUNTS
    //////////////////////////////////////////////////////////////*/

    function test_amounts_of_any_size_are_spent_and_refunded_to_the_unit() public {
        uint256[13] memory amounts = _amounts();
        for (uint256 i; i < amounts.length; ++i) {
            uint256 amount = amounts[i];
            _expectExact(amount, amount, amount);
            _expectExact(amount, amount - 1, amount);
            _expectExact(amount, 0, 1);
            _expectExact(amount, amount / 2, amount / 2 + 1);
        }
    }

    function testFuzz_amounts_of_any_size_are_spent_and_refunded_to_the_unit(
        uint256 amountIn,
        uint256 take,
        uint256 give
    ) public {
        amountIn = between(amountIn, 1, type(uint256).max);
        _expectExact(amountIn, between(take, 0, amountIn), between(give, 1, type(uint256).max));
    }

    function _expectExact(uint256 amountIn, uint256 take, uint256 give) private {
        for (uint256 way; way < 4; ++way) {
            (PlainToken from, PlainToken to, Trade memory trade) = _fresh(amountIn, take, give, give);
            bool listed = way & 1 != 0;
            if (listed) _payTo(trade, RECIPIENT);
            _expectEvent(trade, take, give);
            uint256 amountOut = way & 2 != 0 ? _execute(trade) : _executeFor(trade);
            expectEqual(amountOut, give, "amount out");
            expectEqual(from.balanceOf(OWNER), amountIn - take, "refund");
            expectEqual(from.balanceOf(address(route)), take, "spent");
            expectEqual(to.balanceOf(listed ? RECIPIENT : OWNER), give, "received");
            _expectNothingLeft(address(from), address(route), 0);
            _expectNothingLeft(address(to), address(route), 0);
        }
    }

    function test_what_lay_there_before_counts_for_nothing_however_much_it_was() public {
        uint256 lying = (1 << 200) + 7;
        for (uint256 way; way < 2; ++way) {
            (PlainToken from, PlainToken to, Trade memory trade) = _fresh(
                AMOUNT_IN,
                AMOUNT_IN - 5,
                AMOUNT_OUT,
                AMOUNT_OUT
            );
            if (way == 1) _payTo(trade, RECIPIENT);
            from.mint(executor, lying);
            to.mint(executor, lying);
            to.mint(OWNER, lying);
            to.mint(RECIPIENT, lying);
            expectEqual(_executeFor(trade), AMOUNT_OUT, "amount out");
            expectEqual(from.balanceOf(executor), lying, "input that lies in the executor stays");
            expectEqual(to.balanceOf(executor), lying, "and output");
            expectEqual(from.balanceOf(OWNER), 5, "refund");
            expectEqual(to.balanceOf(way == 1 ? RECIPIENT : OWNER), lying + AMOUNT_OUT, "received");

            (, to, trade) = _fresh(AMOUNT_IN, AMOUNT_IN, MIN_OUT, 0);
            to.mint(executor, lying);
            _expectBothRevert(trade, _reason(ITradeGuard.OutputBelowMinimum.selector, 0, MIN_OUT));
        }
    }

    function test_a_unit_below_a_minimum_of_any_size_is_refused() public {
        uint256[13] memory amounts = _amounts();
        for (uint256 i; i < amounts.length; ++i) {
            uint256 minimum = amounts[i];
            for (uint256 way; way < 2; ++way) {
                (, , Trade memory trade) = _fresh(1, 1, minimum, minimum - 1);
                if (way == 1) _payTo(trade, RECIPIENT);
                _expectBothRevert(
                    trade,
                    _reason(ITradeGuard.OutputBelowMinimum.selector, minimum - 1, minimum)
                );
            }
        }
    }

    function test_a_unit_less_received_than_a_minimum_of_any_size_is_refused_whoever_is_paid() public {
        uint256[13] memory amounts = _amounts();
        address[3] memory recipients = [OWNER, RECIPIENT, address(route)];
        for (uint256 i; i < amounts.length; ++i) {
            for (uint256 j; j < recipients.length; ++j) {
                OneUnitFeeToken to = new OneUnitFeeToken(executor);
                to.mint(address(route), amounts[i]);
                // As much as there can be.
                to.mint(recipients[j], type(uint256).max - amounts[i]);
                TradeIntent memory intent = _intent(address(input), address(to));
                (intent.minAmountOut, intent.nonce) = (amounts[i], nextNonce++);
                Trade memory trade = _certify(
                    intent,
                    _swapData(address(input), address(to), AMOUNT_IN, amounts[i])
                );
                if (j != 0) _payTo(trade, recipients[j]);
                _expectBothRevert(
                    trade,
                    _reason(ITradeGuard.ReceivedBelowMinimum.selector, amounts[i] - 1, amounts[i])
                );
            }
        }
    }

    function test_an_amount_that_the_owner_does_not_have_is_not_taken_to_mean_all() public {
        uint256[13] memory amounts = _amounts();
        for (uint256 i = 1; i < amounts.length; ++i) {
            (PlainToken from, , Trade memory trade) = _fresh(1, 0, 1, 1);
            trade.intent.amountIn = amounts[i];
            _certifyAgain(trade);
            vm.expectRevert();
            _execute(trade);
            vm.expectRevert();
            _executeFor(trade);
            expectEqual(from.balanceOf(OWNER), 1, "nothing moved");
        }
    }

    function test_the_route_is_approved_for_exactly_the_amount_in() public {
        ExactRoute exact = new ExactRoute();
        _allow(address(exact), ExactRoute.swap.selector);
        uint256[13] memory amounts = _amounts();
        for (uint256 i; i < amounts.length; ++i) {
            for (uint256 seed; seed < 3; ++seed) {
                // Nothing, one unit, or as much again lies in the executor.
                if (seed != 0 && amounts[i] > 2 ** 192) continue;
                PlainToken from = new PlainToken("FROM", 18);
                from.mint(executor, seed == 2 ? amounts[i] : seed);
                _approveAll(from, amounts[i]);
                output.mint(address(exact), AMOUNT_OUT);
                _executeFor(_exactly(exact, address(from), amounts[i], amounts[i]));
                _expectNothingLeft(address(from), address(exact), seed == 2 ? amounts[i] : seed);
            }
        }
    }

    function test_a_fee_of_the_input_does_not_change_what_the_route_is_approved_for() public {
        ExactRoute exact = new ExactRoute();
        _allow(address(exact), ExactRoute.swap.selector);
        FeeToken from = new FeeToken(100);
        _fund(address(from), OWNER, AMOUNT_IN);
        output.mint(address(exact), AMOUNT_OUT);

        _execute(_exactly(exact, address(from), AMOUNT_IN, (AMOUNT_IN * 99) / 100));

        _expectNothingLeft(address(from), address(exact), 0);
    }

    function test_a_unit_taken_from_what_lies_in_the_executor_is_refused() public {
        uint256[4] memory fees = [uint256(1), 100, 1, 100];
        for (uint256 i; i < fees.length; ++i) {
            FeeToken from = new FeeToken(fees[i]);
            _fund(address(from), OWNER, 10_000);
            uint256 lying = i < 2 ? 10_000 : (1 << 200) + 10_000;
            from.mint(executor, lying);
            TradeIntent memory intent = _intent(address(from), address(output));
            (intent.amountIn, intent.nonce) = (10_000, nextNonce++);
            uint256 arrives = 10_000 - fees[i];
            _expectBothRevert(
                _certify(intent, _swapData(address(from), address(output), arrives + 1, AMOUNT_OUT)),
                _reason(ITradeGuard.InputOverspent.selector, lying - 1, lying)
            );
        }
    }

    function test_a_route_has_no_allowance_left_when_the_recipient_is_paid() public {
        HookToken hooked = new HookToken();
        hooked.mint(address(route), AMOUNT_OUT);
        AllowanceAtTransfer hook = new AllowanceAtTransfer(input, executor, address(route));
        hooked.setHook(hook);

        _execute(_swap(address(input), address(hooked), AMOUNT_IN - 1, AMOUNT_OUT));

        expectEqual(hook.last(), 0, "allowance of the route at the payment");
    }

    function test_tokens_that_answer_more_than_they_were_asked_trade() public {
        TalkativeToken from = new TalkativeToken();
        TalkativeToken to = new TalkativeToken();
        _fund(address(from), OWNER, AMOUNT_IN);
        to.mint(address(route), AMOUNT_OUT);
        TradeIntent memory intent = _intent(address(from), address(to));
        bytes memory data = _swapData(address(from), address(to), AMOUNT_IN - 1, AMOUNT_OUT);
        expectEqual(_execute(_certify(intent, data)), AMOUNT_OUT, "amount out");
        expectEqual(from.balanceOf(OWNER), 1, "refund");
    }

    function test_a_route_is_given_all_the_gas_there_is() public {
        ExactRoute exact = new ExactRoute();
        _allow(address(exact), ExactRoute.swap.selector);
        output.mint(address(exact), AMOUNT_OUT);
        Trade memory t = _exactly(exact, address(input), AMOUNT_IN, AMOUNT_IN);
        vm.prank(OWNER);
        guard.execute{gas: 3_000_000}(t.intent, t.certificate, t.certificateSignature, t.routeCallData);
        expect(exact.gasOnEntry() > 2_500_000, "but for what the calls keep back");
    }

    /*//////////////////////////////////////////////////////////////
                                 TIMES
    //////////////////////////////////////////////////////////////*/

    function test_deadlines_and_windows_hold_at_any_time_for_either_signer() public {
        uint64[6] memory times = [
            uint64(3),
            uint64(START),
            type(uint32).max,
            2 ** 32,
            2 ** 33 + 5,
            // The manager's times have 48 bits.
            2 ** 47 + 7
        ];
        for (uint256 i; i < times.length; ++i) {
            // A guard of its own, because time cannot run backwards for one.
            setUp();
            vm.warp(times[i]);
            vm.prank(ADMIN);
            guard.rotateSigner(vm.addr(NEW_KEY), 1 hours);
            expectEqual(guard.previousSignerValidUntil(), uint256(times[i]) + 1 hours, "end of the overlap");
            for (uint256 j; j < 2; ++j) _expectTimes(times[i], j == 0 ? ATTESTOR_KEY : NEW_KEY);
            vm.warp(uint256(times[i]) + 1 hours + 1);
            _expectBothRevert(
                _timed(block.timestamp, _earliest(), type(uint64).max, ATTESTOR_KEY),
                _reason(ITradeGuard.CertificateSignerUnknown.selector, ATTESTOR)
            );
        }
    }

    function _expectTimes(uint64 now_, uint256 key) private {
        _execute(_timed(now_, now_, now_, key));
        _executeFor(_timed(uint256(now_) + 1, now_ - 1, now_ + 1, key));
        _execute(_timed(type(uint256).max, _earliest(), type(uint64).max, key));
        _executeFor(_timed(2 ** 64, _earliest(), now_ + 2 ** 32, key));
        _executeFor(_timed(2 ** 128, _earliest(), now_, key));
        uint256[3] memory passed = [uint256(now_) - 1, 0, now_ / 2];
        for (uint256 i; i < passed.length; ++i) {
            _expectBothRevert(
                _timed(passed[i], now_, now_, key),
                _reason(ITradeGuard.DeadlinePassed.selector, passed[i])
            );
            _expectBothRevert(
                _timed(now_, _earliest(), uint64(passed[i]), key),
                _reason(ITradeGuard.CertificateExpired.selector, passed[i])
            );
        }
        uint64[4] memory toCome = [now_ + 1, now_ + 2 ** 32, type(uint64).max, 2 ** 63];
        for (uint256 i; i < toCome.length; ++i) {
            _expectBothRevert(
                _timed(now_, toCome[i], type(uint64).max, key),
                _reason(ITradeGuard.CertificateNotYetValid.selector, toCome[i])
            );
        }
    }

    /// @dev Of the executor that is used.
    function _earliest() private view returns (uint64) {
        return _renews ? 2 : 0;
    }

    function _timed(
        uint256 deadline,
        uint64 issuedAt,
        uint64 expiresAt,
        uint256 key
    ) private returns (Trade memory trade) {
        trade = _trade();
        (trade.intent.deadline, trade.intent.nonce) = (deadline, nextNonce++);
        _certifyAgain(trade);
        (trade.certificate.issuedAt, trade.certificate.expiresAt) = (issuedAt, expiresAt);
        _signCertificate(trade, key);
    }

    /*//////////////////////////////////////////////////////////////
                       CALL DATA, ROUTES AND NONCES
    //////////////////////////////////////////////////////////////*/

    function test_long_call_data_is_signed_and_sent_to_the_last_byte() public {
        uint24[4] memory lengths = [4_095, 4_097, 65_537, 70_001];
        for (uint256 i; i < lengths.length; ++i) {
            RecordingRoute recording = new RecordingRoute(IERC20(address(output)), AMOUNT_OUT);
            output.mint(address(recording), AMOUNT_OUT);
            _allow(address(recording), 0xaabbccdd);
            TradeIntent memory intent = _intent();
            (intent.route, intent.nonce) = (address(recording), i);
            bytes memory data = new bytes(lengths[i]);
            (data[0], data[1], data[2], data[3]) = (0xaa, 0xbb, 0xcc, 0xdd);
            data[data.length - 1] = 0x01;
            Trade memory trade = _certify(intent, data);

            trade.routeCallData = bytes.concat(data);
            trade.routeCallData[data.length - 1] = 0x02;
            _expectBothRevert(
                trade,
                _reason(ITradeGuard.CallDataHashMismatch.selector, keccak256(trade.routeCallData))
            );
            trade.routeCallData = data;
            _execute(trade);
            expectEqual(keccak256(recording.received()), keccak256(data), "call data");
        }
    }

    function test_to_list_a_pair_lists_none_that_differs_in_a_bit() public {
        bytes4 selector = HonestRoute.swap.selector;
        for (uint256 bit; bit < 160; ++bit) {
            address other = address(uint160(address(route)) ^ uint160(1 << bit));
            expect(!guard.isRouteAllowed(other, selector), "another route");
            if (bit % 8 != 0) continue;
            Trade memory trade = _trade();
            trade.intent.route = other;
            _expectRefusedAsCertified(trade, _reason(ITradeGuard.RouteNotAllowed.selector, other, selector));
        }
        for (uint256 bit; bit < 32; ++bit) {
            bytes4 other = selector ^ bytes4(uint32(1 << bit));
            expect(!guard.isRouteAllowed(address(route), other), "another selector");
            Trade memory trade = _trade();
            bytes memory data = bytes.concat(trade.routeCallData);
            for (uint256 i; i < 4; ++i) data[i] = other[i];
            _expectBothRevert(
                _certify(_intent(), data),
                _reason(ITradeGuard.RouteNotAllowed.selector, address(route), other)
            );
        }
    }

    function test_call_data_whose_selector_differs_in_a_bit_is_refused() public {
        for (uint256 bit; bit < 32; ++bit) {
            Trade memory trade = _trade();
            bytes4 other = trade.intent.selector ^ bytes4(uint32(1 << bit));
            for (uint256 i; i < 4; ++i) trade.routeCallData[i] = other[i];
            trade.intent.callDataHash = keccak256(trade.routeCallData);
            _expectRefusedAsCertified(trade, _reason(ITradeGuard.SelectorMismatch.selector, other));
        }
    }

    function test_a_nonce_spends_none_that_differs_in_a_bit() public {
        uint256[3] memory nonces = [uint256(0), 2 ** 200 + 77, type(uint256).max];
        for (uint256 i; i < nonces.length; ++i) {
            nextNonce = nonces[i];
            Trade memory trade = _tradeWith(nonces[i]);
            _execute(trade);
            _expectBothRevert(trade, _reason(ITradeGuard.NonceUsed.selector, OWNER, nonces[i]));
            for (uint256 bit; bit < 256; ++bit) {
                uint256 other = nonces[i] ^ (1 << bit);
                expect(!guard.isNonceUsed(OWNER, other), "another nonce");
                if (bit % 16 != 15) continue;
                trade.intent.nonce = other;
                _certifyAgain(trade);
                _executeFor(trade);
            }
        }
    }

    function test_to_invalidate_a_word_invalidates_none_that_differs_in_a_bit() public {
        vm.prank(OWNER);
        guard.invalidateNonces(0, type(uint256).max);
        for (uint256 bit; bit < 248; ++bit) expect(!guard.isNonceUsed(OWNER, 1 << (bit + 8)), "another word");
        for (uint256 bit; bit < 256; ++bit) expect(guard.isNonceUsed(OWNER, bit), "all of the word");
    }

    /*//////////////////////////////////////////////////////////////
                                 HELPERS
    //////////////////////////////////////////////////////////////*/

    /// @dev A trade of two new tokens; the owner has exactly the amount in, and the route what it gives.
    function _fresh(
        uint256 amountIn,
        uint256 take,
        uint256 minimum,
        uint256 give
    ) private returns (PlainToken from, PlainToken to, Trade memory trade) {
        (from, to) = (new PlainToken("FROM", 18), new PlainToken("TO", 18));
        _approveAll(from, amountIn);
        to.mint(address(route), give);
        TradeIntent memory intent = _intent(address(from), address(to));
        (intent.amountIn, intent.minAmountOut, intent.nonce) = (amountIn, minimum, nextNonce++);
        trade = _certify(intent, _swapData(address(from), address(to), take, give));
    }

    function _approveAll(PlainToken token, uint256 amount) private {
        token.mint(OWNER, amount);
        vm.prank(OWNER);
        token.approve(address(guard), type(uint256).max);
    }

    function _payTo(Trade memory trade, address recipient) private {
        _allowRecipient(recipient);
        trade.intent.recipient = recipient;
        _certifyAgain(trade);
    }

    function _exactly(
        ExactRoute exact,
        address from,
        uint256 amountIn,
        uint256 take
    ) private returns (Trade memory) {
        TradeIntent memory intent = _intent(from, address(output));
        (intent.route, intent.amountIn, intent.nonce) = (address(exact), amountIn, nextNonce++);
        return
            _certify(
                intent,
                abi.encodeCall(
                    ExactRoute.swap,
                    (IERC20(from), IERC20(address(output)), amountIn, take, AMOUNT_OUT)
                )
            );
    }
}
