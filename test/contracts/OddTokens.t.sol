// SPDX-License-Identifier: MIT
pragma solidity 0.8.35;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {ITradeGuard, TradeIntent} from "../../contracts/ITradeGuard.sol";
import {GuardFixture, Trade} from "../support/contracts/GuardFixture.sol";
import {vm} from "../support/contracts/Vm.sol";
import "../support/contracts/tokens/OddTokens.sol";
import {PlainToken} from "../support/contracts/tokens/PlainToken.sol";

/// @dev With any token, a trade executes correctly or reverts.
contract OddTokensTest is GuardFixture {
    uint256 private nextNonce;

    /*//////////////////////////////////////////////////////////////
                                THE MATRIX
    //////////////////////////////////////////////////////////////*/

    /// @dev Tokens whose transfers move the stated amount, odd in other ways.
    function _exactTokens() private returns (address[13] memory) {
        return
            [
                address(new PlainToken("TWO", 2)),
                address(new PlainToken("TWENTYFOUR", 24)),
                address(new MissingReturnToken()),
                address(new ApprovalRaceToken()),
                address(new ZeroApprovalRefusingToken()),
                address(new ZeroTransferRefusingToken()),
                address(new FalseReturningToken()),
                address(new BlockingToken()),
                address(new Uint96Token()),
                address(new SelfTransferToken()),
                address(new MaxMeansAllToken()),
                address(new HookToken()),
                address(new StrictToken())
            ];
    }

    function test_every_exact_token_trades_for_every_other_with_and_without_a_seed() public {
        address[13] memory tokens = _exactTokens();
        for (uint256 i; i < tokens.length; ++i) {
            for (uint256 j; j < tokens.length; ++j) {
                if (i != j) _expectExactTrade(tokens[i], tokens[j], 0);
            }
        }
        for (uint256 i; i < tokens.length; ++i) PlainToken(tokens[i]).mint(executor, 1);
        for (uint256 i; i < tokens.length; ++i) {
            for (uint256 j; j < tokens.length; ++j) {
                if (i != j) _expectExactTrade(tokens[i], tokens[j], 1);
            }
        }
    }

    function _expectExactTrade(address from, address to, uint256 seed) private {
        _fund(from, OWNER, AMOUNT_IN);
        PlainToken(to).mint(address(route), AMOUNT_OUT);
        uint256 fromBefore = IERC20(from).balanceOf(OWNER);
        uint256 toBefore = IERC20(to).balanceOf(OWNER);

        Trade memory trade = _nextSwap(from, to, AMOUNT_IN, AMOUNT_OUT);
        uint256 amountOut = nextNonce % 2 == 0 ? _execute(trade) : _executeFor(trade);

        expectEqual(amountOut, AMOUNT_OUT, "amount out");
        expectEqual(fromBefore - IERC20(from).balanceOf(OWNER), AMOUNT_IN, "spent");
        expectEqual(IERC20(to).balanceOf(OWNER) - toBefore, AMOUNT_OUT, "received");
        _expectNothingLeft(from, address(route), seed);
        _expectNothingLeft(to, address(route), seed);
        // An approval race token refuses the next approval of the guard unless this one was used or cleared.
        vm.prank(OWNER);
        (bool success, ) = from.call(abi.encodeCall(IERC20.approve, (address(guard), 0)));
        success;
    }

    function test_a_partial_spend_clears_the_allowance_of_every_token_that_lets_it() public {
        address[13] memory tokens = _exactTokens();
        for (uint256 i; i < tokens.length; ++i) {
            _fund(tokens[i], OWNER, AMOUNT_IN);
            bytes memory data = _swapData(tokens[i], address(output), AMOUNT_IN / 2, AMOUNT_OUT);
            Trade memory trade = _certify(_next(tokens[i], address(output)), data);
            if (i == 4) {
                // It refuses to approve zero, so the allowance would stay.
                vm.expectRevert(
                    _reason(
                        ITradeGuard.AllowanceNotCleared.selector,
                        tokens[i],
                        address(route),
                        AMOUNT_IN - AMOUNT_IN / 2
                    )
                );
                _execute(trade);
            } else {
                _execute(trade);
                expectEqual(IERC20(tokens[i]).balanceOf(OWNER), AMOUNT_IN - AMOUNT_IN / 2, "refund");
                _expectNothingLeft(tokens[i], address(route), 0);
            }
        }
    }

    /*//////////////////////////////////////////////////////////////
                             TRANSFER FEES
    //////////////////////////////////////////////////////////////*/

    function testFuzz_a_fee_on_the_input_trades_if_the_route_spends_what_arrives(uint256 feeBps) public {
        feeBps = between(feeBps, 1, 5_000);
        FeeToken token = new FeeToken(feeBps);
        _fund(address(token), OWNER, AMOUNT_IN);
        uint256 arrives = AMOUNT_IN - (AMOUNT_IN * feeBps) / 10_000;

        Trade memory trade = _nextSwap(address(token), address(output), arrives, AMOUNT_OUT);
        _execute(trade);

        expectEqual(token.balanceOf(OWNER), 0, "the owner paid the amount in");
        expectEqual(output.balanceOf(OWNER), AMOUNT_OUT, "received");
        _expectNothingLeft(address(token), address(route), 0);
    }

    function test_a_fee_on_the_input_reverts_if_the_route_wants_all_of_it() public {
        FeeToken token = new FeeToken(100);
        _fund(address(token), OWNER, AMOUNT_IN);
        Trade memory trade = _nextSwap(address(token), address(output), AMOUNT_IN, AMOUNT_OUT);

        _expectBothRevert(
            trade,
            _reason(
                ITradeGuard.RouteFailed.selector,
                address(route),
                abi.encodeWithSignature("Error(string)", "balance")
            )
        );
    }

    function testFuzz_a_fee_on_the_output_counts_against_the_minimum(uint256 feeBps) public {
        feeBps = between(feeBps, 1, 5_000);
        FeeToken token = new FeeToken(feeBps);
        token.mint(address(route), AMOUNT_OUT);
        uint256 delivered = AMOUNT_OUT - (AMOUNT_OUT * feeBps) / 10_000;
        uint256 received = delivered - (delivered * feeBps) / 10_000;
        TradeIntent memory intent = _next(address(input), address(token));
        bytes memory data = _swapData(address(input), address(token), AMOUNT_IN, AMOUNT_OUT);

        intent.minAmountOut = received + 1;
        _expectBothRevert(
            _certify(intent, data),
            _reason(ITradeGuard.ReceivedBelowMinimum.selector, received, received + 1)
        );

        intent.minAmountOut = received;
        expectEqual(_execute(_certify(intent, data)), received, "amount out is what arrived");
        expectEqual(token.balanceOf(OWNER), received, "received");
        _expectNothingLeft(address(token), address(route), 0);
    }

    /*//////////////////////////////////////////////////////////////
                                REBASING
    //////////////////////////////////////////////////////////////*/

    function testFuzz_a_token_of_shares_can_be_sold(uint256 index, uint256 amountIn, uint256 seed) public {
        RebasingToken token = _rebasing(index);
        amountIn = between(amountIn, 1e6, 1e24);
        _fund(address(token), OWNER, amountIn);
        token.mint(executor, between(seed, 0, 1e24));
        uint256 seeded = token.balanceOf(executor);
        TradeIntent memory intent = _next(address(token), address(output));
        intent.amountIn = amountIn;

        _execute(_certify(intent, _swapData(address(token), address(output), amountIn, AMOUNT_OUT)));

        expectEqual(output.balanceOf(OWNER), AMOUNT_OUT, "received");
        expectEqual(token.balanceOf(executor), seeded, "what lay there lies there");
        expectEqual(token.allowance(executor, address(route)), 0, "allowance");
    }

    function testFuzz_a_token_of_shares_can_be_bought(uint256 index, uint256 give) public {
        RebasingToken token = _rebasing(index);
        give = between(give, 1e6, 1e24);
        token.mint(address(route), give);
        TradeIntent memory intent = _next(address(input), address(token));
        // Two transfers may each lose less than one share to rounding.
        uint256 rounding = 2 * (token.index() / 1e18 + 1);
        intent.minAmountOut = give - rounding;

        uint256 amountOut = _execute(
            _certify(intent, _swapData(address(input), address(token), AMOUNT_IN, give))
        );

        expect(amountOut <= give && amountOut >= give - rounding, "amount out");
        expectEqual(token.balanceOf(OWNER), amountOut, "received");
        expect(token.balanceOf(executor) <= token.index() / 1e18 + 1, "rounding alone stays");
    }

    /*//////////////////////////////////////////////////////////////
                          TOKENS THAT FAIL OR LIE
    //////////////////////////////////////////////////////////////*/

    function test_an_input_that_returns_false_reverts_whoever_sends_and_whoever_is_paid() public {
        FalseReturningToken token = new FalseReturningToken();
        _fund(address(token), OWNER, AMOUNT_IN);
        token.breakDown(true);
        Trade memory trade = _nextSwap(address(token), address(output), AMOUNT_IN, AMOUNT_OUT);
        bytes memory failed = _reason(
            ITradeGuard.TokenCallFailed.selector,
            address(token),
            abi.encode(false)
        );
        address[3] memory relayers = _rotatedSigners();
        for (uint256 i; i < relayers.length; ++i) _expectBothRevert(relayers[i], trade, failed);
        _allowRecipient(RECIPIENT);
        trade.intent.recipient = RECIPIENT;
        _expectRefusedAsCertified(trade, failed);
    }

    function test_an_approval_that_a_token_does_not_carry_out_reverts() public {
        StubbornToken token = new StubbornToken();
        _fund(address(token), OWNER, AMOUNT_IN);
        Trade memory trade = _nextSwap(address(token), address(output), AMOUNT_IN, AMOUNT_OUT);
        bytes[5] memory answers = [bytes(""), "no", abi.encode(false), abi.encode(2), new bytes(31)];
        for (uint256 i; i < answers.length; ++i) {
            token.answer(executor, i < 2, answers[i]);
            _expectBothRevert(
                trade,
                _reason(ITradeGuard.TokenCallFailed.selector, address(token), answers[i])
            );
        }
    }

    function test_an_allowance_that_stands_is_replaced_through_zero() public {
        ApprovalRaceToken token = new ApprovalRaceToken();
        uint256 amount = 2 ** 130;
        token.mint(OWNER, amount);
        vm.prank(OWNER);
        token.approve(address(guard), amount);
        vm.prank(executor);
        token.approve(address(route), 1);
        TradeIntent memory intent = _intent(address(token), address(output));
        intent.amountIn = amount;
        _execute(_certify(intent, _swapData(address(token), address(output), amount, AMOUNT_OUT)));
        expectEqual(token.balanceOf(address(route)), amount, "spent");
        expectEqual(token.allowance(executor, address(route)), 0, "allowance afterwards");
    }

    function test_an_input_that_only_claims_to_move_buys_nothing() public {
        LyingToken token = new LyingToken();
        _fund(address(token), OWNER, AMOUNT_IN);
        Trade memory trade = _nextSwap(address(token), address(output), AMOUNT_IN, 0);

        _expectBothRevert(trade, _reason(ITradeGuard.OutputBelowMinimum.selector, 0, MIN_OUT));
    }

    function test_an_output_that_only_claims_to_move_is_not_accepted() public {
        LyingToken token = new LyingToken();
        token.mint(address(route), AMOUNT_OUT);
        Trade memory trade = _nextSwap(address(input), address(token), AMOUNT_IN, AMOUNT_OUT);

        _expectBothRevert(trade, _reason(ITradeGuard.OutputBelowMinimum.selector, 0, MIN_OUT));
    }

    function test_a_paused_token_or_a_blocked_account_reverts_and_spends_no_nonce() public {
        BlockingToken token = new BlockingToken();
        token.mint(address(route), AMOUNT_OUT);
        Trade memory trade = _nextSwap(address(input), address(token), AMOUNT_IN, AMOUNT_OUT);

        token.blockAccount(OWNER, true);
        bytes memory blocked = abi.encodeWithSignature("Error(string)", "blocked");
        _expectBothRevert(trade, _reason(ITradeGuard.TokenCallFailed.selector, address(token), blocked));
        token.blockAccount(OWNER, false);
        token.pause(true);
        _expectBothRevert(
            trade,
            _reason(
                ITradeGuard.RouteFailed.selector,
                address(route),
                abi.encodeWithSignature("Error(string)", "paused")
            )
        );
        token.pause(false);
        _execute(trade);
    }

    function test_a_token_that_does_not_tell_balances_reverts() public {
        address[2] memory tokens = [address(new ShortAnswerToken()), address(new RevertingToken())];
        for (uint256 i; i < tokens.length; ++i) {
            bytes memory expected = _reason(ITradeGuard.BalanceUnreadable.selector, tokens[i]);
            _expectBothRevert(
                _certify(_next(tokens[i], address(output)), _swapData(AMOUNT_IN, AMOUNT_OUT)),
                expected
            );
            _expectBothRevert(
                _certify(_next(address(input), tokens[i]), _swapData(AMOUNT_IN, AMOUNT_OUT)),
                expected
            );
        }
    }

    function test_an_output_that_falls_silent_reverts_whenever_it_does() public {
        _outputFallsSilent(OWNER);
        _outputFallsSilent(RECIPIENT);
    }

    function _outputFallsSilent(address recipient) private {
        FallingSilentToken token = new FallingSilentToken();
        token.mint(address(route), AMOUNT_OUT);
        Trade memory trade = _certify(
            _nextFor(recipient, address(input), address(token)),
            _swapData(address(input), address(token), AMOUNT_IN, AMOUNT_OUT)
        );

        // It moves twice: from the route to the executor, and from there to the recipient.
        for (uint256 moves; moves < 2; ++moves) {
            token.silenceBalance(executor, moves);
            _expectBothRevert(trade, _unreadable(ITradeGuard.BalanceUnreadable.selector, token));
            token.silenceBalance(recipient, 2 * moves);
            _expectBothRevert(trade, _unreadable(ITradeGuard.BalanceUnreadable.selector, token));
        }
        // Nobody asks what the executor has left after the payment.
        token.silenceBalance(executor, 2);
        _execute(trade);
        token.silenceBalance(address(0), 0);
        expectEqual(token.balanceOf(recipient), AMOUNT_OUT, "output");
    }

    function test_one_question_without_an_answer_is_enough_whoever_is_paid() public {
        address[2] memory recipients = [OWNER, RECIPIENT];
        for (uint256 i; i < recipients.length; ++i) {
            WakingToken token = new WakingToken();
            token.mint(address(route), AMOUNT_OUT);
            Trade memory trade = _certify(
                _nextFor(recipients[i], address(input), address(token)),
                _swapData(address(input), address(token), AMOUNT_IN, AMOUNT_OUT)
            );
            token.silenceBalanceUntilMoved(executor);
            _expectBothRevert(trade, _reason(ITradeGuard.BalanceUnreadable.selector, address(token)));

            token = new WakingToken();
            _fund(address(token), OWNER, AMOUNT_IN);
            trade = _certify(
                _nextFor(recipients[i], address(token), address(output)),
                _swapData(address(token), address(output), AMOUNT_IN - 1, AMOUNT_OUT)
            );
            // It approves once for the route, and would answer again after its allowance is taken back.
            token.silenceAllowances(2);
            _expectBothRevert(trade, _reason(ITradeGuard.AllowanceUnreadable.selector, address(token)));
        }
    }

    function test_a_token_that_refuses_to_move_zero_is_not_asked_to_however_much_lies_in_the_executor()
        public
    {
        ZeroTransferRefusingToken token = new ZeroTransferRefusingToken();
        _fund(address(token), OWNER, AMOUNT_IN);
        token.mint(executor, (1 << 200) + 7);
        _execute(_nextSwap(address(token), address(output), AMOUNT_IN, AMOUNT_OUT));
        expectEqual(token.balanceOf(executor), (1 << 200) + 7, "what lay there stays");
    }

    function test_an_input_that_falls_silent_reverts_whenever_it_does() public {
        _inputFallsSilent(OWNER);
        _inputFallsSilent(RECIPIENT);
    }

    function _inputFallsSilent(address recipient) private {
        FallingSilentToken token = new FallingSilentToken();
        _fund(address(token), OWNER, AMOUNT_IN);
        Trade memory trade = _certify(
            _nextFor(recipient, address(token), address(output)),
            _swapData(address(token), address(output), AMOUNT_IN - 1, AMOUNT_OUT)
        );

        // It moves from the owner to the executor and from there to the route, and a unit goes back.
        for (uint256 moves; moves < 3; ++moves) {
            token.silenceBalance(executor, moves);
            _expectBothRevert(trade, _unreadable(ITradeGuard.BalanceUnreadable.selector, token));
        }
        // The allowance of the route, and what is left of it once it has been taken back.
        for (uint256 approvals = 1; approvals < 3; ++approvals) {
            token.silenceAllowances(approvals);
            _expectBothRevert(trade, _unreadable(ITradeGuard.AllowanceUnreadable.selector, token));
        }
        token.silenceBalance(executor, 3);
        _execute(trade);
        token.silenceBalance(address(0), 0);
        expectEqual(token.balanceOf(OWNER), 1, "refund");
    }

    function _unreadable(bytes4 selector, FallingSilentToken token) private pure returns (bytes memory) {
        return abi.encodeWithSelector(selector, address(token));
    }

    function test_two_addresses_of_one_token_count_the_same_units_once() public {
        TwoAddressToken token = new TwoAddressToken();
        address second = address(token.SECOND());
        _fund(address(token), OWNER, AMOUNT_IN);
        token.mint(executor, AMOUNT_IN);
        token.mint(address(route), AMOUNT_IN);

        // The route gives some and takes nothing: it comes back as output, and the input as a refund, and no more.
        Trade memory gift = _nextSwap(address(token), second, 0, AMOUNT_OUT);
        _execute(gift);
        expectEqual(token.balanceOf(OWNER), AMOUNT_IN + AMOUNT_OUT, "owner");
        expectEqual(token.balanceOf(executor), AMOUNT_IN, "executor");

        // Nothing comes back: the input that lies there is no output.
        token.approve(address(guard), 0);
        Trade memory nothing = _nextSwap(address(token), second, 0, 0);
        vm.prank(OWNER);
        token.approve(address(guard), AMOUNT_IN);
        vm.expectRevert(_reason(ITradeGuard.OutputBelowMinimum.selector, 0, MIN_OUT));
        _execute(nothing);
    }

    function test_an_amount_that_means_everything_is_traded_and_leaves_no_allowance() public {
        MaxMeansAllToken token = new MaxMeansAllToken();
        token.mint(OWNER, AMOUNT_IN);
        vm.prank(OWNER);
        token.approve(address(guard), type(uint256).max);
        TradeIntent memory intent = _next(address(token), address(output));
        intent.amountIn = type(uint256).max;

        _execute(_certify(intent, _swapData(address(token), address(output), AMOUNT_IN, AMOUNT_OUT)));

        _expectNothingLeft(address(token), address(route), 0);
        expectEqual(output.balanceOf(OWNER), AMOUNT_OUT, "received");
    }

    function _rebasing(uint256 index) private returns (RebasingToken token) {
        token = new RebasingToken();
        token.rebase(between(index, 0.01e18, 100e18));
    }

    function _nextFor(
        address recipient,
        address from,
        address to
    ) private returns (TradeIntent memory intent) {
        if (recipient != OWNER) _allowRecipient(recipient);
        intent = _next(from, to);
        intent.recipient = recipient;
    }

    function _next(address from, address to) private returns (TradeIntent memory intent) {
        intent = _intent(from, to);
        intent.nonce = nextNonce++;
    }

    function _nextSwap(address from, address to, uint256 take, uint256 give) private returns (Trade memory) {
        return _certify(_next(from, to), _swapData(from, to, take, give));
    }
}
