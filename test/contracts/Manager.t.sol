// SPDX-License-Identifier: MIT
pragma solidity 0.8.35;

import {AccessManager} from "@openzeppelin/contracts/access/manager/AccessManager.sol";
import {ITradeGuard} from "../../contracts/ITradeGuard.sol";
import {TradeGuard} from "../../contracts/TradeGuard.sol";
import {GuardFixture, Trade} from "../support/contracts/GuardFixture.sol";
import {ADMIN_ROLE, OPERATOR, PAUSER_ROLE, restricting} from "../support/contracts/Roles.sol";
import {Log, vm} from "../support/contracts/Vm.sol";
import {HonestRoute} from "../support/contracts/routes/HonestRoute.sol";

/// @dev An admin who waits: what permits more is scheduled, seen, cancelled or carried out after a day; what restricts is
/// done at once. So a thief of the admin key permits nothing before others could act.
contract ManagerTest is GuardFixture {
    uint32 private constant DAY = 1 days;
    uint256 private constant NEW_KEY = uint256(keccak256("new attestor"));
    bytes4 private constant SELECTOR = 0x12345678;

    /// @dev As it is deployed for money, with the route that the other suites trade on.
    function setUp() public override {
        super.setUp();
        bytes memory arguments = abi.encode(ADMIN, PAUSER, ATTESTOR, DAY);
        address deployment = _deploy("GuardDeployment.sol:GuardDeployment", arguments);
        manager = AccessManager(_createdBy(deployment, 0x01));
        guard = TradeGuard(_createdBy(deployment, 0x02));
        executor = guard.executor();
        _fund(address(input), OWNER, AMOUNT_IN);
        _scheduled(
            address(guard),
            abi.encodeCall(guard.allowRoute, (address(route), HonestRoute.swap.selector))
        );
    }

    function _createdBy(address creator, bytes1 nonce) private pure returns (address) {
        return address(uint160(uint256(keccak256(abi.encodePacked(hex"d694", creator, nonce)))));
    }

    function test_a_deployment_leaves_no_role_to_anybody_but_admin_and_pauser() public {
        uint64[3] memory roles = [ADMIN_ROLE, OPERATOR, PAUSER_ROLE];
        address[4] memory others = [address(this), address(guard), address(manager), STRANGER];
        for (uint256 i; i < roles.length; ++i) {
            (bool isMember, uint32 delay) = manager.hasRole(roles[i], ADMIN);
            expect(isMember && delay == (roles[i] == PAUSER_ROLE ? 0 : DAY), "the admin");
            (isMember, ) = manager.hasRole(roles[i], PAUSER);
            expect(isMember == (roles[i] == PAUSER_ROLE), "the pauser");
            for (uint256 j; j < others.length; ++j) {
                (isMember, ) = manager.hasRole(roles[i], others[j]);
                expect(!isMember, "nobody else");
            }
        }
        uint64 ofGuard = manager.getTargetFunctionRole(address(guard), 0);
        uint64 ofManager = manager.getTargetFunctionRole(address(manager), 0);
        expect(ofGuard == ADMIN_ROLE && ofManager == ADMIN_ROLE, "nothing else is for anybody else");
        vm.recordLogs();
        address alone = _deploy("GuardDeployment.sol:GuardDeployment", abi.encode(ADMIN, 0, ATTESTOR, 0));
        Log[] memory logs = vm.getRecordedLogs();
        AccessManager ofOne = AccessManager(_createdBy(alone, 0x01));
        bytes32[3] memory told = [
            keccak256("GuardDeployed(address,address)"),
            bytes32(uint256(uint160(address(ofOne)))),
            bytes32(uint256(uint160(_createdBy(alone, 0x02))))
        ];
        for (uint256 i; i < 3; ++i) expectEqual(logs[logs.length - 1].topics[i], told[i], "told at the end");
        (bool isPauser, ) = ofOne.hasRole(PAUSER_ROLE, address(0));
        expect(!isPauser && guard.authority() == address(manager), "nobody is nobody");
        (bool isAdmin, ) = ofOne.hasRole(ADMIN_ROLE, alone);
        expect(!isAdmin, "nor is the deployment");
        bytes4 invalid = bytes4(keccak256("InvalidAdmin(address)"));
        vm.expectRevert(_reason(invalid, address(0)));
        _deploy("GuardDeployment.sol:GuardDeployment", abi.encode(0, PAUSER, ATTESTOR, DAY));
    }

    function _permits() private view returns (bytes[5] memory) {
        return
            [
                abi.encodeCall(guard.unpause, ()),
                abi.encodeCall(guard.rotateSigner, (vm.addr(NEW_KEY), 0)),
                abi.encodeCall(guard.allowRoute, (STRANGER, SELECTOR)),
                abi.encodeCall(guard.allowRecipient, (STRANGER)),
                abi.encodeCall(guard.renewExecutor, (NO_SEEDS))
            ];
    }

    /// @dev Everything that the manager does to roles, delays and targets; those first that a pauser can cancel.
    function _manages() private view returns (bytes[11] memory) {
        return
            [
                abi.encodeCall(manager.grantRole, (ADMIN_ROLE, STRANGER, 0)),
                abi.encodeCall(manager.grantRole, (OPERATOR, ADMIN, 0)),
                abi.encodeCall(manager.setRoleAdmin, (OPERATOR, PAUSER_ROLE)),
                abi.encodeCall(manager.setRoleGuardian, (OPERATOR, ADMIN_ROLE)),
                abi.encodeCall(manager.setGrantDelay, (OPERATOR, 0)),
                abi.encodeCall(manager.setTargetAdminDelay, (address(guard), 0)),
                abi.encodeCall(manager.setTargetClosed, (address(guard), true)),
                abi.encodeCall(manager.setTargetFunctionRole, (address(guard), restricting(), OPERATOR)),
                abi.encodeCall(manager.updateAuthority, (address(guard), address(manager))),
                abi.encodeCall(manager.revokeRole, (PAUSER_ROLE, PAUSER)),
                abi.encodeCall(manager.labelRole, (OPERATOR, "operators"))
            ];
    }

    /*//////////////////////////////////////////////////////////////
                              NOTHING AT ONCE
    //////////////////////////////////////////////////////////////*/

    function test_a_stolen_admin_key_permits_nothing_before_the_delay() public {
        for (uint256 i; i < _permits().length; ++i) _waits(address(guard), _permits()[i]);
        for (uint256 i; i < _manages().length; ++i) _waits(address(manager), _manages()[i]);
    }

    /// @dev By itself, by the manager, in a batch, or scheduled for an earlier time than the end of the delay.
    function _waits(address target, bytes memory call) private {
        vm.startPrank(ADMIN);
        _fails(target, call, "at once");
        _fails(address(manager), abi.encodeCall(manager.execute, (target, call)), "by the manager");
        bytes[] memory batch = new bytes[](1);
        batch[0] = target == address(manager) ? call : abi.encodeCall(manager.execute, (target, call));
        _fails(address(manager), abi.encodeCall(manager.multicall, (batch)), "in a batch");
        uint48 tooEarly = uint48(block.timestamp) + DAY - 1;
        _fails(
            address(manager),
            abi.encodeCall(manager.schedule, (target, call, tooEarly)),
            "scheduled too early"
        );

        manager.schedule(target, call, 0);
        uint256 now_ = block.timestamp;
        vm.warp(now_ + DAY - 1);
        _fails(target, call, "a second too early");
        vm.warp(now_ + DAY);
        (bool success, ) = target.call(call);
        expect(success, "after the delay");
        // All as it was before: one change must not make way for the next.
        vm.stopPrank();
        setUp();
    }

    function _fails(address target, bytes memory call, string memory how) private {
        (bool success, ) = target.call(call);
        expect(!success, how);
    }

    function test_nobody_else_schedules_anything() public {
        address[3] memory others = [PAUSER, STRANGER, ATTESTOR];
        for (uint256 i; i < others.length; ++i) {
            vm.startPrank(others[i]);
            for (uint256 j; j < _permits().length; ++j) {
                bytes memory call = abi.encodeCall(manager.schedule, (address(guard), _permits()[j], 0));
                _fails(address(manager), call, "of the guard");
            }
            for (uint256 j; j < _manages().length; ++j) {
                bytes memory call = abi.encodeCall(manager.schedule, (address(manager), _manages()[j], 0));
                _fails(address(manager), call, "of the manager");
            }
            vm.stopPrank();
        }
    }

    function test_only_the_manager_gives_the_guard_to_another() public {
        address other = address(new HonestRoute());
        address[3] memory others = [ADMIN, PAUSER, STRANGER];
        for (uint256 i; i < others.length; ++i) {
            vm.prank(others[i]);
            vm.expectRevert(_unauthorized(others[i]));
            guard.setAuthority(other);
        }
        _scheduled(address(manager), abi.encodeCall(manager.updateAuthority, (address(guard), other)));
        expectEqual(guard.authority(), other, "after the delay");
    }

    function test_a_shorter_delay_counts_only_after_the_longer_one_has_passed_again() public {
        _scheduled(address(manager), abi.encodeCall(manager.grantRole, (OPERATOR, ADMIN, 0)));
        vm.startPrank(ADMIN);
        _fails(address(guard), abi.encodeCall(guard.allowRecipient, (STRANGER)), "still");
        vm.warp(block.timestamp + DAY);
        guard.allowRecipient(STRANGER);
        vm.stopPrank();
    }

    /*//////////////////////////////////////////////////////////////
                          WHAT CAN BE DONE AGAINST IT
    //////////////////////////////////////////////////////////////*/

    function test_admin_and_pauser_restrict_at_once() public {
        address[2] memory who = [ADMIN, PAUSER];
        for (uint256 i; i < who.length; ++i) {
            setUp();
            vm.startPrank(who[i]);
            guard.pause();
            guard.endOverlap();
            guard.disallowRoute(address(route), HonestRoute.swap.selector);
            guard.disallowRecipient(RECIPIENT);
            vm.stopPrank();
            expect(guard.paused(), "paused");
            expect(!guard.isRouteAllowed(address(route), HonestRoute.swap.selector), "off the list");
        }
    }

    function test_a_pauser_cancels_what_a_thief_scheduled() public {
        for (uint256 i; i < _permits().length; ++i) _cancels(address(guard), _permits()[i]);
        for (uint256 i; i < 9; ++i) _cancels(address(manager), _manages()[i]);
    }

    function _cancels(address target, bytes memory call) private {
        vm.prank(ADMIN);
        manager.schedule(target, call, 0);
        vm.prank(STRANGER);
        _fails(address(manager), abi.encodeCall(manager.cancel, (ADMIN, target, call)), "by anyone");
        vm.prank(PAUSER);
        manager.cancel(ADMIN, target, call);
        vm.warp(block.timestamp + DAY);
        vm.prank(ADMIN);
        _fails(target, call, "cancelled");
    }

    /// @dev Otherwise a thief of the pauser's key would keep it.
    function test_a_pauser_does_not_cancel_its_own_end() public {
        bytes memory end = abi.encodeCall(manager.revokeRole, (PAUSER_ROLE, PAUSER));
        vm.prank(ADMIN);
        manager.schedule(address(manager), end, 0);
        vm.prank(PAUSER);
        _fails(address(manager), abi.encodeCall(manager.cancel, (ADMIN, address(manager), end)), "its own");
        vm.warp(block.timestamp + DAY);
        vm.prank(ADMIN);
        manager.revokeRole(PAUSER_ROLE, PAUSER);
        vm.prank(PAUSER);
        vm.expectRevert(_unauthorized(PAUSER));
        guard.pause();
    }

    function test_what_nobody_carries_out_within_a_week_ends() public {
        bytes memory call = abi.encodeCall(guard.allowRecipient, (STRANGER));
        vm.startPrank(ADMIN);
        manager.schedule(address(guard), call, 0);
        vm.warp(block.timestamp + DAY + 1 weeks);
        _fails(address(guard), call, "too late");
        vm.stopPrank();
    }

    /*//////////////////////////////////////////////////////////////
                       A STOLEN ATTESTATION KEY
    //////////////////////////////////////////////////////////////*/

    function test_after_a_theft_of_the_attestation_key_the_guard_stays_paused_until_the_rotation() public {
        vm.prank(PAUSER);
        guard.pause();
        bytes memory rotation = abi.encodeCall(guard.rotateSigner, (vm.addr(NEW_KEY), 0));
        vm.startPrank(ADMIN);
        manager.schedule(address(guard), rotation, 0);
        manager.schedule(address(guard), abi.encodeCall(guard.unpause, ()), 0);
        vm.warp(block.timestamp + DAY - 1);
        _fails(address(guard), rotation, "the rotation waits");
        _fails(address(guard), abi.encodeCall(guard.unpause, ()), "so does the end of the pause");
        vm.stopPrank();
        _expectBothRevert(_trade(), _reason(ITradeGuard.TradingPaused.selector));

        vm.warp(block.timestamp + 1);
        vm.startPrank(ADMIN);
        guard.rotateSigner(vm.addr(NEW_KEY), 0);
        guard.unpause();
        vm.stopPrank();
        Trade memory trade = _trade();
        _expectBothRevert(trade, _reason(ITradeGuard.CertificateSignerUnknown.selector, ATTESTOR));
        _signCertificate(trade, NEW_KEY);
        _execute(trade);
    }

    /// @dev Scheduled in advance it waits for its day, for at most a week after it.
    function test_a_successor_of_the_attestation_key_that_was_scheduled_in_advance_takes_over_at_once()
        public
    {
        vm.prank(ADMIN);
        manager.schedule(address(guard), abi.encodeCall(guard.rotateSigner, (vm.addr(NEW_KEY), 0)), 0);
        vm.warp(block.timestamp + 3 days);
        vm.prank(ADMIN);
        guard.rotateSigner(vm.addr(NEW_KEY), 0);
        expectEqual(guard.signer(), vm.addr(NEW_KEY), "without a further day");
    }

    /// @dev All that a thief can do with the only admin key is to leave the guard as it is, forever.
    function test_an_admin_can_end_its_own_roles_at_once_which_permits_nothing() public {
        uint64[3] memory roles = [ADMIN_ROLE, OPERATOR, PAUSER_ROLE];
        vm.startPrank(ADMIN);
        for (uint256 i; i < roles.length; ++i) manager.renounceRole(roles[i], ADMIN);
        for (uint256 i; i < _permits().length; ++i) {
            bytes memory call = abi.encodeCall(manager.schedule, (address(guard), _permits()[i], 0));
            _fails(address(manager), call, "for nobody");
        }
        vm.stopPrank();
        _execute(_trade());
    }

    function _scheduled(address target, bytes memory call) private {
        vm.startPrank(ADMIN);
        manager.schedule(target, call, 0);
        vm.warp(block.timestamp + DAY);
        manager.execute(target, call);
        vm.stopPrank();
    }
}
