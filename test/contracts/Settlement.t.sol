// SPDX-License-Identifier: MIT
pragma solidity 0.8.35;

import {IERC20Errors} from "@openzeppelin/contracts/interfaces/draft-IERC6093.sol";
import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {ITradeGuard, TradeIntent} from "../../contracts/ITradeGuard.sol";
import {startOfReturnData} from "../../contracts/RouteExecutor.sol";
import {GuardFixture, Trade} from "../support/contracts/GuardFixture.sol";
import {firstBytes} from "../support/contracts/Trades.sol";
import {Log, vm} from "../support/contracts/Vm.sol";
import {ExactRoute, HonestRoute, ShrinkingRoute} from "../support/contracts/routes/HonestRoute.sol";
import {
    AllowanceAtTransfer,
    Benefactor,
    BombToken,
    FeeToken,
    HookToken,
    OneUnitFeeToken,
    RebasingToken,
    ShrinkingApprovalToken
} from "../support/contracts/tokens/OddTokens.sol";
import {PlainToken} from "../support/contracts/tokens/PlainToken.sol";

/// @dev What a trade moves: how much, from whom, to whom, and what it leaves behind.
contract SettlementTest is GuardFixture {
    /// @dev Far more than any trade has.
    uint256 private constant LYING = (1 << 200) + 7;
    uint256 private nextNonce;

    function _amounts() private pure returns (uint256[7] memory) {
        return [1, 2, 2 ** 64, 2 ** 128 - 1, 2 ** 128 + 1, 2 ** 255 + 2 ** 128, type(uint256).max];
    }

    /*//////////////////////////////////////////////////////////////
                                AMOUNTS
    //////////////////////////////////////////////////////////////*/

    function test_the_owner_pays_the_input_and_receives_the_output() public {
        Trade memory trade = _trade();
        _expectEvent(trade, AMOUNT_IN, AMOUNT_OUT);
        expectEqual(_execute(trade), AMOUNT_OUT, "amount out");
        expectEqual(input.balanceOf(OWNER), 1_000_000e18 - AMOUNT_IN, "spent");
        expectEqual(output.balanceOf(OWNER), AMOUNT_OUT, "received");
        _expectNothingLeft(address(input), address(route), 0);
        _expectNothingLeft(address(output), address(route), 0);
    }

    function test_amounts_of_any_size_are_spent_and_refunded_to_the_unit() public {
        uint256[7] memory amounts = _amounts();
        for (uint256 i; i < amounts.length; ++i) {
            uint256 amount = amounts[i];
            _expectExact(amount, amount, amount);
            _expectExact(amount, amount - 1, amount);
            _expectExact(amount, amount / 2, 1);
            _expectExact(amount, 0, amount);
        }
    }

    function _expectExact(uint256 amountIn, uint256 take, uint256 give) private {
        (PlainToken from, PlainToken to, Trade memory trade) = _fresh(amountIn, take, give, give);
        _expectEvent(trade, take, give);
        expectEqual(_relay(trade), give, "amount out");
        expectEqual(from.balanceOf(OWNER), amountIn - take, "refund");
        expectEqual(from.balanceOf(address(route)), take, "spent");
        expectEqual(to.balanceOf(OWNER), give, "received");
        _expectNothingLeft(address(from), address(route), 0);
        _expectNothingLeft(address(to), address(route), 0);
    }

    function test_a_unit_below_a_minimum_of_any_size_is_refused() public {
        uint256[7] memory amounts = _amounts();
        for (uint256 i; i < amounts.length; ++i) {
            (, , Trade memory trade) = _fresh(1, 1, amounts[i], amounts[i] - 1);
            _expectRefused(
                trade,
                _reason(ITradeGuard.OutputBelowMinimum.selector, amounts[i] - 1, amounts[i])
            );
        }
    }

    function test_a_unit_less_received_than_a_minimum_of_any_size_is_refused_whoever_is_paid() public {
        uint256[7] memory amounts = _amounts();
        address[3] memory recipients = [OWNER, RECIPIENT, address(route)];
        for (uint256 j; j < recipients.length; ++j) _allowRecipient(recipients[j]);
        for (uint256 i; i < amounts.length; ++i) {
            for (uint256 j; j < recipients.length; ++j) {
                OneUnitFeeToken to = new OneUnitFeeToken(executor);
                to.mint(address(route), amounts[i]);
                // As much as there can be.
                to.mint(recipients[j], type(uint256).max - amounts[i]);
                Trade memory trade = _swap(address(input), address(to), AMOUNT_IN, amounts[i]);
                (trade.intent.minAmountOut, trade.intent.recipient) = (amounts[i], recipients[j]);
                _expectRefusedAsCertified(
                    trade,
                    _reason(ITradeGuard.ReceivedBelowMinimum.selector, amounts[i] - 1, amounts[i])
                );
            }
        }
    }

    function test_an_amount_that_the_owner_does_not_have_or_did_not_approve_is_not_taken() public {
        uint256[7] memory amounts = _amounts();
        for (uint256 i = 1; i < amounts.length; ++i) {
            (PlainToken from, , Trade memory trade) = _fresh(1, 0, 1, 1);
            trade.intent.amountIn = amounts[i];
            _certifyAgain(trade);
            vm.expectRevert();
            _execute(trade);
            expectEqual(from.balanceOf(OWNER), 1, "nothing moved");
        }
        vm.prank(OWNER);
        input.approve(address(guard), AMOUNT_IN - 1);
        bytes memory short = _reason(
            IERC20Errors.ERC20InsufficientAllowance.selector,
            address(guard),
            AMOUNT_IN - 1,
            AMOUNT_IN
        );
        _expectRefused(_trade(), _reason(ITradeGuard.TokenCallFailed.selector, address(input), short));
        expect(!guard.isNonceUsed(OWNER, 0), "a revert spends no nonce");
    }

    /*//////////////////////////////////////////////////////////////
                        ALLOWANCE OF THE ROUTE
    //////////////////////////////////////////////////////////////*/

    function test_the_route_is_approved_for_exactly_the_amount_in() public {
        ExactRoute exact = _exactRoute();
        uint256[7] memory amounts = _amounts();
        for (uint256 i; i < amounts.length; ++i) {
            PlainToken from = new PlainToken("FROM", 18);
            from.mint(OWNER, amounts[i]);
            vm.prank(OWNER);
            from.approve(address(guard), type(uint256).max);
            // One unit lies there already, where there can be one more.
            uint256 seed = amounts[i] == type(uint256).max ? 0 : 1;
            from.mint(executor, seed);
            _relay(_exactly(exact, address(from), amounts[i], amounts[i]));
            _expectNothingLeft(address(from), address(exact), seed);
        }
    }

    function test_a_route_is_given_all_the_gas_there_is() public {
        ExactRoute exact = _exactRoute();
        bytes memory call = _ownerCall(_exactly(exact, address(input), AMOUNT_IN, AMOUNT_IN));
        vm.prank(OWNER);
        (bool success, ) = address(guard).call{gas: 3_000_000}(call);
        expect(success && exact.gasOnEntry() > 2_500_000, "but for what the calls keep back");
    }

    function test_a_route_has_no_allowance_left_when_the_recipient_is_paid() public {
        HookToken hooked = new HookToken();
        hooked.mint(address(route), AMOUNT_OUT);
        AllowanceAtTransfer hook = new AllowanceAtTransfer(input, executor, address(route));
        hooked.setHook(hook);
        _execute(_swap(address(input), address(hooked), AMOUNT_IN - 1, AMOUNT_OUT));
        expectEqual(hook.last(), 0, "allowance of the route at the payment");
    }

    function _exactRoute() private returns (ExactRoute exact) {
        exact = new ExactRoute();
        output.mint(address(exact), 1_000 * AMOUNT_OUT);
        _allow(address(exact), ExactRoute.swap.selector);
    }

    function _exactly(
        ExactRoute exact,
        address from,
        uint256 amountIn,
        uint256 take
    ) private returns (Trade memory) {
        TradeIntent memory intent = _intent(from, address(output));
        (intent.route, intent.amountIn, intent.nonce) = (address(exact), amountIn, nextNonce++);
        bytes memory data = abi.encodeCall(
            ExactRoute.swap,
            (IERC20(from), IERC20(address(output)), amountIn, take, AMOUNT_OUT)
        );
        return _certify(intent, data);
    }

    /*//////////////////////////////////////////////////////////////
                                REFUNDS
    //////////////////////////////////////////////////////////////*/

    function test_input_that_the_route_gives_back_returns_to_the_owner() public {
        _expectGivenBack(AMOUNT_IN, 100e18, AMOUNT_IN - 100e18);
        // More than was taken: nothing is spent, and the gift is the owner's.
        _expectGivenBack(AMOUNT_IN, AMOUNT_IN + 5, 0);
        _expectGivenBack(AMOUNT_IN, AMOUNT_IN + (1 << 200) + 1, 0);
    }

    function _expectGivenBack(uint256 take, uint256 back, uint256 spent) private {
        input.mint(address(route), back);
        TradeIntent memory intent = _intent();
        intent.nonce = nextNonce++;
        bytes memory data = abi.encodeCall(
            HonestRoute.swapWithRefund,
            (IERC20(input), IERC20(output), take, back, AMOUNT_OUT, executor)
        );
        Trade memory trade = _certify(intent, data);
        uint256 held = input.balanceOf(OWNER);
        _expectEvent(trade, spent, AMOUNT_OUT);
        _execute(trade);
        expectEqual(input.balanceOf(OWNER), held - take + back, "returned");
        _expectNothingLeft(address(input), address(route), 0);
    }

    /*//////////////////////////////////////////////////////////////
                       WHAT COUNTS AS OUTPUT
    //////////////////////////////////////////////////////////////*/

    function test_what_lay_in_the_executor_counts_for_nothing_and_stays() public {
        (PlainToken from, PlainToken to, Trade memory trade) = _fresh(
            AMOUNT_IN,
            AMOUNT_IN - 5,
            AMOUNT_OUT,
            AMOUNT_OUT
        );
        from.mint(executor, LYING);
        to.mint(executor, LYING);
        to.mint(OWNER, LYING);
        expectEqual(_relay(trade), AMOUNT_OUT, "amount out");
        expectEqual(from.balanceOf(executor), LYING, "input that lies in the executor stays");
        expectEqual(to.balanceOf(executor), LYING, "and output");
        expectEqual(from.balanceOf(OWNER), 5, "refund");
        expectEqual(to.balanceOf(OWNER), LYING + AMOUNT_OUT, "received");

        (, to, trade) = _fresh(AMOUNT_IN, AMOUNT_IN, MIN_OUT, 0);
        to.mint(executor, LYING);
        _expectRefused(trade, _below(0));
    }

    function test_a_unit_taken_from_what_lies_in_the_executor_is_refused() public {
        FeeToken from = new FeeToken(100);
        _fund(address(from), OWNER, 10_000);
        from.mint(executor, LYING);
        Trade memory trade = _swap(address(from), address(output), 9_901, AMOUNT_OUT);
        trade.intent.amountIn = 10_000;
        _expectRefusedAsCertified(trade, _reason(ITradeGuard.InputOverspent.selector, LYING - 1, LYING));
    }

    function test_what_the_recipient_gets_from_elsewhere_is_not_the_amount_out() public {
        HookToken token = new HookToken();
        token.mint(address(route), AMOUNT_OUT);
        token.setHook(new Benefactor(PlainToken(address(token)), OWNER));
        Trade memory trade = _swap(address(input), address(token), AMOUNT_IN, AMOUNT_OUT);
        _expectEvent(trade, AMOUNT_IN, AMOUNT_OUT);
        expectEqual(_execute(trade), AMOUNT_OUT, "amount out");
        expectEqual(token.balanceOf(OWNER), AMOUNT_OUT + 5, "received");
    }

    function test_a_balance_that_shrinks_during_the_route_is_no_output() public {
        ShrinkingRoute shrinking = new ShrinkingRoute();
        _allow(address(shrinking), ShrinkingRoute.swap.selector);
        RebasingToken token = new RebasingToken();
        token.mint(executor, AMOUNT_OUT);
        TradeIntent memory intent = _intent(address(input), address(token));
        intent.route = address(shrinking);
        _expectRefused(_certify(intent, abi.encodeCall(ShrinkingRoute.swap, (token))), _below(0));
    }

    /// @dev Otherwise what lay there before would make up for it.
    function test_output_is_measured_after_the_allowance_is_taken_back() public {
        RebasingToken to = new RebasingToken();
        to.rebase(1e18);
        to.mint(executor, AMOUNT_OUT);
        to.mint(address(route), 2 * AMOUNT_OUT);
        ShrinkingApprovalToken from = new ShrinkingApprovalToken(to);
        _fund(address(from), OWNER, AMOUNT_IN);
        _expectRefused(_swap(address(from), address(to), AMOUNT_IN - 1, AMOUNT_OUT), _below(0));
    }

    function test_a_route_that_is_the_recipient_has_to_deliver_like_any_other() public {
        _allowRecipient(address(route));
        uint256 held = output.balanceOf(address(route));
        expectEqual(_execute(_tradeTo(address(route))), AMOUNT_OUT, "amount out");
        expectEqual(output.balanceOf(address(route)), held, "the route has its own back");

        // What it keeps to begin with, and holds the whole time, is not what it received.
        Trade memory keeping = _swap(AMOUNT_IN, 0);
        (keeping.intent.recipient, keeping.intent.nonce) = (address(route), 1);
        _expectRefusedAsCertified(keeping, _below(0));
    }

    function _below(uint256 delivered) private pure returns (bytes memory) {
        return _reason(ITradeGuard.OutputBelowMinimum.selector, delivered, MIN_OUT);
    }

    /*//////////////////////////////////////////////////////////////
                                 EVENT
    //////////////////////////////////////////////////////////////*/

    /// @dev Sent or relayed, with a refund and without, output with a fee and without, paid to the owner or not.
    function test_a_trade_emits_one_event_whose_members_are_true() public {
        _allowRecipient(RECIPIENT);
        for (uint256 choice; choice < 16; ++choice) {
            uint256 spent = choice & 1 == 0 ? AMOUNT_IN : AMOUNT_IN - 7;
            address to = choice & 2 == 0 ? address(output) : address(new FeeToken(10));
            PlainToken(to).mint(address(route), AMOUNT_OUT);
            Trade memory trade = _swap(address(input), to, spent, AMOUNT_OUT);
            trade.intent.recipient = choice & 4 == 0 ? OWNER : RECIPIENT;
            trade.intent.nonce = choice;
            _certifyAgain(trade);
            uint256 held = IERC20(to).balanceOf(trade.intent.recipient);

            vm.recordLogs();
            uint256 amountOut = choice & 8 == 0 ? _execute(trade) : _relay(trade);

            expectEqual(amountOut, IERC20(to).balanceOf(trade.intent.recipient) - held, "returned");
            _expectOnlyEvent(trade, spent, amountOut);
        }
    }

    function _expectOnlyEvent(Trade memory trade, uint256 spent, uint256 received) private {
        Log[] memory logs = vm.getRecordedLogs();
        uint256 found;
        for (uint256 i; i < logs.length; ++i) {
            if (logs[i].emitter != address(guard)) continue;
            ++found;
            expectEqual(logs[i].topics[0], ITradeGuard.TradeExecuted.selector, "event");
            expectEqual(logs[i].topics[1], trade.certificate.jobId, "job");
            expectEqual(logs[i].topics[2], bytes32(uint256(uint160(trade.intent.owner))), "owner");
            expectEqual(logs[i].topics[3], trade.certificate.evidenceHash, "evidence");
            bytes32 data = keccak256(abi.encode(trade.certificate.intentHash, spent, received));
            expectEqual(keccak256(logs[i].data), data, "hash and amounts");
        }
        expectEqual(found, 1, "events of the guard");
    }

    /*//////////////////////////////////////////////////////////////
                        DATA OF A BOUNDED LENGTH
    //////////////////////////////////////////////////////////////*/

    /// @dev The twin of the one block of assembly: Solidity copies all of it, and the first bytes are taken of that.
    function testFuzz_the_start_of_what_a_call_returned_is_the_start_of_all_of_it(bytes memory data) public {
        uint256[6] memory lengths = [uint256(0), 31, 255, 256, 257, 1000];
        for (uint256 i; i < lengths.length; ++i) {
            bytes memory returned = firstBytes(data, lengths[i]);
            (bool success, bytes memory all) = address(this).call(abi.encodeCall(this.fail, (returned)));
            bytes memory start = startOfReturnData();
            expect(!success && keccak256(all) == keccak256(returned), "all of it");
            expectEqual(start.length, all.length < 256 ? all.length : 256, "length");
            expectEqual(keccak256(start), keccak256(firstBytes(all, start.length)), "the same bytes");
        }
    }

    function fail(bytes memory data) external pure {
        assembly ("memory-safe") {
            revert(add(data, 0x20), mload(data))
        }
    }

    /// @dev The token itself pays 2.2 million for so much memory; each copy would cost as much again.
    function test_a_megabyte_with_which_a_token_fails_is_not_copied() public {
        bytes4[5] memory bombs = [
            IERC20.balanceOf.selector,
            IERC20.transferFrom.selector,
            IERC20.approve.selector,
            IERC20.allowance.selector,
            IERC20.transfer.selector
        ];
        for (uint256 i; i < bombs.length; ++i) {
            BombToken token = new BombToken();
            _fund(address(token), OWNER, AMOUNT_IN);
            token.arm(bombs[i]);
            bytes memory data = _ownerCall(_swap(address(token), address(output), AMOUNT_IN - 1, AMOUNT_OUT));
            uint256 before = gasleft();
            (bool success, bytes memory reason) = _try(OWNER, data);
            // An approval is tried again from zero.
            expect(before - gasleft() < (bombs[i] == IERC20.approve.selector ? 5e6 : 2.9e6), "gas");
            expect(!success && reason.length <= 4 + 3 * 32 + 256, "bounded");
        }
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
        from.mint(OWNER, amountIn);
        vm.prank(OWNER);
        from.approve(address(guard), type(uint256).max);
        to.mint(address(route), give);
        TradeIntent memory intent = _intent(address(from), address(to));
        (intent.amountIn, intent.minAmountOut, intent.nonce) = (amountIn, minimum, nextNonce++);
        trade = _certify(intent, _swapData(address(from), address(to), take, give));
    }
}
