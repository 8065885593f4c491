// SPDX-License-Identifier: MIT
pragma solidity 0.8.35;

import {ITradeGuard, TradeIntent} from "../../contracts/ITradeGuard.sol";
import {GuardFixture, Trade} from "../support/contracts/GuardFixture.sol";
import {Log, vm} from "../support/contracts/Vm.sol";
import {FeeToken} from "../support/contracts/tokens/OddTokens.sol";
import {PlainToken} from "../support/contracts/tokens/PlainToken.sol";
import {KeyWallet} from "../support/contracts/wallets/Wallets.sol";

/// @dev Every call that changes something tells it in one event of the guard, and each member of it is right.
contract EventsTest is GuardFixture {
    uint256 private constant NEW_KEY = uint256(keccak256("new attestor"));
    bytes32 private constant TRADE_EXECUTED = ITradeGuard.TradeExecuted.selector;

    /// @dev Makes the call and expects exactly one event of the guard.
    function _tells(address by, bytes memory call, bytes32[4] memory topics, bytes memory data) private {
        vm.recordLogs();
        (bool success, ) = _try(by, call);
        expect(success, "the call");
        _expectOne(topics, data);
    }

    /// @dev The topics behind those that the event has are zero.
    function _expectOne(bytes32[4] memory topics, bytes memory data) private {
        Log[] memory logs = vm.getRecordedLogs();
        uint256 found;
        for (uint256 i; i < logs.length; ++i) {
            if (logs[i].emitter != address(guard)) continue;
            ++found;
            for (uint256 j; j < 4; ++j) {
                bytes32 topic = j < logs[i].topics.length ? logs[i].topics[j] : bytes32(0);
                expectEqual(topic, topics[j], "topic");
            }
            expectEqual(keccak256(logs[i].data), keccak256(data), "data");
        }
        expectEqual(found, 1, "events of the guard");
    }

    function _word(address account_) private pure returns (bytes32) {
        return bytes32(uint256(uint160(account_)));
    }

    function test_a_pause_and_its_end_tell_who_made_them_each_time() public {
        address[2] memory pausers = [ADMIN, PAUSER];
        for (uint256 i; i < 4; ++i) {
            bytes32 by = _word(pausers[i % 2]);
            _tells(
                pausers[i % 2],
                abi.encodeCall(guard.pause, ()),
                [ITradeGuard.Paused.selector, by, 0, 0],
                ""
            );
        }
        for (uint256 i; i < 2; ++i)
            _tells(
                ADMIN,
                abi.encodeCall(guard.unpause, ()),
                [ITradeGuard.Unpaused.selector, _word(ADMIN), 0, 0],
                ""
            );
    }

    function test_a_rotation_tells_both_keys_and_the_end_of_the_overlap() public {
        uint256[4] memory overlaps = [uint256(0), 1, 1 hours, 0];
        address previous = ATTESTOR;
        for (uint256 i; i < 8; ++i) {
            address next = i == 4 ? previous : vm.addr(NEW_KEY + i);
            uint256 ends = overlaps[i % 4] == 0 ? 0 : block.timestamp + overlaps[i % 4];
            _tells(
                ADMIN,
                abi.encodeCall(guard.rotateSigner, (next, overlaps[i % 4])),
                [ITradeGuard.SignerRotated.selector, _word(previous), _word(next), 0],
                abi.encode(ends)
            );
            previous = next;
            vm.warp(block.timestamp + 10);
        }
    }

    function test_the_lists_tell_each_call_even_if_nothing_changes() public {
        bool[4] memory flags = [true, true, false, false];
        bytes4 selector = 0x12345678;
        for (uint256 i; i < flags.length; ++i) {
            _tells(
                ADMIN,
                flags[i]
                    ? abi.encodeCall(guard.allowRoute, (STRANGER, selector))
                    : abi.encodeCall(guard.disallowRoute, (STRANGER, selector)),
                [ITradeGuard.RouteSet.selector, _word(STRANGER), bytes32(selector), 0],
                abi.encode(flags[i])
            );
            _tells(
                ADMIN,
                flags[i]
                    ? abi.encodeCall(guard.allowRecipient, (RECIPIENT))
                    : abi.encodeCall(guard.disallowRecipient, (RECIPIENT)),
                [ITradeGuard.RecipientSet.selector, _word(RECIPIENT), 0, 0],
                abi.encode(flags[i])
            );
        }
    }

    function test_an_invalidation_tells_the_bits_that_were_asked_for() public {
        uint256[4] memory masks = [uint256(5), 6, 0, type(uint256).max];
        for (uint256 i; i < masks.length; ++i)
            _tells(
                STRANGER,
                abi.encodeCall(guard.invalidateNonces, (2 ** 200, masks[i])),
                [ITradeGuard.NoncesInvalidated.selector, _word(STRANGER), bytes32(uint256(2 ** 200)), 0],
                abi.encode(masks[i])
            );
    }

    /// @dev Both entry points, both signers, owner or listed recipient, an account or a contract, with a refund and
    /// without, output with a fee and without.
    function test_a_trade_tells_itself_once_and_each_member_is_right() public {
        address wallet = address(new KeyWallet(OWNER));
        address paidContract = address(new KeyWallet(STRANGER));
        vm.startPrank(ADMIN);
        guard.allowRecipient(RECIPIENT);
        guard.allowRecipient(paidContract);
        guard.rotateSigner(vm.addr(NEW_KEY), 1 hours);
        vm.stopPrank();
        address[3] memory recipients = [address(0), RECIPIENT, paidContract];
        for (uint256 i; i < 96; ++i) {
            address owner = i & 1 == 0 ? OWNER : wallet;
            address recipient = recipients[(i >> 5) % 3];
            _expectTold(owner, recipient == address(0) ? owner : recipient, i);
        }
    }

    function _expectTold(address owner, address recipient, uint256 choice) private {
        uint256 spent = choice & 2 == 0 ? AMOUNT_IN : AMOUNT_IN - 7;
        address to = choice & 4 == 0 ? address(output) : address(new FeeToken(10));
        PlainToken(to).mint(address(route), AMOUNT_OUT);
        PlainToken(address(input)).mint(owner, AMOUNT_IN);
        vm.prank(owner);
        input.approve(address(guard), AMOUNT_IN);
        TradeIntent memory intent = _intent(address(input), to);
        (intent.owner, intent.recipient, intent.nonce) = (owner, recipient, choice);
        Trade memory t = _certify(intent, _swapData(address(input), to, spent, AMOUNT_OUT));
        (t.certificate.jobId, t.certificate.evidenceHash) = (keccak256("a job"), keccak256("its evidence"));
        _signCertificate(t, choice & 8 == 0 ? ATTESTOR_KEY : NEW_KEY);
        uint256 held = PlainToken(to).balanceOf(recipient);

        vm.recordLogs();
        uint256 amountOut = choice & 16 == 0 ? _execute(t) : _executeFor(t);
        uint256 received = PlainToken(to).balanceOf(recipient) - held;

        expectEqual(amountOut, received, "returned");
        _expectOne(
            [TRADE_EXECUTED, t.certificate.jobId, _word(owner), t.certificate.evidenceHash],
            abi.encode(_hashIntent(t.intent), spent, received)
        );
    }
}
