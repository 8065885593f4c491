// SPDX-License-Identifier: MIT
pragma solidity 0.8.35;

import {ITradeGuard} from "../../contracts/ITradeGuard.sol";
import {GuardFixture} from "../support/contracts/GuardFixture.sol";
import {vm} from "../support/contracts/Vm.sol";

/// @dev An admin may have any other role as well, and is bound by every limit just the same.
contract RolesTest is GuardFixture {
    address private constant PERMIT2 = 0x000000000022D473030F116dDEE9F6B43aC78BA3;
    bytes4 private constant SELECTOR = 0x12345678;
    uint256 private constant ROLES = 2;
    /// @dev Where signer, pause and the executor's number lie.
    bytes32 private constant SIGNER_SLOT = bytes32(uint256(3));
    uint256 private constant NUMBER_OFFSET = 168;

    function test_no_other_role_frees_an_admin_of_a_limit() public {
        for (uint256 role; role < ROLES; ++role) {
            setUp();
            _giveAdmin(role);
            _refused(
                abi.encodeCall(guard.rotateSigner, (STRANGER, 1 hours + 1)),
                _reason(ITradeGuard.OverlapTooLong.selector, 1 hours + 1, 1 hours)
            );
            _refused(
                abi.encodeCall(guard.rotateSigner, (address(0), 0)),
                _reason(ITradeGuard.InvalidSigner.selector, address(0))
            );
            _refusesWhatCanNeverBeListed();
            _refusesAnExecutorTooMany();
        }
    }

    /// @dev The account that administers, and may pause, becomes signer or previous signer.
    function _giveAdmin(uint256 role) private {
        vm.startPrank(ADMIN);
        if (role < 2) guard.rotateSigner(ADMIN, 0);
        if (role == 1) guard.rotateSigner(ATTESTOR, 1 hours);
        vm.stopPrank();
        expectEqual(role == 0 ? guard.signer() : guard.previousSigner(), ADMIN, "the admin has that role");
    }

    function _refusesWhatCanNeverBeListed() private {
        address[4] memory never = [address(0), address(guard), executor, PERMIT2];
        for (uint256 i; i < never.length; ++i) {
            _refused(
                abi.encodeCall(guard.allowRoute, (never[i], SELECTOR)),
                _reason(ITradeGuard.InvalidRoute.selector, never[i], SELECTOR)
            );
            if (never[i] == PERMIT2) continue;
            _refused(
                abi.encodeCall(guard.allowRecipient, (never[i])),
                _reason(ITradeGuard.InvalidRecipient.selector, never[i])
            );
        }
        _refused(
            abi.encodeCall(guard.allowRoute, (address(route), bytes4(0))),
            _reason(ITradeGuard.InvalidRoute.selector, address(route), bytes4(0))
        );
    }

    function _refusesAnExecutorTooMany() private {
        uint256 word = uint256(vm.load(address(guard), SIGNER_SLOT));
        vm.store(address(guard), SIGNER_SLOT, bytes32(word | (255 << NUMBER_OFFSET)));
        _refused(
            abi.encodeCall(guard.renewExecutor, (NO_SEEDS)),
            _reason(ITradeGuard.NoExecutorLeft.selector)
        );
    }

    function _refused(bytes memory call, bytes memory reason) private {
        (bool success, bytes memory answered) = _try(ADMIN, call);
        expect(!success, "refused");
        expectEqual(keccak256(answered), keccak256(reason), "for its own reason");
    }

    function test_every_selector_but_zero_can_be_listed_to_its_last_bit() public {
        for (uint256 bit; bit < 32; ++bit) {
            bytes4 selector = bytes4(uint32(1 << bit));
            vm.prank(ADMIN);
            guard.allowRoute(address(route), selector);
            expect(guard.isRouteAllowed(address(route), selector), "listed");
            vm.prank(ADMIN);
            guard.disallowRoute(address(route), selector);
            expect(!guard.isRouteAllowed(address(route), selector), "and taken off");
        }
    }

    function test_times_of_a_rotation_and_of_a_renewal_fit_beyond_the_year_2106() public {
        uint256 end = (1 << 32) + 1_000 + 30 minutes;
        vm.warp((1 << 32) + 1_000);
        vm.startPrank(ADMIN);
        vm.expectEmit(address(guard));
        emit ITradeGuard.SignerRotated(ATTESTOR, STRANGER, end);
        guard.rotateSigner(STRANGER, 30 minutes);
        guard.renewExecutor(NO_SEEDS);
        vm.stopPrank();
        expectEqual(guard.previousSignerValidUntil(), end, "the overlap's end");
        uint256 since = uint256(vm.load(address(guard), SIGNER_SLOT)) >> 192;
        expectEqual(since, (1 << 32) + 1_001, "the executor's first second");
    }
}
