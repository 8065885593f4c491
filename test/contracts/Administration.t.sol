// SPDX-License-Identifier: MIT
pragma solidity 0.8.35;

import {ITradeGuard} from "../../contracts/ITradeGuard.sol";
import {TradeGuard} from "../../contracts/TradeGuard.sol";
import {GuardFixture, Trade} from "../support/contracts/GuardFixture.sol";
import {vm} from "../support/contracts/Vm.sol";

/// @dev Who may do what, and what it does.
contract AdministrationTest is GuardFixture {
    uint256 private constant NEW_KEY = uint256(keccak256("new attestor"));
    uint256 private constant NEWER_KEY = uint256(keccak256("newer attestor"));
    address private constant PERMIT2 = 0x000000000022D473030F116dDEE9F6B43aC78BA3;
    bytes4 private constant SELECTOR = 0x12345678;

    /*//////////////////////////////////////////////////////////////
                              CONSTRUCTION
    //////////////////////////////////////////////////////////////*/

    function test_a_new_guard_tells_its_keys_and_allows_nothing() public {
        TradeGuard fresh = _deployGuard(ADMIN, PAUSER, ATTESTOR);

        expectEqual(fresh.admin(), ADMIN, "admin");
        expectEqual(fresh.pauser(), PAUSER, "pauser");
        expectEqual(fresh.signer(), ATTESTOR, "signer");
        expectEqual(fresh.previousSigner(), address(0), "previous signer");
        expectEqual(fresh.previousSignerValidUntil(), 0, "previous signer's end");
        expectEqual(fresh.pendingAdmin(), address(0), "pending admin");
        expect(!fresh.paused(), "not paused");
        expect(!fresh.isRouteAllowed(address(route), SELECTOR), "no route");
        expect(!fresh.isRecipientAllowed(RECIPIENT), "no recipient");
        expect(fresh.executor() != executor, "an executor of its own");
        expect(fresh.executor().code.length != 0, "that is deployed");
    }

    function test_a_guard_needs_an_admin_and_a_signer() public {
        vm.expectRevert(_reason(ITradeGuard.InvalidAdmin.selector, address(0)));
        _deployGuard(address(0), PAUSER, ATTESTOR);
        vm.expectRevert(_reason(ITradeGuard.InvalidSigner.selector, address(0)));
        _deployGuard(ADMIN, PAUSER, address(0));
    }

    /*//////////////////////////////////////////////////////////////
                                 RIGHTS
    //////////////////////////////////////////////////////////////*/

    function testFuzz_nobody_but_the_admin_administers(address caller) public {
        vm.assume(caller != ADMIN && caller != address(0));
        bytes[7] memory calls = [
            abi.encodeCall(guard.unpause, ()),
            abi.encodeCall(guard.rotateSigner, (caller, 0)),
            abi.encodeCall(guard.setRoute, (caller, SELECTOR, true)),
            abi.encodeCall(guard.setRecipient, (caller, true)),
            abi.encodeCall(guard.setPauser, (caller)),
            abi.encodeCall(guard.transferAdmin, (caller)),
            abi.encodeCall(guard.acceptAdmin, ())
        ];
        for (uint256 i; i < calls.length; ++i) {
            (bool success, bytes memory reason) = _try(caller, calls[i]);
            expect(!success, "refused");
            bytes4 selector = i == 6 ? ITradeGuard.NotPendingAdmin.selector : ITradeGuard.NotAdmin.selector;
            expectEqual(
                keccak256(reason),
                keccak256(abi.encodeWithSelector(selector, caller)),
                "named error"
            );
        }
    }

    function test_the_pauser_can_pause_and_nothing_else() public {
        testFuzz_nobody_but_the_admin_administers(PAUSER);
        vm.prank(PAUSER);
        guard.pause();
        expect(guard.paused(), "paused");
    }

    function testFuzz_nobody_but_admin_and_pauser_pauses(address caller) public {
        vm.assume(caller != ADMIN && caller != PAUSER);
        vm.prank(caller);
        vm.expectRevert(_reason(ITradeGuard.NotPauser.selector, caller));
        guard.pause();
    }

    /*//////////////////////////////////////////////////////////////
                                 PAUSE
    //////////////////////////////////////////////////////////////*/

    function test_a_pause_stops_both_ways_of_trading_until_it_is_lifted() public {
        Trade memory trade = _trade();
        vm.prank(PAUSER);
        guard.pause();

        _expectBothRevert(trade, _reason(ITradeGuard.TradingPaused.selector));

        vm.prank(ADMIN);
        guard.unpause();
        _execute(trade);
    }

    /*//////////////////////////////////////////////////////////////
                                ROTATION
    //////////////////////////////////////////////////////////////*/

    function test_without_an_overlap_the_old_key_dies_at_once() public {
        Trade memory old = _trade();
        _rotate(NEW_KEY, 0);

        _expectBothRevert(old, _reason(ITradeGuard.CertificateSignerUnknown.selector, ATTESTOR));
        _signCertificate(old, NEW_KEY);
        _execute(old);
        expectEqual(guard.previousSigner(), address(0), "previous signer");
        expectEqual(guard.previousSignerValidUntil(), 0, "its end");
    }

    function testFuzz_with_an_overlap_the_old_key_lives_until_its_last_second(uint256 overlap) public {
        overlap = between(overlap, 1, 1 hours);
        _rotate(NEW_KEY, overlap);
        expectEqual(guard.signer(), vm.addr(NEW_KEY), "signer");
        expectEqual(guard.previousSigner(), ATTESTOR, "previous signer");
        expectEqual(guard.previousSignerValidUntil(), START + overlap, "its end");

        vm.warp(START + overlap);
        Trade memory atTheEnd = _trade();
        _execute(atTheEnd);
        Trade memory withTheNewKey = _tradeWith(1);
        _signCertificate(withTheNewKey, NEW_KEY);
        _execute(withTheNewKey);

        vm.warp(START + overlap + 1);
        Trade memory late = _tradeWith(2);
        _expectBothRevert(late, _reason(ITradeGuard.CertificateSignerUnknown.selector, ATTESTOR));
    }

    function testFuzz_an_overlap_above_one_hour_is_refused(uint256 overlap) public {
        vm.assume(overlap > 1 hours);
        vm.prank(ADMIN);
        vm.expectRevert(_reason(ITradeGuard.OverlapTooLong.selector, overlap, 1 hours));
        guard.rotateSigner(vm.addr(NEW_KEY), overlap);
    }

    function test_a_second_rotation_ends_the_first_overlap() public {
        Trade memory trade = _trade();
        _rotate(NEW_KEY, 1 hours);
        _rotate(NEWER_KEY, 1 hours);

        _expectBothRevert(trade, _reason(ITradeGuard.CertificateSignerUnknown.selector, ATTESTOR));
        _signCertificate(trade, NEW_KEY);
        _execute(trade);
    }

    function test_naming_the_present_signer_without_overlap_ends_a_running_overlap() public {
        Trade memory trade = _trade();
        _rotate(NEW_KEY, 1 hours);
        _rotate(NEW_KEY, 0);

        _expectBothRevert(trade, _reason(ITradeGuard.CertificateSignerUnknown.selector, ATTESTOR));
    }

    /*//////////////////////////////////////////////////////////////
                               ALLOWLISTS
    //////////////////////////////////////////////////////////////*/

    function testFuzz_a_route_is_allowed_with_one_selector(
        address target,
        bytes4 selector,
        bytes4 other
    ) public {
        vm.assume(
            target != address(0) && target != address(guard) && target != executor && target != PERMIT2
        );
        vm.assume(target != address(route) && selector != 0 && other != selector);
        vm.startPrank(ADMIN);
        vm.expectEmit(address(guard));
        emit ITradeGuard.RouteSet(target, selector, true);
        guard.setRoute(target, selector, true);
        expect(guard.isRouteAllowed(target, selector), "allowed");
        expect(!guard.isRouteAllowed(target, other), "other selector");

        vm.expectEmit(address(guard));
        emit ITradeGuard.RouteSet(target, selector, false);
        guard.setRoute(target, selector, false);
        vm.stopPrank();
        expect(!guard.isRouteAllowed(target, selector), "disallowed");
    }

    /*//////////////////////////////////////////////////////////////
                                 ROLES
    //////////////////////////////////////////////////////////////*/

    function test_the_admin_changes_in_two_steps() public {
        vm.prank(ADMIN);
        guard.transferAdmin(STRANGER);
        expectEqual(guard.admin(), ADMIN, "still the admin");
        expectEqual(guard.pendingAdmin(), STRANGER, "pending");

        vm.prank(STRANGER);
        guard.acceptAdmin();
        expectEqual(guard.admin(), STRANGER, "the new admin");
        expectEqual(guard.pendingAdmin(), address(0), "nobody pending");

        vm.prank(ADMIN);
        vm.expectRevert(_reason(ITradeGuard.NotAdmin.selector, ADMIN));
        guard.unpause();
    }

    function test_a_proposal_can_be_withdrawn() public {
        vm.startPrank(ADMIN);
        guard.transferAdmin(STRANGER);
        guard.transferAdmin(address(0));
        vm.stopPrank();

        vm.prank(STRANGER);
        vm.expectRevert(_reason(ITradeGuard.NotPendingAdmin.selector, STRANGER));
        guard.acceptAdmin();
    }

    function test_the_admin_names_another_pauser_or_none() public {
        vm.prank(ADMIN);
        guard.setPauser(STRANGER);
        vm.prank(PAUSER);
        vm.expectRevert(_reason(ITradeGuard.NotPauser.selector, PAUSER));
        guard.pause();
        vm.prank(STRANGER);
        guard.pause();

        vm.prank(ADMIN);
        guard.setPauser(address(0));
        expectEqual(guard.pauser(), address(0), "nobody");
    }

    function _rotate(uint256 key, uint256 overlap) private {
        address previous = guard.signer();
        vm.prank(ADMIN);
        vm.expectEmit(address(guard));
        emit ITradeGuard.SignerRotated(previous, vm.addr(key), overlap == 0 ? 0 : block.timestamp + overlap);
        guard.rotateSigner(vm.addr(key), overlap);
    }
}
