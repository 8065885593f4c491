// SPDX-License-Identifier: MIT
pragma solidity 0.8.35;

import {AccessManager} from "@openzeppelin/contracts/access/manager/AccessManager.sol";
import {IAccessManaged} from "@openzeppelin/contracts/access/manager/IAccessManaged.sol";
import {GuardDeployment, OPERATOR, PAUSER as PAUSERS, restricting} from "../../contracts/GuardDeployment.sol";
import {ITradeGuard} from "../../contracts/ITradeGuard.sol";
import {TradeGuard} from "../../contracts/TradeGuard.sol";
import {GuardFixture, Trade} from "../support/contracts/GuardFixture.sol";
import {Log, vm} from "../support/contracts/Vm.sol";
import {HonestRoute} from "../support/contracts/routes/HonestRoute.sol";

/// @dev Who administers the guard, what each restricted call changes, and that it changes nothing else.
contract AdministrationTest is GuardFixture {
    address private immutable NEW_SIGNER = account("new attestor");
    uint256 private constant NEW_KEY = uint256(keccak256("new attestor"));
    bytes4 private constant SELECTOR = 0x12345678;

    /*//////////////////////////////////////////////////////////////
                              CONSTRUCTION
    //////////////////////////////////////////////////////////////*/

    function test_a_new_guard_names_its_signer_and_allows_nothing() public {
        vm.expectEmit();
        emit ITradeGuard.SignerRotated(address(0), ATTESTOR);
        TradeGuard fresh = TradeGuard(_deploy("TradeGuard.sol:TradeGuard", abi.encode(manager, ATTESTOR)));

        expectEqual(fresh.authority(), address(manager), "the manager");
        expectEqual(fresh.signer(), ATTESTOR, "signer");
        expect(!fresh.paused() && !fresh.isTrading(), "neither paused nor trading");
        expect(!fresh.isRouteAllowed(address(route), HonestRoute.swap.selector), "no route");
        expect(!fresh.isRecipientAllowed(RECIPIENT), "no recipient");
        expect(fresh.executor() != executor, "an executor of its own");
        expect(fresh.executor().code.length != 0, "that is deployed");
    }

    function test_a_guard_needs_a_manager_and_a_signer() public {
        vm.expectRevert(_reason(IAccessManaged.AccessManagedInvalidAuthority.selector, ADMIN));
        _deploy("TradeGuard.sol:TradeGuard", abi.encode(ADMIN, ATTESTOR));
        vm.expectRevert(_reason(ITradeGuard.InvalidSigner.selector, address(0)));
        _deploy("TradeGuard.sol:TradeGuard", abi.encode(manager, address(0)));
    }

    /*//////////////////////////////////////////////////////////////
                                 RIGHTS
    //////////////////////////////////////////////////////////////*/

    function testFuzz_nobody_but_the_admin_and_the_pauser_administers(address caller) public {
        vm.assume(caller != ADMIN && caller != PAUSER && caller != address(manager));
        _expectUnauthorized(caller, 7);
    }

    function test_the_pauser_permits_nothing() public {
        _expectUnauthorized(PAUSER, PERMITTING);
    }

    /// @dev The first of the restricted calls, as many as that.
    function _expectUnauthorized(address caller, uint256 count) private {
        bytes[7] memory calls = _restrictedCalls(caller);
        for (uint256 i; i < count; ++i) {
            vm.expectRevert(_reason(IAccessManaged.AccessManagedUnauthorized.selector, caller));
            _call(caller, calls[i]);
        }
    }

    /*//////////////////////////////////////////////////////////////
                           WHAT A CALL CHANGES
    //////////////////////////////////////////////////////////////*/

    struct State {
        address signer;
        bool paused;
        address authority;
        address executor;
        bool[5] recipients;
        bool[5] routes;
        bool[5] otherRoutes;
    }

    function _probes() private view returns (address[5] memory) {
        return [RECIPIENT, OWNER, STRANGER, address(route), address(manager)];
    }

    function _state() private view returns (State memory s) {
        (s.signer, s.paused) = (guard.signer(), guard.paused());
        (s.authority, s.executor) = (guard.authority(), guard.executor());
        address[5] memory probes = _probes();
        for (uint256 i; i < probes.length; ++i) {
            s.recipients[i] = guard.isRecipientAllowed(probes[i]);
            s.routes[i] = guard.isRouteAllowed(probes[i], SELECTOR);
            s.otherRoutes[i] = guard.isRouteAllowed(probes[i], HonestRoute.swap.selector);
        }
    }

    /// @dev The call makes this change, emits one event of the guard, with this, and changes nothing else.
    function _expectChange(
        address by,
        bytes memory call,
        State memory expected,
        bytes32[3] memory topics,
        bytes memory data
    ) private {
        vm.recordLogs();
        (bool success, ) = _try(by, call);
        expect(success, "the call");
        Log[] memory logs = vm.getRecordedLogs();
        expectEqual(logs.length, 1, "events");
        for (uint256 i; i < logs[0].topics.length; ++i) expectEqual(logs[0].topics[i], topics[i], "topic");
        expectEqual(keccak256(logs[0].data), keccak256(data), "data");
        expectEqual(keccak256(abi.encode(_state())), keccak256(abi.encode(expected)), "the state");
    }

    function test_a_pause_and_its_end_change_nothing_else() public {
        address[2] memory pausers = [ADMIN, PAUSER];
        for (uint256 i; i < 4; ++i) {
            State memory s = _state();
            s.paused = true;
            bytes32[3] memory topics = [ITradeGuard.Paused.selector, _word(pausers[i % 2]), 0];
            // A second pause is told as well.
            _expectChange(pausers[i % 2], abi.encodeCall(guard.pause, ()), s, topics, "");
            if (i % 2 == 0) continue;
            s.paused = false;
            topics = [ITradeGuard.Unpaused.selector, _word(ADMIN), 0];
            _expectChange(ADMIN, abi.encodeCall(guard.unpause, ()), s, topics, "");
        }
    }

    function test_a_rotation_changes_the_signer_alone() public {
        address[3] memory signers = [NEW_SIGNER, NEW_SIGNER, ATTESTOR];
        for (uint256 i; i < signers.length; ++i) {
            State memory s = _state();
            bytes32[3] memory topics = [
                ITradeGuard.SignerRotated.selector,
                _word(s.signer),
                _word(signers[i])
            ];
            s.signer = signers[i];
            _expectChange(ADMIN, abi.encodeCall(guard.rotateSigner, (signers[i])), s, topics, "");
        }
        vm.prank(ADMIN);
        vm.expectRevert(_reason(ITradeGuard.InvalidSigner.selector, address(0)));
        guard.rotateSigner(address(0));
    }

    function test_a_change_of_a_list_changes_one_entry() public {
        address[5] memory probes = _probes();
        // Each call twice: what changes nothing is told as well.
        for (uint256 i; i < 4 * probes.length; ++i) {
            bool allowed = i < 2 * probes.length;
            uint256 index = (i / 2) % probes.length;
            address probe = probes[index];
            address by = allowed ? ADMIN : PAUSER;
            State memory s = _state();

            s.routes[index] = allowed;
            bytes memory call =
                allowed
                    ? abi.encodeCall(guard.allowRoute, (probe, SELECTOR))
                    : abi.encodeCall(guard.disallowRoute, (probe, SELECTOR));
            bytes32[3] memory topics = [ITradeGuard.RouteSet.selector, _word(probe), SELECTOR];
            _expectChange(by, call, s, topics, abi.encode(allowed));

            s.recipients[index] = allowed;
            call =
                allowed
                    ? abi.encodeCall(guard.allowRecipient, (probe))
                    : abi.encodeCall(guard.disallowRecipient, (probe));
            topics = [ITradeGuard.RecipientSet.selector, _word(probe), 0];
            _expectChange(by, call, s, topics, abi.encode(allowed));
        }
    }

    function _word(address account_) private pure returns (bytes32) {
        return bytes32(uint256(uint160(account_)));
    }

    /*//////////////////////////////////////////////////////////////
                           PAUSE AND ROTATION
    //////////////////////////////////////////////////////////////*/

    function test_nothing_trades_while_paused() public {
        Trade memory trade = _trade();
        vm.prank(PAUSER);
        guard.pause();
        _expectRefused(trade, _reason(ITradeGuard.TradingPaused.selector));
        vm.prank(ADMIN);
        guard.unpause();
        _execute(trade);
    }

    function test_old_certificates_fail_in_the_block_of_the_rotation() public {
        Trade memory trade = _trade();
        Trade memory before = _tradeWith(1);
        _execute(before);
        vm.prank(ADMIN);
        guard.rotateSigner(NEW_SIGNER);
        _expectRefused(trade, _reason(ITradeGuard.CertificateSignerUnknown.selector, ATTESTOR));
        // The intent, its nonce and the owner's signature stay good: another certificate is all that it takes.
        _signCertificate(trade, NEW_KEY);
        _relay(trade);
    }
}

