// SPDX-License-Identifier: MIT
pragma solidity 0.8.35;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {ITradeGuard, TradeIntent} from "../../contracts/ITradeGuard.sol";
import {GuardFixture, Trade} from "../support/contracts/GuardFixture.sol";
import {vm} from "../support/contracts/Vm.sol";
import {HonestRoute} from "../support/contracts/routes/HonestRoute.sol";
import {FakeOutput} from "../support/contracts/tokens/FakeTokens.sol";

/// @dev Trades call listed functions of listed contracts, and pay their owners or listed recipients.
contract AllowlistsTest is GuardFixture {
    bytes4 private constant SELECTOR = 0x12345678;
    address private constant PERMIT2 = 0x000000000022D473030F116dDEE9F6B43aC78BA3;

    /*//////////////////////////////////////////////////////////////
                                 ROUTES
    //////////////////////////////////////////////////////////////*/

    function testFuzz_a_route_has_to_be_on_the_list(address other) public {
        vm.assume(other != address(route) && other != address(input) && other != address(output));
        Trade memory trade = _tradeOn(other, _swapData(AMOUNT_IN, AMOUNT_OUT));
        _expectNotListed(trade, other, HonestRoute.swap.selector);
    }

    function testFuzz_a_selector_has_to_be_on_the_list_with_its_route(bytes4 selector) public {
        vm.assume(selector != HonestRoute.swap.selector && selector != HonestRoute.swapWithRefund.selector);
        Trade memory trade = _certify(_intent(), abi.encodePacked(selector, new bytes(160)));
        _expectNotListed(trade, address(route), selector);
    }

    /// @dev Each other pair differs in one bit of its address or of its selector.
    function testFuzz_a_listed_pair_lists_no_other(address target, bytes4 selector) public {
        vm.assume(
            target != address(0) && target != address(guard) && target != executor && target != PERMIT2
        );
        vm.assume(target != address(route) && selector != 0);
        _allow(target, selector);

        expect(guard.isRouteAllowed(target, selector), "listed");
        for (uint256 bit; bit < 160; ++bit) {
            address other = address(uint160(target) ^ uint160(1 << bit));
            expect(!guard.isRouteAllowed(other, selector), "another route");
        }
        for (uint256 bit; bit < 32; ++bit) {
            bytes4 other = bytes4(uint32(selector) ^ uint32(1 << bit));
            expect(!guard.isRouteAllowed(target, other), "another selector");
        }
    }

    function test_no_selector_stands_for_all() public {
        bytes4[3] memory selectors = [bytes4(0xffffffff), 0x00000001, 0x80000000];
        for (uint256 i; i < selectors.length; ++i) _allow(address(route), selectors[i]);
        vm.prank(PAUSER);
        guard.disallowRoute(address(route), HonestRoute.swap.selector);
        _expectNotListed(_trade(), address(route), HonestRoute.swap.selector);
    }

    function test_a_route_that_is_taken_off_the_list_trades_no_more() public {
        Trade memory trade = _trade();
        vm.prank(PAUSER);
        guard.disallowRoute(address(route), HonestRoute.swap.selector);
        _expectNotListed(trade, address(route), HonestRoute.swap.selector);
        _allow(address(route), HonestRoute.swap.selector);
        _execute(trade);
    }

    /// @dev Tokens can be listed, but not call themselves: the executor would approve a thief for what it holds.
    function test_a_token_of_the_trade_is_no_route() public {
        bytes memory data = abi.encodeCall(IERC20.approve, (STRANGER, type(uint256).max));
        address fake = address(new FakeOutput(input, executor, STRANGER));
        address[2] memory tokens = [address(input), fake];
        for (uint256 i; i < 2; ++i) {
            _allow(tokens[i], IERC20.approve.selector);
            TradeIntent memory intent = _intent(address(input), fake);
            intent.route = tokens[i];
            _expectRefused(_certify(intent, data), _reason(ITradeGuard.RouteIsToken.selector, tokens[i]));
        }
    }

    function test_guard_executor_permit2_and_zero_are_never_listed_as_routes() public {
        address[4] memory never = [address(0), address(guard), executor, PERMIT2];
        vm.startPrank(ADMIN);
        for (uint256 i; i < never.length; ++i) {
            vm.expectRevert(_reason(ITradeGuard.InvalidRoute.selector, never[i], SELECTOR));
            guard.allowRoute(never[i], SELECTOR);
        }
        vm.expectRevert(_reason(ITradeGuard.InvalidRoute.selector, address(route), bytes4(0)));
        guard.allowRoute(address(route), bytes4(0));
        vm.stopPrank();
    }

    function _expectNotListed(Trade memory trade, address target, bytes4 selector) private {
        _expectRefused(trade, _reason(ITradeGuard.RouteNotAllowed.selector, target, selector));
    }

    /*//////////////////////////////////////////////////////////////
                               RECIPIENTS
    //////////////////////////////////////////////////////////////*/

    function test_a_listed_recipient_is_paid_and_the_refund_is_the_owners() public {
        _allowRecipient(RECIPIENT);
        Trade memory trade = _swap(AMOUNT_IN - 5, AMOUNT_OUT);
        trade.intent.recipient = RECIPIENT;
        _certifyAgain(trade);

        _relay(trade);

        expectEqual(output.balanceOf(RECIPIENT), AMOUNT_OUT, "recipient's output");
        expectEqual(output.balanceOf(OWNER), 0, "owner's output");
        expectEqual(input.balanceOf(OWNER), 1_000_000e18 - AMOUNT_IN + 5, "owner's refund");
    }

    function testFuzz_a_recipient_has_to_be_the_owner_or_on_the_list(address recipient) public {
        vm.assume(recipient != OWNER && recipient != address(input) && recipient != address(output));
        vm.assume(recipient != RECIPIENT);
        // That somebody else is listed does not help.
        _allowRecipient(RECIPIENT);
        bytes memory reason = _reason(ITradeGuard.RecipientNotAllowed.selector, recipient);
        _expectRefused(_tradeTo(recipient), reason);
    }

    function test_a_recipient_that_is_taken_off_the_list_is_paid_no_more() public {
        _allowRecipient(RECIPIENT);
        vm.prank(PAUSER);
        guard.disallowRecipient(RECIPIENT);
        bytes memory reason = _reason(ITradeGuard.RecipientNotAllowed.selector, RECIPIENT);
        _expectRefused(_tradeTo(RECIPIENT), reason);
        // Owners are always paid.
        vm.prank(PAUSER);
        guard.disallowRecipient(OWNER);
        _execute(_trade());
    }

    /// @dev Even if it is listed, and even if it is the owner.
    function test_a_token_of_the_trade_is_no_recipient() public {
        address[2] memory tokens = [address(input), address(output)];
        for (uint256 i; i < 2; ++i) {
            bytes memory reason = _reason(ITradeGuard.InvalidRecipient.selector, tokens[i]);
            _allowRecipient(tokens[i]);
            _expectRefused(_tradeTo(tokens[i]), reason);
            vm.expectRevert(reason);
            _execute(_tradeOwnedBy(tokens[i]));
        }
    }

    function test_guard_executor_and_zero_are_never_listed_as_recipients() public {
        address[3] memory never = [address(0), address(guard), executor];
        for (uint256 i; i < never.length; ++i) {
            vm.prank(ADMIN);
            vm.expectRevert(_reason(ITradeGuard.InvalidRecipient.selector, never[i]));
            guard.allowRecipient(never[i]);
            _expectRefused(_tradeTo(never[i]), _reason(ITradeGuard.RecipientNotAllowed.selector, never[i]));
        }
    }
}
