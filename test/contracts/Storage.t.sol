// SPDX-License-Identifier: MIT
pragma solidity 0.8.35;

import {GuardFixture, Trade} from "../support/contracts/GuardFixture.sol";
import {vm} from "../support/contracts/Vm.sol";

/// @dev What a trade, or who takes nonces back, leaves behind in the guard: bits of one word.
contract StorageTest is GuardFixture {
    uint256 private constant NEW_KEY = uint256(keccak256("new attestor"));
    uint256 private constant ENTRY_POINTS = 4;

    function test_a_trade_writes_the_word_of_its_nonce_and_no_other() public {
        for (uint256 entry; entry < ENTRY_POINTS; ++entry) {
            for (uint256 choice; choice < 8; ++choice) {
                setUp();
                _startFrom(choice);
                _writesItsNonceAlone(entry, 0);
                // A word in which another nonce was spent, and a new one.
                _writesItsNonceAlone(entry, 255);
                _writesItsNonceAlone(entry, 256);
            }
        }
    }

    function test_who_takes_nonces_back_writes_their_word_and_no_other() public {
        for (uint256 choice; choice < 8; ++choice) {
            setUp();
            _startFrom(choice);
            vm.record();
            vm.prank(OWNER);
            guard.invalidateNonces(choice, 3);
            (, bytes32[] memory written) = vm.accesses(address(guard));
            expectEqual(written.length, 1, "one write");
            expectEqual(uint256(vm.load(address(guard), written[0])), 3, "the bits of the mask");
            expect(guard.isNonceUsed(OWNER, 256 * choice), "of this owner");
        }
    }

    /// @dev Nothing that an admin can set is zero, so that to clear it would show as well.
    function _startFrom(uint256 choice) private {
        vm.startPrank(ADMIN);
        if (choice & 1 != 0) guard.renewExecutor(NO_SEEDS);
        if (choice & 2 != 0) guard.rotateSigner(vm.addr(NEW_KEY), 1 hours);
        if (choice & 4 != 0) guard.allowRecipient(RECIPIENT);
        vm.stopPrank();
        executor = guard.executor();
        vm.warp(block.timestamp + 10 minutes);
    }

    function _writesItsNonceAlone(uint256 entry, uint256 nonce) private {
        Trade memory trade = _tradeWith(nonce);
        bytes memory data = _everyCall(trade)[entry];
        vm.record();
        _call(entry % 2 == 0 ? OWNER : STRANGER, data);
        (, bytes32[] memory written) = vm.accesses(address(guard));
        expectEqual(written.length, 1, "one write");
        uint256 word = uint256(vm.load(address(guard), written[0]));
        expectEqual(word, nonce == 255 ? 1 | (1 << 255) : 1, "the bits of the nonces that are spent");
        expect(guard.isNonceUsed(OWNER, nonce), "of this owner");
    }
}
