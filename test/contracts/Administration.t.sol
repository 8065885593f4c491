// SPDX-License-Identifier: MIT
pragma solidity 0.8.35;

import {IAccessManaged} from "@openzeppelin/contracts/access/manager/IAccessManaged.sol";
import {ITradeGuard} from "../../contracts/ITradeGuard.sol";
import {TradeGuard} from "../../contracts/TradeGuard.sol";
import {GuardFixture, Trade} from "../support/contracts/GuardFixture.sol";
import {vm} from "../support/contracts/Vm.sol";
import {HonestRoute} from "../support/contracts/routes/HonestRoute.sol";

/// @dev Who may do what, and what it does.
contract AdministrationTest is GuardFixture {
    uint256 private constant NEW_KEY = uint256(keccak256("new attestor"));
    uint256 private constant NEWER_KEY = uint256(keccak256("newer attestor"));
    bytes4 private constant SELECTOR = 0x12345678;

    /*//////////////////////////////////////////////////////////////
                              CONSTRUCTION
    //////////////////////////////////////////////////////////////*/

    function test_a_new_guard_tells_its_keys_and_allows_nothing() public {
        vm.expectEmit();
        emit ITradeGuard.SignerRotated(address(0), ATTESTOR, 0);
        TradeGuard fresh = TradeGuard(_deploy("TradeGuard.sol:TradeGuard", abi.encode(manager, ATTESTOR)));

        expectEqual(fresh.authority(), address(manager), "the manager");
        expectEqual(fresh.signer(), ATTESTOR, "signer");
        expectEqual(fresh.previousSigner(), address(0), "previous signer");
        expectEqual(fresh.previousSignerValidUntil(), 0, "previous signer's end");
        expect(!fresh.paused(), "not paused");
        expect(!fresh.isRouteAllowed(address(route), SELECTOR), "no route");
        expect(!fresh.isRecipientAllowed(RECIPIENT), "no recipient");
        expect(fresh.executor() != executor, "an executor of its own");
        expect(fresh.executor().code.length != 0, "that is deployed");
    }

    function test_a_guard_needs_a_manager_and_a_signer() public {
        bytes4 invalid = IAccessManaged.AccessManagedInvalidAuthority.selector;
        vm.expectRevert(_reason(invalid, ADMIN));
        _deploy("TradeGuard.sol:TradeGuard", abi.encode(ADMIN, ATTESTOR));
        vm.expectRevert(_reason(ITradeGuard.InvalidSigner.selector, address(0)));
        _deploy("TradeGuard.sol:TradeGuard", abi.encode(manager, address(0)));
    }

    /*//////////////////////////////////////////////////////////////
                                 RIGHTS
    //////////////////////////////////////////////////////////////*/

    function testFuzz_nobody_but_the_admin_administers(address caller) public {
        vm.assume(caller != ADMIN && caller != PAUSER && caller != address(manager));
        _expectUnauthorized(caller, 9);
    }

    function test_the_pauser_restricts_and_does_nothing_else() public {
        _expectUnauthorized(PAUSER, PERMITTING);
        bytes[9] memory calls = _restrictedCalls(address(route));
        for (uint256 i = PERMITTING; i < calls.length; ++i) {
            (bool success, ) = _try(PAUSER, calls[i]);
            expect(success, "at once");
        }
        expect(guard.paused(), "paused");
        expect(!guard.isRouteAllowed(address(route), HonestRoute.swap.selector), "off the list");
    }

    function _expectUnauthorized(address caller, uint256 count) private {
        bytes[9] memory calls = _restrictedCalls(caller);
        for (uint256 i; i < count; ++i) {
            (bool success, bytes memory reason) = _try(caller, calls[i]);
            expect(!success, "refused");
            expectEqual(keccak256(reason), keccak256(_unauthorized(caller)), "named error");
        }
    }

    /*//////////////////////////////////////////////////////////////
                                 ROUTES
    //////////////////////////////////////////////////////////////*/

    /// @dev Each other pair that differs in one bit of its address or selector.
    function testFuzz_listing_a_route_and_selector_lists_no_other(address target, bytes4 selector) public {
        vm.assume(target != address(0) && target != address(guard) && target != executor);
        vm.assume(selector != 0);
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

    function test_a_pauser_ends_a_running_overlap() public {
        Trade memory trade = _trade();
        _rotate(NEW_KEY, 1 hours);
        vm.expectEmit(address(guard));
        emit ITradeGuard.SignerRotated(vm.addr(NEW_KEY), vm.addr(NEW_KEY), 0);
        vm.prank(PAUSER);
        guard.endOverlap();

        _expectBothRevert(trade, _reason(ITradeGuard.CertificateSignerUnknown.selector, ATTESTOR));
    }

    function _rotate(uint256 key, uint256 overlap) private {
        address previous = guard.signer();
        vm.prank(ADMIN);
        vm.expectEmit(address(guard));
        emit ITradeGuard.SignerRotated(previous, vm.addr(key), overlap == 0 ? 0 : block.timestamp + overlap);
        guard.rotateSigner(vm.addr(key), overlap);
    }
}
