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
    uint256 private constant REFUSES_ZERO_APPROVAL = 4;
    uint256 private nextNonce;

    /*//////////////////////////////////////////////////////////////
                    TOKENS THAT MOVE THE STATED AMOUNT
    //////////////////////////////////////////////////////////////*/

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
                address(new TalkativeToken()),
                address(new Uint96Token()),
                address(new SelfTransferToken()),
                address(new MaxMeansAllToken()),
                address(new HookToken()),
                address(new StrictToken())
            ];
    }

    function test_every_exact_token_trades_for_every_other_with_and_without_a_unit_in_the_executor() public {
        address[13] memory tokens = _exactTokens();
        for (uint256 seed; seed < 2; ++seed) {
            for (uint256 i; i < tokens.length; ++i) PlainToken(tokens[i]).mint(executor, seed);
            for (uint256 i; i < tokens.length; ++i) {
                for (uint256 j; j < tokens.length; ++j) {
                    if (i != j) _expectExactTrade(tokens[i], tokens[j], seed);
                }
            }
        }
    }

    function _expectExactTrade(address from, address to, uint256 seed) private {
        _fund(from, OWNER, AMOUNT_IN);
        PlainToken(to).mint(address(route), AMOUNT_OUT);
        uint256 fromBefore = IERC20(from).balanceOf(OWNER);
        uint256 toBefore = IERC20(to).balanceOf(OWNER);

        Trade memory trade = _nextSwap(from, to, AMOUNT_IN, AMOUNT_OUT);
        uint256 amountOut = nextNonce % 2 == 0 ? _execute(trade) : _relay(trade);

        expectEqual(amountOut, AMOUNT_OUT, "amount out");
        expectEqual(fromBefore - IERC20(from).balanceOf(OWNER), AMOUNT_IN, "spent");
        expectEqual(IERC20(to).balanceOf(OWNER) - toBefore, AMOUNT_OUT, "received");
        _expectNothingLeft(from, address(route), seed);
        _expectNothingLeft(to, address(route), seed);
        // Some refuse the guard's next approval unless this one was used or cleared.
        vm.prank(OWNER);
        (bool success, ) = from.call(abi.encodeCall(IERC20.approve, (address(guard), 0)));
        success;
    }

    function test_a_partial_spend_clears_the_allowance_of_every_token_that_lets_it() public {
        address[13] memory tokens = _exactTokens();
        for (uint256 i; i < tokens.length; ++i) {
            _fund(tokens[i], OWNER, AMOUNT_IN);
            Trade memory trade = _nextSwap(tokens[i], address(output), AMOUNT_IN - 9, AMOUNT_OUT);
            if (i == REFUSES_ZERO_APPROVAL) {
                _expectRefused(trade, _notCleared(tokens[i], address(route), 9));
                continue;
            }
            _execute(trade);
            expectEqual(IERC20(tokens[i]).balanceOf(OWNER), 9, "refund");
            _expectNothingLeft(tokens[i], address(route), 0);
        }
    }

    function test_an_allowance_that_stands_is_replaced_through_zero() public {
        ApprovalRaceToken token = new ApprovalRaceToken();
        _fund(address(token), OWNER, AMOUNT_IN);
        vm.prank(executor);
        token.approve(address(route), 1);
        _execute(_nextSwap(address(token), address(output), AMOUNT_IN, AMOUNT_OUT));
        expectEqual(token.balanceOf(address(route)), AMOUNT_IN, "spent");
        expectEqual(token.allowance(executor, address(route)), 0, "allowance afterwards");
    }

    function test_an_amount_that_means_everything_is_traded_and_leaves_no_allowance() public {
        MaxMeansAllToken token = new MaxMeansAllToken();
        token.mint(OWNER, AMOUNT_IN);
        vm.prank(OWNER);
        token.approve(address(guard), type(uint256).max);
        Trade memory trade = _nextSwap(address(token), address(output), AMOUNT_IN, AMOUNT_OUT);
        trade.intent.amountIn = type(uint256).max;
        _certifyAgain(trade);

        _execute(trade);

        _expectNothingLeft(address(token), address(route), 0);
        expectEqual(output.balanceOf(OWNER), AMOUNT_OUT, "received");
    }

    function test_two_addresses_of_one_token_count_the_same_units_once() public {
        TwoAddressToken token = new TwoAddressToken();
        address second = address(token.SECOND());
        _fund(address(token), OWNER, AMOUNT_IN);
        token.mint(executor, AMOUNT_IN);
        token.mint(address(route), AMOUNT_IN);

        // The route gives some and takes nothing: it comes back as output, and the input as a refund, and no more.
        _execute(_nextSwap(address(token), second, 0, AMOUNT_OUT));
        expectEqual(token.balanceOf(OWNER), AMOUNT_IN + AMOUNT_OUT, "owner");
        expectEqual(token.balanceOf(executor), AMOUNT_IN, "executor");

        // Nothing comes back: the input that lies there is no output.
        vm.prank(OWNER);
        token.approve(address(guard), AMOUNT_IN);
        _expectRefused(
            _nextSwap(address(token), second, 0, 0),
            _reason(ITradeGuard.OutputBelowMinimum.selector, 0, MIN_OUT)
        );
    }

    /*//////////////////////////////////////////////////////////////
                        TRANSFER FEES AND REBASES
    //////////////////////////////////////////////////////////////*/

    function testFuzz_a_fee_on_the_input_trades_if_the_route_spends_what_arrives(uint256 feeBps) public {
        feeBps = between(feeBps, 1, 5_000);
        FeeToken token = new FeeToken(feeBps);
        _fund(address(token), OWNER, AMOUNT_IN);
        uint256 arrives = AMOUNT_IN - (AMOUNT_IN * feeBps) / 10_000;
        _expectRefused(
            _nextSwap(address(token), address(output), AMOUNT_IN, AMOUNT_OUT),
            _reason(ITradeGuard.RouteFailed.selector, address(route), _error("balance"))
        );

        _execute(_nextSwap(address(token), address(output), arrives, AMOUNT_OUT));

        expectEqual(token.balanceOf(OWNER), 0, "the owner paid the amount in");
        expectEqual(output.balanceOf(OWNER), AMOUNT_OUT, "received");
        _expectNothingLeft(address(token), address(route), 0);
    }

    function testFuzz_a_fee_on_the_output_counts_against_the_minimum(uint256 feeBps) public {
        feeBps = between(feeBps, 1, 5_000);
        FeeToken token = new FeeToken(feeBps);
        token.mint(address(route), AMOUNT_OUT);
        uint256 delivered = AMOUNT_OUT - (AMOUNT_OUT * feeBps) / 10_000;
        uint256 received = delivered - (delivered * feeBps) / 10_000;
        Trade memory trade = _nextSwap(address(input), address(token), AMOUNT_IN, AMOUNT_OUT);

        trade.intent.minAmountOut = received + 1;
        _expectRefusedAsCertified(
            trade,
            _reason(ITradeGuard.ReceivedBelowMinimum.selector, received, received + 1)
        );
        trade.intent.minAmountOut = received;
        _certifyAgain(trade);
        expectEqual(_execute(trade), received, "amount out is what arrived");
        expectEqual(token.balanceOf(OWNER), received, "received");
        _expectNothingLeft(address(token), address(route), 0);
    }

    function testFuzz_a_token_of_shares_is_sold(uint256 index, uint256 amountIn, uint256 seed) public {
        RebasingToken token = _rebasing(index);
        amountIn = between(amountIn, 1e6, 1e24);
        _fund(address(token), OWNER, amountIn);
        token.mint(executor, between(seed, 0, 1e24));
        uint256 seeded = token.balanceOf(executor);
        Trade memory trade = _nextSwap(address(token), address(output), amountIn, AMOUNT_OUT);
        trade.intent.amountIn = amountIn;
        _certifyAgain(trade);

        _execute(trade);

        expectEqual(output.balanceOf(OWNER), AMOUNT_OUT, "received");
        expectEqual(token.balanceOf(executor), seeded, "what lay there lies there");
        expectEqual(token.allowance(executor, address(route)), 0, "allowance");
    }

    function testFuzz_a_token_of_shares_is_bought(uint256 index, uint256 give) public {
        RebasingToken token = _rebasing(index);
        give = between(give, 1e6, 1e24);
        token.mint(address(route), give);
        // Two transfers may each lose less than one share to rounding.
        uint256 rounding = 2 * (token.index() / 1e18 + 1);
        Trade memory trade = _nextSwap(address(input), address(token), AMOUNT_IN, give);
        trade.intent.minAmountOut = give - rounding;
        _certifyAgain(trade);

        uint256 amountOut = _execute(trade);

        expect(amountOut <= give && amountOut >= give - rounding, "amount out");
        expectEqual(token.balanceOf(OWNER), amountOut, "received");
        expect(token.balanceOf(executor) <= token.index() / 1e18 + 1, "rounding alone stays");
    }

    /*//////////////////////////////////////////////////////////////
                       TOKENS THAT REFUSE OR LIE
    //////////////////////////////////////////////////////////////*/

    function test_an_input_that_returns_false_reverts() public {
        FalseReturningToken token = new FalseReturningToken();
        _fund(address(token), OWNER, AMOUNT_IN);
        token.breakDown(true);
        _expectRefused(
            _nextSwap(address(token), address(output), 0, AMOUNT_OUT),
            _failed(address(token), abi.encode(false))
        );
    }

    function test_an_approval_that_a_token_does_not_carry_out_reverts() public {
        StubbornToken token = new StubbornToken();
        _fund(address(token), OWNER, AMOUNT_IN);
        Trade memory trade = _nextSwap(address(token), address(output), AMOUNT_IN, AMOUNT_OUT);
        bytes[5] memory answers = [bytes(""), "no", abi.encode(false), abi.encode(2), new bytes(31)];
        for (uint256 i; i < answers.length; ++i) {
            token.answer(executor, i < 2, answers[i]);
            _expectRefused(trade, _failed(address(token), answers[i]));
        }
    }

    function test_a_refund_that_a_token_does_not_carry_out_reverts() public {
        MuteRefundToken token = new MuteRefundToken();
        _fund(address(token), OWNER, AMOUNT_IN);
        Trade memory trade = _nextSwap(address(token), address(output), AMOUNT_IN - 1, AMOUNT_OUT);
        token.set(abi.encode(false), false);
        _expectRefused(trade, _failed(address(token), abi.encode(false)));
        token.set("no refund", true);
        _expectRefused(trade, _failed(address(token), "no refund"));
    }

    function test_a_token_that_only_claims_to_move_is_not_accepted() public {
        LyingToken token = new LyingToken();
        _fund(address(token), OWNER, AMOUNT_IN);
        token.mint(address(route), AMOUNT_OUT);
        bytes memory reason = _reason(ITradeGuard.OutputBelowMinimum.selector, 0, MIN_OUT);
        _expectRefused(_nextSwap(address(token), address(output), AMOUNT_IN, 0), reason);
        _expectRefused(_nextSwap(address(input), address(token), AMOUNT_IN, AMOUNT_OUT), reason);
    }

    function test_a_paused_token_or_a_blocked_account_reverts() public {
        BlockingToken token = new BlockingToken();
        token.mint(address(route), AMOUNT_OUT);
        Trade memory trade = _nextSwap(address(input), address(token), AMOUNT_IN, AMOUNT_OUT);
        token.blockAccount(OWNER, true);
        _expectRefused(trade, _failed(address(token), _error("blocked")));
        token.blockAccount(OWNER, false);
        token.pause(true);
        _expectRefused(trade, _reason(ITradeGuard.RouteFailed.selector, address(route), _error("paused")));
        token.pause(false);
        _execute(trade);
    }

    /*//////////////////////////////////////////////////////////////
                        TOKENS THAT DO NOT ANSWER
    //////////////////////////////////////////////////////////////*/

    function test_a_token_that_does_not_tell_balances_reverts() public {
        address[2] memory tokens = [address(new ShortAnswerToken()), address(new RevertingToken())];
        for (uint256 i; i < tokens.length; ++i) {
            _expectRefused(
                _nextSwap(tokens[i], address(output), AMOUNT_IN, AMOUNT_OUT),
                _unreadable(tokens[i])
            );
            _expectRefused(_nextSwap(address(input), tokens[i], AMOUNT_IN, 0), _unreadable(tokens[i]));
        }
    }

    function test_an_output_that_falls_silent_reverts_whenever_it_does() public {
        _allowRecipient(RECIPIENT);
        address[2] memory recipients = [OWNER, RECIPIENT];
        for (uint256 i; i < 2; ++i) {
            FallingSilentToken token = new FallingSilentToken();
            token.mint(address(route), AMOUNT_OUT);
            Trade memory trade = _nextSwap(address(input), address(token), AMOUNT_IN, AMOUNT_OUT);
            trade.intent.recipient = recipients[i];
            _certifyAgain(trade);

            // It moves twice: from the route to the executor, and from there to the recipient.
            for (uint256 moves; moves < 2; ++moves) {
                token.silenceBalance(executor, moves);
                _expectRefused(trade, _unreadable(address(token)));
                token.silenceBalance(recipients[i], 2 * moves);
                _expectRefused(trade, _unreadable(address(token)));
            }
            // Nobody asks what the executor has left after the payment.
            token.silenceBalance(executor, 2);
            _execute(trade);
        }
    }

    function test_an_input_that_falls_silent_reverts_whenever_it_does() public {
        FallingSilentToken token = new FallingSilentToken();
        _fund(address(token), OWNER, AMOUNT_IN);
        Trade memory trade = _nextSwap(address(token), address(output), AMOUNT_IN - 1, AMOUNT_OUT);

        // It moves from the owner to the executor and from there to the route, and a unit goes back.
        for (uint256 moves; moves < 3; ++moves) {
            token.silenceBalance(executor, moves);
            _expectRefused(trade, _unreadable(address(token)));
        }
        // The allowance of the route, and what is left of it once it has been taken back.
        for (uint256 approvals = 1; approvals < 3; ++approvals) {
            token.silenceAllowances(approvals);
            _expectRefused(trade, _reason(ITradeGuard.AllowanceUnreadable.selector, address(token)));
        }
        token.silenceBalance(executor, 3);
        _execute(trade);
    }

    /*//////////////////////////////////////////////////////////////
                                 HELPERS
    //////////////////////////////////////////////////////////////*/

    function _rebasing(uint256 index) private returns (RebasingToken token) {
        token = new RebasingToken();
        token.rebase(between(index, 0.01e18, 100e18));
    }

    function _nextSwap(address from, address to, uint256 take, uint256 give) private returns (Trade memory) {
        TradeIntent memory intent = _intent(from, to);
        intent.nonce = nextNonce++;
        return _certify(intent, _swapData(from, to, take, give));
    }

    function _error(string memory message) private pure returns (bytes memory) {
        return abi.encodeWithSignature("Error(string)", message);
    }

    function _failed(address token, bytes memory answer) private pure returns (bytes memory) {
        return _reason(ITradeGuard.TokenCallFailed.selector, token, answer);
    }

    function _unreadable(address token) private pure returns (bytes memory) {
        return _reason(ITradeGuard.BalanceUnreadable.selector, token);
    }

    function _notCleared(address token, address spender, uint256 left) private pure returns (bytes memory) {
        return _reason(ITradeGuard.AllowanceNotCleared.selector, token, spender, left);
    }
}
