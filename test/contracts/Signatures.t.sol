// SPDX-License-Identifier: MIT
pragma solidity 0.8.35;

import {IERC1271} from "@openzeppelin/contracts/interfaces/IERC1271.sol";
import {ITradeGuard, TradeIntent, VerificationCertificate} from "../../contracts/ITradeGuard.sol";
import {GuardFixture, Trade} from "../support/contracts/GuardFixture.sol";
import {
    CURVE_ORDER,
    compacted,
    firstBytes,
    hashCertificate,
    hashIntent,
    upper
} from "../support/contracts/Trades.sol";
import {vm} from "../support/contracts/Vm.sol";
import {
    AfterNonceWallet,
    KeyWallet,
    PickyWallet,
    ScriptedWallet
} from "../support/contracts/wallets/Wallets.sol";

/// @dev Who may send a trade, and what counts as the signature of its owner and of its certificate.
contract SignaturesTest is GuardFixture {
    uint256 private constant STRANGER_KEY = uint256(keccak256("stranger"));

    /*//////////////////////////////////////////////////////////////
                              WHO SENDS IT
    //////////////////////////////////////////////////////////////*/

    function test_the_owner_sends_a_trade_without_a_signature() public {
        expectEqual(_execute(_trade()), AMOUNT_OUT, "amount out");
        expectEqual(output.balanceOf(OWNER), AMOUNT_OUT, "received");
    }

    function test_anyone_relays_a_trade_that_the_owner_signed() public {
        address[6] memory relayers = [STRANGER, ADMIN, ATTESTOR, RECIPIENT, address(route), OWNER];
        for (uint256 i; i < relayers.length; ++i) {
            uint256 amountOut = _relayAs(relayers[i], _tradeWith(i));
            expectEqual(amountOut, AMOUNT_OUT, "amount out");
            expectEqual(output.balanceOf(OWNER), (i + 1) * AMOUNT_OUT, "the owner is paid");
        }
    }

    function test_only_the_owner_sends_a_trade_without_a_signature() public {
        Trade memory trade = _trade();
        address[6] memory others = [STRANGER, ADMIN, ATTESTOR, RECIPIENT, address(route), executor];
        for (uint256 i; i < others.length; ++i) {
            vm.expectRevert(_reason(ITradeGuard.NotOwner.selector, others[i], OWNER));
            _call(others[i], _ownerCall(trade));
        }
    }

    function test_a_contract_that_the_owner_calls_is_not_the_owner() public {
        bytes memory call = _ownerCall(_trade());
        vm.prank(STRANGER, OWNER);
        (bool success, bytes memory reason) = address(guard).call(call);
        expect(!success, "the owner is only the transaction's origin");
        expectEqual(bytes4(reason), ITradeGuard.NotOwner.selector, "by its name");
    }

    function test_a_contract_wallet_sends_its_own_trade() public {
        KeyWallet wallet = new KeyWallet(OWNER);
        wallet.call(address(guard), _ownerCall(_tradeFundedFor(address(wallet))));
        expectEqual(output.balanceOf(address(wallet)), AMOUNT_OUT, "received");
    }

    /*//////////////////////////////////////////////////////////////
                           THE OWNER'S OWN KEY
    //////////////////////////////////////////////////////////////*/

    function test_no_other_key_signs_for_the_owner() public {
        uint256[5] memory keys = [
            ATTESTOR_KEY,
            STRANGER_KEY,
            uint256(keccak256("admin")),
            uint256(keccak256("pauser")),
            uint256(keccak256("recipient"))
        ];
        Trade memory trade = _tradeTo(RECIPIENT);
        _allowRecipient(RECIPIENT);
        for (uint256 i; i < keys.length; ++i) {
            trade.ownerSignature = _sign(keys[i], trade.certificate.intentHash);
            _expectNotTheOwners(trade);
        }
    }

    function test_the_owners_signature_of_something_else_is_refused() public {
        Trade memory trade = _trade();
        TradeIntent memory other = _trade().intent;
        other.policyHash = keccak256("another policy");
        trade.ownerSignature = _sign(OWNER_KEY, hashIntent(other));
        _expectNotTheOwners(trade);

        trade.ownerSignature = _sign(OWNER_KEY, hashCertificate(trade.certificate));
        _expectNotTheOwners(trade);

        // The struct hash without the domain.
        (uint8 v, bytes32 r, bytes32 s) = vm.sign(OWNER_KEY, trade.certificate.intentHash);
        trade.ownerSignature = abi.encodePacked(r, s, v);
        _expectNotTheOwners(trade);
    }

    function testFuzz_random_bytes_are_nobodys_signature(bytes memory signature) public {
        vm.assume(signature.length != 0);
        Trade memory trade = _trade();
        trade.ownerSignature = signature;
        _expectNotTheOwners(trade);
    }

    /*//////////////////////////////////////////////////////////////
                          FORMS OF A SIGNATURE
    //////////////////////////////////////////////////////////////*/

    function test_signatures_of_65_and_of_64_bytes_are_accepted() public {
        for (uint256 i; i < 4; ++i) {
            Trade memory trade = _tradeWith(i);
            if (i & 1 != 0) trade.ownerSignature = compacted(trade.ownerSignature);
            if (i & 2 != 0) trade.certificateSignature = compacted(trade.certificateSignature);
            expectEqual(_relay(trade), AMOUNT_OUT, "amount out");
        }
    }

    function testFuzz_a_signature_of_another_length_is_refused(uint8 length) public {
        vm.assume(length != 64 && length != 65);
        Trade memory trade = _trade();
        trade.certificateSignature = firstBytes(trade.certificateSignature, length);
        _expectNotCertified(trade);
        trade = _trade();
        vm.assume(length != 0);
        trade.ownerSignature = firstBytes(trade.ownerSignature, length);
        _expectNotTheOwners(trade);
    }

    function test_a_signature_with_another_v_is_refused() public {
        for (uint256 v; v < 256; ++v) {
            Trade memory trade = _trade();
            if (uint8(trade.certificateSignature[64]) != v) {
                trade.certificateSignature[64] = bytes1(uint8(v));
                _expectCertificateOfAnother(trade);
            }
            trade = _trade();
            if (uint8(trade.ownerSignature[64]) == v) continue;
            trade.ownerSignature[64] = bytes1(uint8(v));
            _expectNotTheOwners(trade);
        }
    }

    function test_a_signature_with_s_in_the_upper_half_is_refused() public {
        for (uint256 nonce; nonce < 4; ++nonce) {
            Trade memory trade = _tradeWith(nonce);
            trade.certificateSignature = upper(trade.certificateSignature);
            _expectNotCertified(trade);
            trade = _tradeWith(nonce);
            trade.ownerSignature = upper(trade.ownerSignature);
            _expectNotTheOwners(trade);
        }
    }

    /// @dev The precompile returns nothing where it recovers no signer. Older memory must not count as its answer: the last
    /// lookup left the nonce's slot there, and a thief with a certified intent could choose the nonce to be the victim.
    function test_a_signature_that_recovers_to_nobody_is_refused() public {
        bytes32 one = bytes32(uint256(1));
        bytes32 order = bytes32(CURVE_ORDER);
        bytes[6] memory nobodys = [
            new bytes(65),
            new bytes(64),
            abi.encodePacked(one, one, uint8(0)),
            abi.encodePacked(one, one, uint8(29)),
            abi.encodePacked(order, one, uint8(27)),
            abi.encodePacked(order, bytes32((1 << 255) | uint256(1)))
        ];
        for (uint256 i; i < nobodys.length; ++i) {
            Trade memory trade = _tradeWith((uint256(uint160(OWNER)) << 8) | i);
            trade.ownerSignature = nobodys[i];
            _expectNotTheOwners(trade);
            trade = _tradeOwnedBy(address(0));
            trade.ownerSignature = nobodys[i];
            _expectNotTheOwners(trade);
            trade = _trade();
            trade.certificateSignature = nobodys[i];
            _expectNotCertified(trade);
        }
    }

    /*//////////////////////////////////////////////////////////////
                      CONTRACTS THAT SIGN (ERC-1271)
    //////////////////////////////////////////////////////////////*/

    function test_a_contract_wallet_signs_as_it_defines() public {
        Trade memory trade = _tradeFundedFor(address(new KeyWallet(OWNER)));
        expectEqual(_relay(trade), AMOUNT_OUT, "amount out");
        _expectNotTheOwners(_tradeFundedFor(address(new KeyWallet(STRANGER))));
    }

    function test_a_wallet_is_asked_about_the_digest_and_the_bytes_that_were_sent() public {
        PickyWallet wallet = new PickyWallet();
        Trade memory trade = _tradeFundedFor(address(wallet));
        trade.ownerSignature = "three words long";
        wallet.accept(_digest(trade.certificate.intentHash), "three words longer");
        _expectNotTheOwners(trade);
        wallet.accept(trade.certificate.intentHash, trade.ownerSignature);
        _expectNotTheOwners(trade);
        wallet.accept(_digest(trade.certificate.intentHash), trade.ownerSignature);
        expectEqual(_relay(trade), AMOUNT_OUT, "amount out");
    }

    function test_an_answer_other_than_the_magic_value_is_refused() public {
        bytes4 magic = IERC1271.isValidSignature.selector;
        _expectAnswerRefused("", false);
        _expectAnswerRefused(abi.encodePacked(magic), false);
        _expectAnswerRefused(abi.encode(uint256(uint32(magic))), false);
        _expectAnswerRefused(abi.encodePacked(magic, bytes28(uint224(1))), false);
        _expectAnswerRefused(abi.encode(magic), true);
    }

    function _expectAnswerRefused(bytes memory answer, bool reverts) private {
        ScriptedWallet wallet = new ScriptedWallet();
        wallet.script(answer, reverts);
        _expectNotTheOwners(_tradeFundedFor(address(wallet)));
    }

    function test_a_wallet_is_asked_after_its_nonce_is_spent() public {
        Trade memory trade = _tradeFundedFor(address(new AfterNonceWallet(guard)));
        expectEqual(_relay(trade), AMOUNT_OUT, "amount out");
    }

    /*//////////////////////////////////////////////////////////////
                     ACCOUNTS WITH DELEGATED CODE (EIP-7702)
    //////////////////////////////////////////////////////////////*/

    function test_an_account_with_delegated_code_signs_with_its_key() public {
        // Its code refuses every question.
        vm.etch(OWNER, address(new ScriptedWallet()).code);
        expectEqual(_relay(_trade()), AMOUNT_OUT, "amount out");
    }

    /// @dev Its code is the designator alone, and the answer is the delegate's.
    function test_an_account_with_delegated_code_also_signs_as_its_delegate_defines() public {
        vm.etch(OWNER, abi.encodePacked(hex"ef0100", new KeyWallet(STRANGER)));
        expectEqual(OWNER.code.length, 23, "a designator");
        Trade memory trade = _trade();
        trade.ownerSignature = _sign(STRANGER_KEY, trade.certificate.intentHash);
        expectEqual(_relay(trade), AMOUNT_OUT, "amount out");

        trade = _tradeWith(1);
        trade.ownerSignature = _sign(uint256(keccak256("recipient")), trade.certificate.intentHash);
        _expectNotTheOwners(trade);
    }

    /*//////////////////////////////////////////////////////////////
                            HASHES AND DOMAIN
    //////////////////////////////////////////////////////////////*/

    function testFuzz_an_intent_is_hashed_as_eip712_says(TradeIntent memory intent) public view {
        expectEqual(guard.hashIntent(intent), hashIntent(intent), "struct hash");
    }

    function testFuzz_a_certificate_is_hashed_as_eip712_says(
        VerificationCertificate memory certificate
    ) public view {
        expectEqual(guard.hashCertificate(certificate), hashCertificate(certificate), "struct hash");
    }

    function test_the_guard_describes_its_domain_on_whatever_chain_it_is() public {
        uint256[2] memory chains = [block.chainid, block.chainid + 1];
        for (uint256 i; i < chains.length; ++i) {
            vm.chainId(chains[i]);
            (
                bytes1 fields,
                string memory name,
                string memory version,
                uint256 chainId,
                address verifyingContract,
                bytes32 salt,
                uint256[] memory extensions
            ) = guard.eip712Domain();
            expect(fields == hex"0f", "name, version, chain and contract");
            expectEqual(keccak256(bytes(name)), keccak256("TradeGuard"), "name");
            expectEqual(keccak256(bytes(version)), keccak256("1"), "version");
            expectEqual(chainId, chains[i], "chain");
            expectEqual(verifyingContract, address(guard), "contract");
            expect(salt == 0 && extensions.length == 0, "no salt, no extensions");
        }
    }

    function test_signatures_for_another_guard_are_refused() public {
        Trade memory trade = _trade();
        bytes memory certificateSignature = trade.certificateSignature;
        _deployGuard(0);
        _allow(address(route), bytes4(trade.routeCallData));
        _expectCertificateOfAnother(trade);
        // Certified for this guard, and signed by the owner for the other one.
        _signCertificate(trade, ATTESTOR_KEY);
        _expectNotTheOwners(trade);
        expect(keccak256(certificateSignature) != keccak256(trade.certificateSignature), "another signature");
    }

    function test_signatures_from_before_a_fork_are_refused_and_those_from_after_it_accepted() public {
        Trade memory trade = _trade();
        uint256 chain = block.chainid;
        uint256[3] memory forks = [chain + 1, chain - 1, 1];
        for (uint256 i; i < forks.length; ++i) {
            vm.chainId(forks[i]);
            _expectCertificateOfAnother(trade);
            Trade memory recertified = _trade();
            recertified.ownerSignature = trade.ownerSignature;
            _expectNotTheOwners(recertified);
            _relay(_tradeWith(i + 1));
        }
        vm.chainId(chain);
        _relay(trade);
    }

    /*//////////////////////////////////////////////////////////////
                                 HELPERS
    //////////////////////////////////////////////////////////////*/

    function _tradeFundedFor(address owner) private returns (Trade memory) {
        _fund(address(input), owner, AMOUNT_IN);
        return _tradeOwnedBy(owner);
    }

    function _expectNotTheOwners(Trade memory trade) private {
        vm.expectRevert(_reason(ITradeGuard.OwnerSignatureInvalid.selector, trade.intent.owner));
        _relay(trade);
        expect(!guard.isNonceUsed(trade.intent.owner, trade.intent.nonce), "no nonce is spent");
    }

    /// @dev The certificate's signature is malformed.
    function _expectNotCertified(Trade memory trade) private {
        _expectRefused(trade, _reason(ITradeGuard.CertificateSignerUnknown.selector, address(0)));
    }

    /// @dev Whom a signature of something else recovers to is nobody's choice.
    function _expectCertificateOfAnother(Trade memory trade) private {
        (bool success, bytes memory reason) = _try(STRANGER, _relayerCall(trade));
        expect(!success, "refused");
        expectEqual(bytes4(reason), ITradeGuard.CertificateSignerUnknown.selector, "by its signature");
    }
}
