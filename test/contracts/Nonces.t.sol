// SPDX-License-Identifier: MIT
pragma solidity 0.8.35;

import {ITradeGuard} from "../../contracts/ITradeGuard.sol";
import {GuardFixture, Trade} from "../support/contracts/GuardFixture.sol";
import {vm} from "../support/contracts/Vm.sol";

/// @dev Nonces are unordered bits; each executes once, and its owner alone spends it.
contract NoncesTest is GuardFixture {
    function testFuzz_a_nonce_executes_once(uint256 nonce) public {
        Trade memory trade = _tradeWith(nonce);
        expect(!guard.isNonceUsed(OWNER, nonce), "unused before");

        _execute(trade);

        expect(guard.isNonceUsed(OWNER, nonce), "used after");
        _expectBothRevert(trade, _reason(ITradeGuard.NonceUsed.selector, OWNER, nonce));
    }

    function testFuzz_a_nonce_executes_once_whichever_way_comes_first(uint256 nonce) public {
        Trade memory trade = _tradeWith(nonce);
        _executeFor(trade);
        _expectBothRevert(trade, _reason(ITradeGuard.NonceUsed.selector, OWNER, nonce));
    }

    function testFuzz_nonces_do_not_touch_each_other(uint256 a, uint256 b) public {
        vm.assume(a != b);
        _execute(_tradeWith(a));

        expect(guard.isNonceUsed(OWNER, a), "a");
        expect(!guard.isNonceUsed(OWNER, b), "b");
        expect(!guard.isNonceUsed(STRANGER, a), "somebody else's a");

        _execute(_tradeWith(b));
    }

    function testFuzz_an_owner_can_use_up_any_bits_of_a_word(
        uint256 word,
        uint256 first,
        uint256 second
    ) public {
        word = between(word, 0, type(uint256).max >> 8);
        vm.startPrank(OWNER);
        vm.expectEmit(address(guard));
        emit ITradeGuard.NoncesInvalidated(OWNER, word, first);
        guard.invalidateNonces(word, first);
        guard.invalidateNonces(word, second);
        vm.stopPrank();

        for (uint256 bit; bit < 256; bit += 5) {
            bool used = ((first | second) >> bit) & 1 == 1;
            expect(guard.isNonceUsed(OWNER, (word << 8) | bit) == used, "bit");
            expect(!guard.isNonceUsed(STRANGER, (word << 8) | bit), "somebody else's bit");
        }
    }

    /// @dev Each other word that differs in one bit of its number, among them the neighbors.
    function testFuzz_an_invalidation_leaves_every_other_word_alone(uint256 word, uint256 low) public {
        word = between(word, 0, type(uint256).max >> 8);
        low = between(low, 0, 255);
        vm.prank(OWNER);
        guard.invalidateNonces(word, type(uint256).max);

        for (uint256 bit; bit < 248; ++bit) {
            uint256 other = word ^ (1 << bit);
            expect(!guard.isNonceUsed(OWNER, (other << 8) | low), "another word");
        }
        _execute(_tradeWith(((word ^ 1) << 8) | low));
    }

    function testFuzz_an_invalidated_nonce_cannot_execute(uint256 nonce) public {
        Trade memory trade = _tradeWith(nonce);
        vm.prank(OWNER);
        guard.invalidateNonces(nonce >> 8, 1 << (nonce & 0xff));

        _expectBothRevert(trade, _reason(ITradeGuard.NonceUsed.selector, OWNER, nonce));
    }

    function testFuzz_a_stranger_cannot_spend_the_owners_nonce(uint256 nonce) public {
        Trade memory trade = _tradeWith(nonce);
        vm.prank(STRANGER);
        guard.invalidateNonces(nonce >> 8, type(uint256).max);

        _execute(trade);
    }

    function test_nonces_can_be_invalidated_while_trading_is_paused() public {
        vm.prank(PAUSER);
        guard.pause();
        vm.prank(OWNER);
        guard.invalidateNonces(3, 1);

        expect(guard.isNonceUsed(OWNER, 3 << 8), "used");
    }
}
