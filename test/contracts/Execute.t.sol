// SPDX-License-Identifier: MIT
pragma solidity 0.8.35;

import {IERC20Errors} from "@openzeppelin/contracts/interfaces/draft-IERC6093.sol";
import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {ITradeGuard, TradeIntent} from "../../contracts/ITradeGuard.sol";
import {GuardFixture, Trade} from "../support/contracts/GuardFixture.sol";
import {MuteRefundToken} from "../support/contracts/tokens/OddTokens.sol";
import {KeyWallet} from "../support/contracts/wallets/Wallets.sol";
import {vm} from "../support/contracts/Vm.sol";
import {HonestRoute, RecordingRoute} from "../support/contracts/routes/HonestRoute.sol";

/// @dev What a trade does when everything is in order, and the bounds on its amounts.
contract ExecuteTest is GuardFixture {
    function test_the_owner_pays_the_input_and_receives_the_output() public {
        Trade memory trade = _trade();
        uint256 inputBefore = input.balanceOf(OWNER);

        uint256 amountOut = _execute(trade);

        expectEqual(amountOut, AMOUNT_OUT, "amount out");
        expectEqual(inputBefore - input.balanceOf(OWNER), AMOUNT_IN, "spent");
        expectEqual(output.balanceOf(OWNER), AMOUNT_OUT, "received");
        _expectNothingLeft(address(input), address(route), 0);
        _expectNothingLeft(address(output), address(route), 0);
    }

    function test_anyone_may_relay_what_the_owner_signed() public {
        Trade memory trade = _trade();

        uint256 amountOut = _executeFor(trade);

        expectEqual(amountOut, AMOUNT_OUT, "amount out");
        expectEqual(output.balanceOf(OWNER), AMOUNT_OUT, "the owner is paid, not the relayer");
        expectEqual(output.balanceOf(STRANGER), 0, "relayer");
        _expectNothingLeft(address(input), address(route), 0);
    }

    function test_an_allowlisted_recipient_is_paid_and_the_refund_stays_with_the_owner() public {
        _allowRecipient(RECIPIENT);
        TradeIntent memory intent = _intent();
        intent.recipient = RECIPIENT;
        Trade memory trade = _certify(intent, _swapData(AMOUNT_IN - 5, AMOUNT_OUT));
        uint256 inputBefore = input.balanceOf(OWNER);

        _execute(trade);

        expectEqual(output.balanceOf(RECIPIENT), AMOUNT_OUT, "recipient's output");
        expectEqual(output.balanceOf(OWNER), 0, "owner's output");
        expectEqual(inputBefore - input.balanceOf(OWNER), AMOUNT_IN - 5, "spent");
        expectEqual(input.balanceOf(RECIPIENT), 0, "recipient's input");
    }

    function test_input_that_the_route_gives_back_returns_to_the_owner() public {
        bytes memory data = abi.encodeCall(
            HonestRoute.swapWithRefund,
            (IERC20(address(input)), IERC20(address(output)), AMOUNT_IN, 100e18, AMOUNT_OUT, executor)
        );
        Trade memory trade = _certify(_intent(), data);
        uint256 inputBefore = input.balanceOf(OWNER);

        _execute(trade);

        expectEqual(inputBefore - input.balanceOf(OWNER), AMOUNT_IN - 100e18, "spent");
        _expectNothingLeft(address(input), address(route), 0);
    }

    function testFuzz_the_route_receives_the_signed_call_data_to_the_byte(
        bytes4 selector,
        bytes memory rest
    ) public {
        vm.assume(selector != 0);
        RecordingRoute recording = new RecordingRoute(IERC20(address(output)), AMOUNT_OUT);
        // RecordingRoute answers to `received()` with what it has, and not with output.
        vm.assume(selector != recording.received.selector);
        output.mint(address(recording), AMOUNT_OUT);
        _allow(address(recording), selector);
        TradeIntent memory intent = _intent();
        intent.route = address(recording);
        bytes memory data = bytes.concat(selector, rest);

        _execute(_certify(intent, data));

        expectEqual(recording.received().length, data.length, "length");
        expect(keccak256(recording.received()) == keccak256(data), "call data");
    }

    function test_a_route_cannot_take_more_than_the_amount_in() public {
        input.mint(executor, 1_000e18);
        Trade memory trade = _swap(AMOUNT_IN + 1, AMOUNT_OUT);
        bytes memory reason = _reason(
            IERC20Errors.ERC20InsufficientAllowance.selector,
            address(route),
            AMOUNT_IN,
            AMOUNT_IN + 1
        );

        _expectBothRevert(trade, _reason(ITradeGuard.RouteFailed.selector, address(route), reason));
    }

    function test_more_input_than_approved_to_the_guard_reverts() public {
        vm.prank(OWNER);
        input.approve(address(guard), AMOUNT_IN - 1);
        Trade memory trade = _trade();

        vm.expectRevert();
        _execute(trade);
        expect(!guard.isNonceUsed(OWNER, 0), "the nonce is not spent by a revert");
    }

    /// @dev A contract that the owner was made to call is not the owner.
    function test_whoever_the_owner_calls_does_not_send_for_the_owner() public {
        Trade memory trade = _trade();
        bytes memory data = _ownerCall(trade);
        _fund(address(input), STRANGER, AMOUNT_IN);
        vm.prank(STRANGER, OWNER);
        (bool success, bytes memory reason) = address(guard).call(data);
        expect(!success, "refused");
        bytes4 refusal =
            _packs() ? ITradeGuard.CertificateSignerUnknown.selector : ITradeGuard.NotOwner.selector;
        expectEqual(bytes4(reason), refusal, "by its name");
    }

    function test_the_refund_of_an_owner_that_is_a_contract_stays_with_it_whoever_is_paid() public {
        _allowRecipient(RECIPIENT);
        address wallet = address(new KeyWallet(OWNER));
        _fund(address(input), wallet, AMOUNT_IN);
        Trade memory trade = _swap(AMOUNT_IN - 3, AMOUNT_OUT);
        (trade.intent.owner, trade.intent.recipient) = (wallet, RECIPIENT);
        _certifyAgain(trade);

        _executeFor(trade);

        expectEqual(input.balanceOf(wallet), 3, "the refund");
        expectEqual(input.balanceOf(RECIPIENT), 0, "which is not the recipient's");
    }

    function test_a_refund_that_a_token_does_not_carry_out_reverts() public {
        MuteRefundToken token = new MuteRefundToken();
        _fund(address(token), OWNER, AMOUNT_IN);
        token.set(abi.encode(false), false);
        _expectBothRevert(
            _swap(address(token), address(output), AMOUNT_IN - 1, AMOUNT_OUT),
            _reason(ITradeGuard.TokenCallFailed.selector, address(token), abi.encode(false))
        );
        token.set("no refund", true);
        _expectBothRevert(
            _swap(address(token), address(output), AMOUNT_IN - 1, AMOUNT_OUT),
            _reason(ITradeGuard.TokenCallFailed.selector, address(token), "no refund")
        );
    }

    function test_neither_contract_accepts_native_coin() public {
        Trade memory trade = _trade();
        bytes[4] memory calls = _everyCall(trade);
        vm.deal(OWNER, 3 ether);
        vm.startPrank(OWNER);
        for (uint256 i; i < calls.length; ++i) {
            (bool withCall, ) = address(guard).call{value: 1}(calls[i]);
            expect(!withCall, "no entry point takes value");
        }
        (bool plain, ) = address(guard).call{value: 1}("");
        (bool toExecutor, ) = executor.call{value: 1}("");
        vm.stopPrank();

        expect(!plain && !toExecutor, "value is refused");
    }
}
