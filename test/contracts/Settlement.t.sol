// SPDX-License-Identifier: MIT
pragma solidity 0.8.35;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {ITradeGuard, TradeIntent} from "../../contracts/ITradeGuard.sol";
import {GuardFixture, Trade} from "../support/contracts/GuardFixture.sol";
import {vm} from "../support/contracts/Vm.sol";
import {HonestRoute} from "../support/contracts/routes/HonestRoute.sol";
import {
    HookToken,
    ITransferHook,
    RebasingToken,
    ReturningToken,
    SilentAllowanceToken
} from "../support/contracts/tokens/OddTokens.sol";
import {PlainToken} from "../support/contracts/tokens/PlainToken.sol";

/// @dev Gives the recipient something of its own while it is paid.
contract Benefactor is ITransferHook {
    PlainToken private immutable TOKEN;
    address private immutable WHOM;

    constructor(PlainToken token, address whom) {
        (TOKEN, WHOM) = (token, whom);
    }

    function onTransfer(address, address to, uint256) external {
        if (to == WHOM) TOKEN.mint(WHOM, 5);
    }
}

/// @dev A route in whose hands every balance of a token shrinks.
contract ShrinkingRoute {
    function swap(RebasingToken token) external {
        token.rebase(0.5e18);
    }
}

/// @dev Makes every balance of another token shrink when an allowance of its own is taken back.
contract ShrinkingApprovalToken is ReturningToken {
    RebasingToken private immutable OTHER;

    constructor(RebasingToken other) {
        OTHER = other;
    }

    function _approve(address spender, uint256 amount) internal override {
        super._approve(spender, amount);
        if (amount == 0) OTHER.rebase(0.5e18);
    }
}

/// @dev Owner, recipient and route of its trades in one.
contract OwnRoute {
    function approve(IERC20 token, address spender) external {
        token.approve(spender, type(uint256).max);
    }

    function send(ITradeGuard guard, Trade calldata trade) external returns (uint256) {
        return
            guard.execute(trade.intent, trade.certificate, trade.certificateSignature, trade.routeCallData);
    }

    function swap(IERC20 from, IERC20 to, uint256 take, uint256 give) external {
        from.transferFrom(msg.sender, address(this), take);
        to.transfer(msg.sender, give);
    }
}

