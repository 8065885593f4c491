// SPDX-License-Identifier: MIT
pragma solidity 0.8.35;

import {ITradeGuard} from "../../contracts/ITradeGuard.sol";
import {OneCall} from "../support/contracts/Attackers.sol";
import {GuardFixture, Trade} from "../support/contracts/GuardFixture.sol";
import {vm} from "../support/contracts/Vm.sol";

/// @dev Nonces are unordered bits; each executes once, and its owner alone spends it.
contract NoncesTest is GuardFixture {
    function testFuzz_a_nonce_executes_once(uint256 nonce, bool relayed) public {
        Trade memory trade = _tradeWith(nonce);
        expect(!guard.isNonceUsed(OWNER, nonce), "unused before");

        if (relayed) _relay(trade);
        else _execute(trade);

        expect(guard.isNonceUsed(OWNER, nonce), "used after");
        _expectRefused(trade, _reason(ITradeGuard.NonceUsed.selector, OWNER, nonce));
    }

    /// @dev Each other nonce that differs in one bit, of the word or within it.
    function testFuzz_a_nonce_spends_no_other(uint256 nonce, uint256 otherBit) public {
        _execute(_tradeWith(nonce));
        for (uint256 bit; bit < 256; ++bit) {
            expect(!guard.isNonceUsed(OWNER, nonce ^ (1 << bit)), "another nonce");
        }
        expect(!guard.isNonceUsed(STRANGER, nonce), "somebody else's nonce");
        _execute(_tradeWith(nonce ^ (1 << (otherBit % 256))));
        // The one before stays spent when another of its word is spent after it.
        _expectRefused(_tradeWith(nonce), _reason(ITradeGuard.NonceUsed.selector, OWNER, nonce));
    }

    function test_a_trade_writes_the_word_of_its_nonce_and_nothing_else() public {
        uint256[3] memory nonces = [uint256(0), 255, 256];
        for (uint256 i; i < nonces.length; ++i) {
            Trade memory trade = _tradeWith(nonces[i]);
            vm.record();
            _execute(trade);
            (, bytes32[] memory written) = vm.accesses(address(guard));
            expectEqual(written.length, 1, "one write");
            uint256 word = uint256(vm.load(address(guard), written[0]));
            expectEqual(word, nonces[i] == 255 ? 1 | (1 << 255) : 1, "the bits of the nonces that are spent");
        }
    }

    function test_nonce_and_signature_are_the_owners_and_not_the_recipients() public {
        _allowRecipient(RECIPIENT);
        _execute(_tradeTo(RECIPIENT));
        expect(guard.isNonceUsed(OWNER, 0), "the owner's nonce");
        expect(!guard.isNonceUsed(RECIPIENT, 0), "not the recipient's");
    }

    function testFuzz_an_owner_invalidates_any_bits_of_a_word(
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

    /// @dev Each other word whose number differs in one bit, among them the neighbors.
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

    function testFuzz_an_invalidated_nonce_does_not_execute(uint256 nonce) public {
        Trade memory trade = _tradeWith(nonce);
        vm.prank(OWNER);
        guard.invalidateNonces(nonce >> 8, 1 << (nonce & 0xff));
        _expectRefused(trade, _reason(ITradeGuard.NonceUsed.selector, OWNER, nonce));
    }

    function testFuzz_a_stranger_invalidates_no_nonce_of_the_owner(uint256 nonce) public {
        Trade memory trade = _tradeWith(nonce);
        vm.prank(STRANGER);
        guard.invalidateNonces(nonce >> 8, type(uint256).max);
        _execute(trade);
    }

    function test_nonces_are_invalidated_while_trading_is_paused() public {
        vm.prank(PAUSER);
        guard.pause();
        vm.prank(OWNER);
        guard.invalidateNonces(3, 1);
        expect(guard.isNonceUsed(OWNER, 3 << 8), "used");
    }

    function test_nonces_are_invalidated_while_a_trade_runs() public {
        OneCall accomplice = new OneCall();
        accomplice.tell(address(guard), abi.encodeCall(guard.invalidateNonces, (7, 5)));
        _execute(_tradeAround(accomplice));
        expect(accomplice.succeeded(), "in the middle of a trade");
        expect(guard.isNonceUsed(address(accomplice), 7 * 256 + 2), "the caller's own");
        expect(!guard.isNonceUsed(OWNER, 7 * 256 + 2), "nobody else's");
    }
}