/// @dev An admin who waits, as deployed for money: what permits more is scheduled, seen, cancelled or carried out after a
/// day; what restricts is done at once. So a thief of the admin key permits nothing before others could act.
contract DelayTest is GuardFixture {
    uint32 private constant DAY = 1 days;
    uint256 private constant CANCELLABLE = 9;
    uint64 private ADMINS;

    function setUp() public override {
        super.setUp();
        _deployGuard(DAY);
        ADMINS = manager.ADMIN_ROLE();
        vm.prank(OWNER);
        input.approve(address(guard), AMOUNT_IN);
        _schedule(
            address(guard),
            abi.encodeCall(guard.allowRoute, (address(route), HonestRoute.swap.selector))
        );
    }

    /// @dev And carries it out after the delay.
    function _schedule(address target, bytes memory call) private {
        vm.startPrank(ADMIN);
        manager.schedule(target, call, 0);
        vm.warp(block.timestamp + DAY);
        manager.execute(target, call);
        vm.stopPrank();
    }

    function _permits() private view returns (bytes[] memory calls) {
        calls = new bytes[](PERMITTING);
        bytes[7] memory restricted = _restrictedCalls(STRANGER);
        for (uint256 i; i < PERMITTING; ++i) calls[i] = restricted[i];
    }

    /// @dev Everything that the manager does to roles, delays and targets; those first that a pauser can cancel.
    function _manages() private view returns (bytes[11] memory) {
        return
            [
                abi.encodeCall(manager.grantRole, (ADMINS, STRANGER, 0)),
                abi.encodeCall(manager.grantRole, (OPERATOR, ADMIN, 0)),
                abi.encodeCall(manager.setRoleAdmin, (OPERATOR, PAUSERS)),
                abi.encodeCall(manager.setRoleGuardian, (OPERATOR, ADMINS)),
                abi.encodeCall(manager.setGrantDelay, (OPERATOR, 0)),
                abi.encodeCall(manager.setTargetAdminDelay, (address(guard), 0)),
                abi.encodeCall(manager.setTargetClosed, (address(guard), true)),
                abi.encodeCall(manager.setTargetFunctionRole, (address(guard), restricting(), OPERATOR)),
                abi.encodeCall(manager.updateAuthority, (address(guard), address(manager))),
                abi.encodeCall(manager.revokeRole, (PAUSERS, PAUSER)),
                abi.encodeCall(manager.labelRole, (OPERATOR, "operators"))
            ];
    }

    function _expectFailure(address target, bytes memory call, string memory how) private {
        (bool success, ) = target.call(call);
        expect(!success, how);
    }

    /*//////////////////////////////////////////////////////////////
                               DEPLOYMENT
    //////////////////////////////////////////////////////////////*/

    function test_a_deployment_leaves_no_role_to_anybody_but_admin_and_pauser() public view {
        uint64[3] memory roles = [ADMINS, OPERATOR, PAUSERS];
        address[4] memory others = [address(this), address(guard), address(manager), STRANGER];
        for (uint256 i; i < roles.length; ++i) {
            (bool isMember, uint32 delay) = manager.hasRole(roles[i], ADMIN);
            expect(isMember && delay == (roles[i] == PAUSERS ? 0 : DAY), "the admin");
            (isMember, ) = manager.hasRole(roles[i], PAUSER);
            expect(isMember == (roles[i] == PAUSERS), "the pauser");
            for (uint256 j; j < others.length; ++j) {
                (isMember, ) = manager.hasRole(roles[i], others[j]);
                expect(!isMember, "nobody else");
            }
        }
        uint64 ofGuard = manager.getTargetFunctionRole(address(guard), 0);
        uint64 ofManager = manager.getTargetFunctionRole(address(manager), 0);
        expect(ofGuard == ADMINS && ofManager == ADMINS, "nothing else is for anybody else");
    }

    function test_a_deployment_without_a_second_pauser_emits_its_addresses_and_keeps_no_role() public {
        vm.recordLogs();
        address deployment = _deploy(
            "GuardDeployment.sol:GuardDeployment",
            abi.encode(ADMIN, 0, ATTESTOR, 0)
        );
        Log[] memory logs = vm.getRecordedLogs();
        AccessManager fresh = AccessManager(_createdBy(deployment, 1));
        bytes32[3] memory topics = [
            GuardDeployment.GuardDeployed.selector,
            bytes32(uint256(uint160(address(fresh)))),
            bytes32(uint256(uint160(_createdBy(deployment, 2))))
        ];
        for (uint256 i; i < 3; ++i) expectEqual(logs[logs.length - 1].topics[i], topics[i], "topic");
        (bool isPauser, ) = fresh.hasRole(PAUSERS, address(0));
        (bool isAdmin, ) = fresh.hasRole(ADMINS, deployment);
        expect(!isPauser && !isAdmin, "no role for nobody, nor for the deployment");

        vm.expectRevert(_reason(GuardDeployment.InvalidAdmin.selector, address(0)));
        _deploy("GuardDeployment.sol:GuardDeployment", abi.encode(0, PAUSER, ATTESTOR, DAY));
    }

    /*//////////////////////////////////////////////////////////////
                              NOTHING AT ONCE
    //////////////////////////////////////////////////////////////*/

    function test_a_stolen_admin_key_permits_nothing_before_the_delay() public {
        for (uint256 i; i < PERMITTING; ++i) _expectToWait(address(guard), _permits()[i]);
        for (uint256 i; i < _manages().length; ++i) _expectToWait(address(manager), _manages()[i]);
    }

    /// @dev By itself, by the manager, in a batch, or scheduled for an earlier time than the end of the delay.
    function _expectToWait(address target, bytes memory call) private {
        uint256 state = vm.snapshotState();
        vm.startPrank(ADMIN);
        _expectFailure(target, call, "at once");
        _expectFailure(address(manager), abi.encodeCall(manager.execute, (target, call)), "by the manager");
        bytes[] memory batch = new bytes[](1);
        batch[0] = target == address(manager) ? call : abi.encodeCall(manager.execute, (target, call));
        _expectFailure(address(manager), abi.encodeCall(manager.multicall, (batch)), "in a batch");
        bytes memory early = abi.encodeCall(
            manager.schedule,
            (target, call, uint48(block.timestamp) + DAY - 1)
        );
        _expectFailure(address(manager), early, "scheduled too early");

        manager.schedule(target, call, 0);
        uint256 scheduledAt = block.timestamp;
        vm.warp(scheduledAt + DAY - 1);
        _expectFailure(target, call, "a second too early");
        vm.warp(scheduledAt + DAY);
        (bool success, ) = target.call(call);
        expect(success, "after the delay");
        vm.stopPrank();
        // One change must not make way for the next.
        vm.revertToState(state);
    }

    function test_nobody_else_schedules_anything() public {
        address[3] memory others = [PAUSER, STRANGER, ATTESTOR];
        for (uint256 i; i < others.length; ++i) {
            vm.startPrank(others[i]);
            for (uint256 j; j < PERMITTING; ++j) {
                bytes memory call = abi.encodeCall(manager.schedule, (address(guard), _permits()[j], 0));
                _expectFailure(address(manager), call, "of the guard");
            }
            for (uint256 j; j < _manages().length; ++j) {
                bytes memory call = abi.encodeCall(manager.schedule, (address(manager), _manages()[j], 0));
                _expectFailure(address(manager), call, "of the manager");
            }
            vm.stopPrank();
        }
    }

    function test_only_the_manager_gives_the_guard_to_another() public {
        address other = address(new HonestRoute());
        address[3] memory others = [ADMIN, PAUSER, STRANGER];
        for (uint256 i; i < others.length; ++i) {
            vm.prank(others[i]);
            vm.expectRevert(_reason(IAccessManaged.AccessManagedUnauthorized.selector, others[i]));
            guard.setAuthority(other);
        }
        _schedule(address(manager), abi.encodeCall(manager.updateAuthority, (address(guard), other)));
        expectEqual(guard.authority(), other, "after the delay");
    }

    function test_a_shorter_delay_counts_only_after_the_longer_one_has_passed_again() public {
        _schedule(address(manager), abi.encodeCall(manager.grantRole, (OPERATOR, ADMIN, 0)));
        vm.startPrank(ADMIN);
        _expectFailure(address(guard), abi.encodeCall(guard.allowRecipient, (STRANGER)), "still");
        vm.warp(block.timestamp + DAY);
        guard.allowRecipient(STRANGER);
        vm.stopPrank();
    }

    function test_what_nobody_carries_out_within_a_week_ends() public {
        bytes memory call = abi.encodeCall(guard.allowRecipient, (STRANGER));
        vm.startPrank(ADMIN);
        manager.schedule(address(guard), call, 0);
        vm.warp(block.timestamp + DAY + 1 weeks);
        _expectFailure(address(guard), call, "too late");
        vm.stopPrank();
    }

    /*//////////////////////////////////////////////////////////////
                       WHAT CAN BE DONE AGAINST IT
    //////////////////////////////////////////////////////////////*/

    function test_admin_and_pauser_restrict_at_once() public {
        address[2] memory restricting_ = [ADMIN, PAUSER];
        for (uint256 i; i < restricting_.length; ++i) {
            uint256 state = vm.snapshotState();
            bytes[7] memory calls = _restrictedCalls(address(route));
            for (uint256 j = PERMITTING; j < calls.length; ++j) {
                (bool success, ) = _try(restricting_[i], calls[j]);
                expect(success, "at once");
            }
            expect(guard.paused(), "paused");
            expect(!guard.isRouteAllowed(address(route), HonestRoute.swap.selector), "off the list");
            vm.revertToState(state);
        }
    }

    function test_a_pauser_cancels_what_a_thief_scheduled() public {
        for (uint256 i; i < PERMITTING; ++i) _expectCancelled(address(guard), _permits()[i]);
        for (uint256 i; i < CANCELLABLE; ++i) _expectCancelled(address(manager), _manages()[i]);
    }

    function _expectCancelled(address target, bytes memory call) private {
        vm.prank(ADMIN);
        manager.schedule(target, call, 0);
        vm.prank(STRANGER);
        _expectFailure(address(manager), abi.encodeCall(manager.cancel, (ADMIN, target, call)), "by anyone");
        vm.prank(PAUSER);
        manager.cancel(ADMIN, target, call);
        vm.warp(block.timestamp + DAY);
        vm.prank(ADMIN);
        _expectFailure(target, call, "cancelled");
    }

    /// @dev Otherwise a thief of the pauser's key would keep it.
    function test_a_pauser_does_not_cancel_its_own_end() public {
        bytes memory end = abi.encodeCall(manager.revokeRole, (PAUSERS, PAUSER));
        vm.prank(ADMIN);
        manager.schedule(address(manager), end, 0);
        vm.prank(PAUSER);
        _expectFailure(
            address(manager),
            abi.encodeCall(manager.cancel, (ADMIN, address(manager), end)),
            "its own"
        );
        vm.warp(block.timestamp + DAY);
        vm.prank(ADMIN);
        manager.revokeRole(PAUSERS, PAUSER);
        vm.prank(PAUSER);
        vm.expectRevert(_reason(IAccessManaged.AccessManagedUnauthorized.selector, PAUSER));
        guard.pause();
    }

    function test_after_a_theft_of_the_attestation_key_the_guard_stays_paused_until_the_rotation() public {
        address successor = account("new attestor");
        bytes memory rotation = abi.encodeCall(guard.rotateSigner, (successor));
        bytes memory end = abi.encodeCall(guard.unpause, ());
        vm.prank(PAUSER);
        guard.pause();
        vm.startPrank(ADMIN);
        manager.schedule(address(guard), rotation, 0);
        manager.schedule(address(guard), end, 0);
        vm.warp(block.timestamp + DAY - 1);
        _expectFailure(address(guard), rotation, "the rotation waits");
        _expectFailure(address(guard), end, "so does the end of the pause");
        vm.stopPrank();
        _expectRefused(_trade(), _reason(ITradeGuard.TradingPaused.selector));

        vm.warp(block.timestamp + 1);
        vm.startPrank(ADMIN);
        guard.rotateSigner(successor);
        guard.unpause();
        vm.stopPrank();
        Trade memory trade = _trade();
        _expectRefused(trade, _reason(ITradeGuard.CertificateSignerUnknown.selector, ATTESTOR));
        _signCertificate(trade, uint256(keccak256("new attestor")));
        _execute(trade);
    }

    /// @dev Scheduled in advance it waits for its day, for at most a week after it.
    function test_a_successor_of_the_attestation_key_that_was_scheduled_in_advance_takes_over_at_once()
        public
    {
        vm.startPrank(ADMIN);
        manager.schedule(address(guard), abi.encodeCall(guard.rotateSigner, (STRANGER)), 0);
        vm.warp(block.timestamp + 3 days);
        guard.rotateSigner(STRANGER);
        vm.stopPrank();
        expectEqual(guard.signer(), STRANGER, "without a further day");
    }

    /// @dev All that a thief can do at once with the only admin key is to leave the guard as it is, forever.
    function test_an_admin_can_end_its_own_roles_at_once_which_permits_nothing() public {
        uint64[3] memory roles = [ADMINS, OPERATOR, PAUSERS];
        vm.startPrank(ADMIN);
        for (uint256 i; i < roles.length; ++i) manager.renounceRole(roles[i], ADMIN);
        for (uint256 i; i < PERMITTING; ++i) {
            bytes memory call = abi.encodeCall(manager.schedule, (address(guard), _permits()[i], 0));
            _expectFailure(address(manager), call, "for nobody");
        }
        vm.stopPrank();
        _execute(_trade());
    }
}
