// SPDX-License-Identifier: MIT
pragma solidity 0.8.35;

import {IERC1271} from "@openzeppelin/contracts/interfaces/IERC1271.sol";
import {ITradeGuard, TradeIntent} from "../../contracts/ITradeGuard.sol";
import {GuardFixture, Trade} from "../support/contracts/GuardFixture.sol";
import {CURVE_ORDER} from "../support/contracts/Packing.sol";
import {vm} from "../support/contracts/Vm.sol";
import {KeyWallet, ScriptedWallet, WritingWallet} from "../support/contracts/wallets/Wallets.sol";

/// @dev `executeFor` trades only for those who signed.
contract OwnerSignatureTest is GuardFixture {
    function test_a_signature_of_another_intent_is_refused() public {
        Trade memory trade = _trade();
        TradeIntent memory other = _trade().intent;
        other.minAmountOut = MIN_OUT - 1;
        trade.ownerSignature = _sign(OWNER_KEY, _hashIntent(other));
        _refused(trade);
    }

    function test_the_attestation_key_relays_nothing_that_the_owner_has_not_signed() public {
        Trade memory trade = _trade();
        trade.ownerSignature = _sign(ATTESTOR_KEY, trade.certificate.intentHash);
        address[3] memory relayers = _rotatedSigners();
        for (uint256 i; i < relayers.length; ++i) {
            vm.expectRevert(_reason(ITradeGuard.OwnerSignatureInvalid.selector, OWNER));
            _executeForAs(relayers[i], trade);
        }
    }

    function test_a_signature_of_the_bare_struct_hash_is_refused() public {
        Trade memory trade = _trade();
        (uint8 v, bytes32 r, bytes32 s) = vm.sign(OWNER_KEY, trade.certificate.intentHash);
        trade.ownerSignature = abi.encodePacked(r, s, v);
        _refused(trade);
    }

    function testFuzz_random_bytes_are_refused(bytes memory signature) public {
        Trade memory trade = _trade();
        trade.ownerSignature = signature;
        _refused(trade);
    }

    function test_the_zero_address_owns_nothing() public {
        Trade memory trade = _tradeOwnedBy(address(0));
        for (uint256 length = 64; length < 66; ++length) {
            trade.ownerSignature = new bytes(length);
            _refusedOf(address(0), trade);
        }
    }

    /// @dev The precompile returns nothing where it recovers no signer. Older memory must not count as its answer: the last
    /// lookup left the nonce's slot there. A thief with a certified intent can choose the nonce to be the victim.
    function test_a_signature_of_nobody_is_not_the_owners_whatever_was_in_memory_before() public {
        bytes32 order = bytes32(CURVE_ORDER);
        bytes[6] memory nobodys = [
            new bytes(65),
            new bytes(64),
            abi.encodePacked(bytes32(uint256(1)), bytes32(uint256(1)), uint8(0)),
            abi.encodePacked(bytes32(uint256(1)), bytes32(uint256(1)), uint8(29)),
            abi.encodePacked(order, bytes32(uint256(1)), uint8(27)),
            abi.encodePacked(order, bytes32((1 << 255) | uint256(1)))
        ];
        for (uint256 i; i < nobodys.length; ++i) {
            Trade memory trade = _tradeWith((uint256(uint160(OWNER)) << 8) | i);
            trade.ownerSignature = nobodys[i];
            _refused(trade);
        }
    }

    function test_the_owner_may_relay_the_own_signature() public {
        _executeForAs(OWNER, _trade());
    }

    function test_a_contract_wallet_signs_as_it_defines() public {
        KeyWallet wallet = new KeyWallet(OWNER);
        Trade memory trade = _tradeOf(address(wallet));

        _executeFor(trade);

        expectEqual(output.balanceOf(address(wallet)), AMOUNT_OUT, "received");
    }

    function test_a_contract_wallet_may_execute_itself() public {
        KeyWallet wallet = new KeyWallet(OWNER);
        Trade memory t = _tradeOf(address(wallet));

        wallet.call(address(guard), _ownerCall(t));

        expectEqual(output.balanceOf(address(wallet)), AMOUNT_OUT, "received");
    }

    function test_a_contract_wallet_that_refuses_is_not_traded_for() public {
        KeyWallet wallet = new KeyWallet(STRANGER);
        Trade memory trade = _tradeOf(address(wallet));

        _refusedOf(address(wallet), trade);
    }

    function test_an_answer_that_is_not_the_magic_value_is_refused() public {
        bytes4 magic = IERC1271.isValidSignature.selector;
        _refusedAnswer("", false);
        _refusedAnswer(abi.encodePacked(magic), false);
        _refusedAnswer(abi.encode(true), false);
        _refusedAnswer(abi.encode(uint256(uint32(magic))), false);
        _refusedAnswer(abi.encodePacked(magic, bytes28(uint224(1))), false);
        _refusedAnswer(abi.encode(magic), true);
    }

    function test_a_wallet_that_changes_its_answer_is_asked_anew_each_time() public {
        ScriptedWallet wallet = new ScriptedWallet();
        wallet.script(abi.encode(IERC1271.isValidSignature.selector), false);
        Trade memory first = _tradeOf(address(wallet));
        Trade memory second = _tradeOf(address(wallet));
        second.intent.nonce = 1;
        _certifyAgain(second);

        _executeFor(first);
        wallet.script(abi.encode(bytes4(0)), false);

        _refusedOf(address(wallet), second);
    }

    function test_a_wallet_cannot_write_while_it_is_asked() public {
        WritingWallet wallet = new WritingWallet();
        Trade memory trade = _tradeOf(address(wallet));

        _refusedOf(address(wallet), trade);
    }

    function test_an_account_with_delegated_code_signs_with_its_key() public {
        // The owner's own address has code that refuses every ERC-1271 call.
        vm.etch(OWNER, address(new ScriptedWallet()).code);

        expectEqual(_executeFor(_trade()), AMOUNT_OUT, "amount out");
    }

    /// @dev Its code is the designator of EIP-7702 alone, and what it answers is the delegate's.
    function test_an_account_with_delegated_code_may_also_sign_as_its_delegate_defines() public {
        KeyWallet wallet = new KeyWallet(STRANGER);
        vm.etch(OWNER, abi.encodePacked(hex"ef0100", wallet));
        expectEqual(OWNER.code.length, 23, "a designator");
        Trade memory trade = _trade();
        trade.ownerSignature = _sign(uint256(keccak256("stranger")), trade.certificate.intentHash);
        expectEqual(_executeFor(trade), AMOUNT_OUT, "amount out");

        trade = _tradeWith(1);
        trade.ownerSignature = _sign(uint256(keccak256("recipient")), trade.certificate.intentHash);
        _refused(trade);
    }

    function _tradeOf(address owner) private returns (Trade memory) {
        _fund(address(input), owner, AMOUNT_IN * 2);
        return _tradeOwnedBy(owner);
    }

    function _refusedAnswer(bytes memory answer, bool reverts) private {
        ScriptedWallet wallet = new ScriptedWallet();
        wallet.script(answer, reverts);
        Trade memory trade = _tradeOf(address(wallet));

        _refusedOf(address(wallet), trade);
    }

    function _refused(Trade memory trade) private {
        _refusedOf(OWNER, trade);
        expect(!guard.isNonceUsed(OWNER, trade.intent.nonce), "a stranger spends no nonce");
    }

    function _refusedOf(address owner, Trade memory trade) private {
        vm.expectRevert(_reason(ITradeGuard.OwnerSignatureInvalid.selector, owner));
        _executeFor(trade);
    }
}