/// @dev Corners of the settlement that no other test would have missed.
contract SettlementTest is GuardFixture {
    function test_nonce_signature_and_event_are_the_owners_not_the_recipients() public {
        Trade memory trade = _tradeTo(RECIPIENT, 0);
        _expectEvent(trade, AMOUNT_IN, AMOUNT_OUT);
        _executeFor(trade);
        expect(guard.isNonceUsed(OWNER, 0), "the owner's nonce");
        expect(!guard.isNonceUsed(RECIPIENT, 0), "not the recipient's");

        _execute(_tradeTo(RECIPIENT, 1));
        expect(guard.isNonceUsed(OWNER, 1), "the owner's nonce, sent");
        expect(!guard.isNonceUsed(RECIPIENT, 1), "not the recipient's, sent");

        Trade memory signedByRecipient = _tradeTo(RECIPIENT, 2);
        signedByRecipient.ownerSignature = _sign(
            uint256(keccak256("recipient")),
            signedByRecipient.certificate.intentHash
        );
        vm.expectRevert(_reason(ITradeGuard.OwnerSignatureInvalid.selector, OWNER));
        _executeFor(signedByRecipient);
    }

    function test_what_the_recipient_gets_from_elsewhere_is_not_the_amount_out() public {
        HookToken token = new HookToken();
        token.mint(address(route), AMOUNT_OUT);
        token.setHook(new Benefactor(PlainToken(address(token)), OWNER));

        uint256 amountOut = _execute(_swap(address(input), address(token), AMOUNT_IN, AMOUNT_OUT));

        expectEqual(amountOut, AMOUNT_OUT, "amount out");
        expectEqual(token.balanceOf(OWNER), AMOUNT_OUT + 5, "received");
    }

    function test_a_route_that_gives_back_more_than_it_took_leaves_nothing_spent() public {
        _expectGift(0, 5);
        // With what was taken, a unit less and a unit more than the amount in the lower 128 bits.
        _expectGift(1, (1 << 128) - 1);
        _expectGift(2, (1 << 200) + 1);
    }

    function _expectGift(uint256 nonce, uint256 gift) private {
        input.mint(address(route), gift);
        bytes memory data = abi.encodeCall(
            HonestRoute.swapWithRefund,
            (IERC20(input), IERC20(output), AMOUNT_IN, AMOUNT_IN + gift, AMOUNT_OUT, executor)
        );
        TradeIntent memory intent = _intent();
        intent.nonce = nonce;
        Trade memory trade = _certify(intent, data);
        uint256 held = input.balanceOf(OWNER);

        _expectEvent(trade, 0, AMOUNT_OUT);
        _execute(trade);

        expectEqual(input.balanceOf(OWNER), held + gift, "the gift is the owner's");
        _expectNothingLeft(address(input), address(route), 0);
    }

    function test_a_balance_that_shrinks_during_the_route_is_no_output() public {
        ShrinkingRoute shrinking = new ShrinkingRoute();
        _allow(address(shrinking), ShrinkingRoute.swap.selector);
        RebasingToken token = new RebasingToken();
        token.mint(executor, AMOUNT_OUT);
        TradeIntent memory intent = _intent(address(input), address(token));
        intent.route = address(shrinking);

        _expectBothRevert(
            _certify(intent, abi.encodeCall(ShrinkingRoute.swap, (token))),
            _reason(ITradeGuard.OutputBelowMinimum.selector, 0, MIN_OUT)
        );
    }

    /// @dev Otherwise what lay there before would make up for it.
    function test_output_is_measured_after_the_allowance_is_taken_back() public {
        RebasingToken to = new RebasingToken();
        to.rebase(1e18);
        to.mint(executor, AMOUNT_OUT);
        to.mint(address(route), 2 * AMOUNT_OUT);
        ShrinkingApprovalToken from = new ShrinkingApprovalToken(to);
        _fund(address(from), OWNER, AMOUNT_IN);

        _expectBothRevert(
            _swap(address(from), address(to), AMOUNT_IN - 1, AMOUNT_OUT),
            _reason(ITradeGuard.OutputBelowMinimum.selector, 0, MIN_OUT)
        );
    }

    function test_an_input_that_does_not_tell_allowances_reverts() public {
        SilentAllowanceToken token = new SilentAllowanceToken();
        _fund(address(token), OWNER, AMOUNT_IN);

        _expectBothRevert(
            _swap(address(token), address(output), AMOUNT_IN, AMOUNT_OUT),
            _reason(ITradeGuard.AllowanceUnreadable.selector, address(token))
        );
    }

    function test_a_route_that_is_the_recipient_has_to_deliver_like_any_other() public {
        uint256 held = output.balanceOf(address(route));
        expectEqual(_execute(_tradeTo(address(route), 0)), AMOUNT_OUT, "amount out");
        expectEqual(output.balanceOf(address(route)), held, "the route has its own back");

        // What it keeps to begin with, and holds the whole time, is not what it received.
        TradeIntent memory intent = _intent();
        (intent.recipient, intent.nonce) = (address(route), 1);
        _expectBothRevert(
            _certify(intent, _swapData(AMOUNT_IN, 0)),
            _reason(ITradeGuard.OutputBelowMinimum.selector, 0, MIN_OUT)
        );
    }

    function test_owner_recipient_and_route_in_one_are_measured_at_the_executor() public {
        OwnRoute own = new OwnRoute();
        _allow(address(own), OwnRoute.swap.selector);
        own.approve(input, address(guard));
        input.mint(address(own), AMOUNT_IN);
        output.mint(address(own), AMOUNT_OUT);

        vm.expectRevert(_reason(ITradeGuard.OutputBelowMinimum.selector, MIN_OUT - 1, MIN_OUT));
        own.send(guard, _ownTrade(own, AMOUNT_IN, MIN_OUT - 1));

        expectEqual(own.send(guard, _ownTrade(own, AMOUNT_IN - 3, AMOUNT_OUT)), AMOUNT_OUT, "amount out");
        expectEqual(input.balanceOf(address(own)), AMOUNT_IN, "taken and refunded");
        expectEqual(output.balanceOf(address(own)), AMOUNT_OUT, "given and paid");
        _expectNothingLeft(address(input), address(own), 0);
        _expectNothingLeft(address(output), address(own), 0);
    }

    function _ownTrade(OwnRoute own, uint256 take, uint256 give) private view returns (Trade memory) {
        TradeIntent memory intent = _intent();
        (intent.owner, intent.recipient, intent.route) = (address(own), address(own), address(own));
        return
            _certify(
                intent,
                abi.encodeCall(OwnRoute.swap, (IERC20(address(input)), IERC20(address(output)), take, give))
            );
    }

    function _tradeTo(address recipient, uint256 nonce) private returns (Trade memory) {
        _allowRecipient(recipient);
        TradeIntent memory intent = _intent();
        (intent.recipient, intent.nonce) = (recipient, nonce);
        return _certify(intent, _swapData(AMOUNT_IN, AMOUNT_OUT));
    }
}
