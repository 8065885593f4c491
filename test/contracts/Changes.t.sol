// SPDX-License-Identifier: MIT
pragma solidity 0.8.35;

import {ITradeGuard} from "../../contracts/ITradeGuard.sol";
import {GuardFixture, Trade} from "../support/contracts/GuardFixture.sol";
import {vm} from "../support/contracts/Vm.sol";
import {executorAt} from "../support/contracts/Executors.sol";
import {HonestRoute} from "../support/contracts/routes/HonestRoute.sol";

/// @dev Every change of an admin, from every state that matters: it changes what it names, and leaves all else as it
/// was. What the guard tells of itself is read whole before and after.
contract ChangesTest is GuardFixture {
    uint256 private constant NEW_KEY = uint256(keccak256("new attestor"));
    bytes4 private constant SELECTOR = 0x12345678;

    struct State {
        address executor;
        uint256 executorSince;
        address signer;
        address previousSigner;
        uint256 previousSignerValidUntil;
        bool paused;
        address authority;
        bool[9] recipients;
        bool[9] routes;
        bool[9] routesWithAnother;
    }

    function _probes() private view returns (address[9] memory) {
        return
            [
                ADMIN,
                PAUSER,
                address(manager),
                ATTESTOR,
                vm.addr(NEW_KEY),
                STRANGER,
                RECIPIENT,
                OWNER,
                address(route)
            ];
    }

    function _state() private view returns (State memory s) {
        s.executor = guard.executor();
        s.executorSince = _executorSince();
        s.signer = guard.signer();
        s.previousSigner = guard.previousSigner();
        s.previousSignerValidUntil = guard.previousSignerValidUntil();
        s.paused = guard.paused();
        s.authority = guard.authority();
        address[9] memory probes = _probes();
        for (uint256 i; i < probes.length; ++i) {
            s.recipients[i] = guard.isRecipientAllowed(probes[i]);
            s.routes[i] = guard.isRouteAllowed(probes[i], SELECTOR);
            s.routesWithAnother[i] = guard.isRouteAllowed(probes[i], HonestRoute.swap.selector);
        }
    }

    /// @dev The guard has no view of it: it lies above signer, pause and number.
    function _executorSince() private view returns (uint256) {
        return uint256(vm.load(address(guard), bytes32(uint256(3)))) >> 192;
    }

    /// @dev Renewed or not, paused or not, an overlap running or not, a recipient listed or not.
    function _startFrom(uint256 choice) private {
        setUp();
        vm.startPrank(ADMIN);
        if (choice & 2 != 0) guard.renewExecutor(NO_SEEDS);
        if (choice & 1 != 0) guard.rotateSigner(vm.addr(NEW_KEY), 40 minutes);
        if (choice & 4 != 0) guard.allowRecipient(RECIPIENT);
        if (choice & 8 != 0) guard.pause();
        vm.stopPrank();
        _expectStart(choice);
        vm.warp(START + 10 minutes);
    }

    /// @dev Each change left alone what the ones before it had set.
    function _expectStart(uint256 choice) private view {
        bool rotated = choice & 1 != 0;
        State memory s = _state();
        expectEqual(s.executor, executorAt(address(guard), choice & 2 != 0 ? 1 : 0), "executor");
        expectEqual(s.executorSince, choice & 2 != 0 ? START + 1 : 0, "its beginning");
        expectEqual(s.signer, rotated ? vm.addr(NEW_KEY) : ATTESTOR, "signer");
        expectEqual(s.previousSigner, rotated ? ATTESTOR : address(0), "previous signer");
        expectEqual(s.previousSignerValidUntil, rotated ? START + 40 minutes : 0, "its end");
        expect(s.paused == (choice & 8 != 0), "paused");
        expectEqual(s.authority, address(manager), "authority");
    }

    function _change(address by, bytes memory call, State memory expected) private {
        (bool success, ) = _try(by, call);
        expect(success, "the change itself");
        expectEqual(keccak256(abi.encode(_state())), keccak256(abi.encode(expected)), "the state");
    }

    function test_a_pause_and_its_end_change_nothing_else() public {
        for (uint256 i; i < 16; ++i) {
            _startFrom(i);
            State memory s = _state();
            s.paused = true;
            _change(ADMIN, abi.encodeCall(guard.pause, ()), s);
            _change(PAUSER, abi.encodeCall(guard.pause, ()), s);
            s.paused = false;
            _change(ADMIN, abi.encodeCall(guard.unpause, ()), s);
            _change(ADMIN, abi.encodeCall(guard.unpause, ()), s);
        }
    }

    function test_a_renewal_changes_the_executor_alone() public {
        for (uint256 i; i < 16; ++i) {
            _startFrom(i);
            State memory s = _state();
            s.executor = executorAt(address(guard), i & 2 == 0 ? 1 : 2);
            s.executorSince = block.timestamp + 1;
            _change(ADMIN, abi.encodeCall(guard.renewExecutor, (NO_SEEDS)), s);
        }
    }

    function test_a_rotation_replaces_the_overlap_before_it_and_changes_nothing_else() public {
        uint256[4] memory overlaps = [uint256(0), 1, 20 minutes, 1 hours];
        address[3] memory signers = [vm.addr(NEW_KEY), ATTESTOR, STRANGER];
        for (uint256 i; i < 16; ++i) {
            for (uint256 j; j < 12; ++j) {
                _startFrom(i);
                uint256 overlap = overlaps[j % 4];
                State memory s = _state();
                s.previousSigner = overlap == 0 ? address(0) : s.signer;
                s.previousSignerValidUntil = overlap == 0 ? 0 : block.timestamp + overlap;
                s.signer = signers[j / 4];
                _change(ADMIN, abi.encodeCall(guard.rotateSigner, (s.signer, overlap)), s);
            }
        }
    }

    function test_an_overlap_has_its_limit_and_a_signer_is_somebody_whatever_came_before() public {
        address[3] memory signers = [vm.addr(NEW_KEY), ATTESTOR, STRANGER];
        for (uint256 i; i < 16; ++i) {
            _startFrom(i);
            for (uint256 j; j < signers.length; ++j) {
                vm.prank(ADMIN);
                vm.expectRevert(_reason(ITradeGuard.OverlapTooLong.selector, 1 hours + 1, 1 hours));
                guard.rotateSigner(signers[j], 1 hours + 1);
            }
            for (uint256 overlap; overlap < 2; ++overlap) {
                vm.prank(ADMIN);
                vm.expectRevert(_reason(ITradeGuard.InvalidSigner.selector, address(0)));
                guard.rotateSigner(address(0), overlap);
            }
        }
    }

    function test_a_list_changes_in_one_entry() public {
        for (uint256 i; i < 16; ++i) {
            _startFrom(i);
            address[9] memory probes = _probes();
            for (uint256 j; j < probes.length; ++j) {
                State memory s = _state();
                s.routes[j] = true;
                _change(ADMIN, abi.encodeCall(guard.allowRoute, (probes[j], SELECTOR)), s);
                s.recipients[j] = true;
                _change(ADMIN, abi.encodeCall(guard.allowRecipient, (probes[j])), s);
                s.routes[j] = false;
                _change(PAUSER, abi.encodeCall(guard.disallowRoute, (probes[j], SELECTOR)), s);
                s.recipients[j] = false;
                _change(PAUSER, abi.encodeCall(guard.disallowRecipient, (probes[j])), s);
            }
        }
    }

    function test_an_end_of_the_overlap_changes_nothing_else() public {
        for (uint256 i; i < 16; ++i) {
            _startFrom(i);
            State memory s = _state();
            (s.previousSigner, s.previousSignerValidUntil) = (address(0), 0);
            _change(PAUSER, abi.encodeCall(guard.endOverlap, ()), s);
        }
    }

    /// @dev A key that leaked and was rotated away can still sign, and can write any time into what it signs.
    function test_a_rotated_key_that_leaked_certifies_nothing_after_its_overlap_whatever_times_it_writes()
        public
    {
        vm.prank(ADMIN);
        guard.rotateSigner(vm.addr(NEW_KEY), 30 minutes);
        uint256[4] memory after_ = [uint256(30 minutes + 1), 31 minutes, 1 hours, 3650 days];
        uint64[5] memory issued = [
            uint64(0),
            1,
            uint64(START - 1 days),
            uint64(START),
            uint64(START + 30 minutes)
        ];
        for (uint256 i; i < after_.length; ++i) {
            vm.warp(START + after_[i]);
            for (uint256 j; j < issued.length; ++j) {
                Trade memory trade = _trade();
                (trade.certificate.issuedAt, trade.certificate.expiresAt) = (issued[j], type(uint64).max);
                _signCertificate(trade, ATTESTOR_KEY);
                _expectBothRevert(trade, _reason(ITradeGuard.CertificateSignerUnknown.selector, ATTESTOR));
            }
        }
    }
}
