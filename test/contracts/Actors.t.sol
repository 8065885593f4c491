// SPDX-License-Identifier: MIT
pragma solidity 0.8.35;

import {ITradeGuard, TradeIntent} from "../../contracts/ITradeGuard.sol";
import {RouteExecutor} from "../../contracts/RouteExecutor.sol";
import {OneCall} from "../support/contracts/Attackers.sol";
import {GuardFixture, Trade} from "../support/contracts/GuardFixture.sol";
import {compacted, upper} from "../support/contracts/Packing.sol";
import {OPERATOR} from "../support/contracts/Roles.sol";
import {vm} from "../support/contracts/Vm.sol";
import {ScriptedWallet} from "../support/contracts/wallets/Wallets.sol";

/// @dev Each right for each actor: a part in the guard, a trade or an earlier rotation gives the rights of that part and
/// no others. A rotation is running, so there are two signers, and there is an operator who has to wait.
contract ActorsTest is GuardFixture {
    uint256 private constant NEW_KEY = uint256(keccak256("new attestor"));
    address private immutable PENDING = account("pending");
    address private immutable LISTED = account("listed");
    uint256 private constant INTENT_FAULTS = 12;
    uint256 private constant CERTIFICATE_FAULTS = 3;

    function setUp() public override {
        super.setUp();
        vm.startPrank(ADMIN);
        guard.rotateSigner(vm.addr(NEW_KEY), 1 hours);
        manager.grantRole(OPERATOR, PENDING, 1 days);
        guard.allowRecipient(LISTED);
        vm.stopPrank();
    }

    function _actors() private view returns (address[13] memory) {
        return
            [
                ADMIN,
                PAUSER,
                PENDING,
                ATTESTOR,
                vm.addr(NEW_KEY),
                LISTED,
                STRANGER,
                RECIPIENT,
                address(route),
                address(input),
                address(output),
                address(guard),
                executor
            ];
    }

    /// @dev Those of the actors who have a key, in the same order.
    function _keys() private pure returns (uint256[8] memory) {
        return
            [
                uint256(keccak256("admin")),
                uint256(keccak256("pauser")),
                uint256(keccak256("pending")),
                ATTESTOR_KEY,
                NEW_KEY,
                uint256(keccak256("listed")),
                uint256(keccak256("stranger")),
                uint256(keccak256("recipient"))
            ];
    }

    /*//////////////////////////////////////////////////////////////
                          WHO SENDS, WHO SIGNS
    //////////////////////////////////////////////////////////////*/

    function test_nobody_but_the_owner_sends_a_trade_whoever_is_paid_by_it() public {
        address[13] memory actors = _actors();
        address[2] memory owners = [OWNER, address(new ScriptedWallet())];
        for (uint256 i; i < owners.length; ++i) {
            Trade memory t = _tradeOf(owners[i], LISTED, 0);
            for (uint256 j; j < actors.length; ++j) {
                vm.prank(actors[j]);
                vm.expectRevert(_reason(ITradeGuard.NotOwner.selector, actors[j], owners[i]));
                guard.execute(t.intent, t.certificate, t.certificateSignature, t.routeCallData);
            }
        }
    }

    function test_nobody_relays_what_the_owner_did_not_sign() public {
        address[13] memory actors = _actors();
        address[2] memory owners = [OWNER, address(new ScriptedWallet())];
        for (uint256 i; i < owners.length; ++i) {
            Trade memory t = _tradeOf(owners[i], LISTED, 0);
            t.ownerSignature = "";
            for (uint256 j; j < actors.length; ++j) _refusedAsUnsigned(actors[j], t);
            // Not even the owner, who would have to send it.
            _refusedAsUnsigned(owners[i], t);
        }
    }

    function test_everyone_relays_what_the_owner_signed() public {
        address[13] memory actors = _actors();
        for (uint256 i; i < actors.length; ++i) {
            Trade memory t = _tradeOf(OWNER, i % 2 == 0 ? LISTED : OWNER, i);
            uint256 amountOut = _executeForAs(actors[i], t);
            expectEqual(amountOut, AMOUNT_OUT, "amount out");
        }
    }

    function test_whoever_sends_takes_signatures_of_64_bytes_as_well() public {
        address[13] memory actors = _actors();
        for (uint256 i; i < actors.length; ++i) {
            Trade memory t = _tradeOf(OWNER, OWNER, i);
            t.ownerSignature = compacted(t.ownerSignature);
            t.certificateSignature = compacted(t.certificateSignature);
            vm.prank(actors[i]);
            guard.executeFor(
                t.intent,
                t.certificate,
                t.certificateSignature,
                t.ownerSignature,
                t.routeCallData
            );
            expect(guard.isNonceUsed(OWNER, i), "traded");
        }
        uint256[8] memory keys = _keys();
        for (uint256 i; i < keys.length; ++i) {
            address holder = vm.addr(keys[i]);
            Trade memory t = _tradeOf(holder, holder, 0);
            t.certificateSignature = compacted(t.certificateSignature);
            vm.prank(holder);
            guard.execute(t.intent, t.certificate, t.certificateSignature, t.routeCallData);
            expect(guard.isNonceUsed(holder, 0), "traded");
        }
    }

    function test_the_upper_form_of_a_signature_is_nobodys_whoever_sends_it() public {
        address[13] memory actors = _actors();
        bytes memory nobody = _reason(ITradeGuard.CertificateSignerUnknown.selector, address(0));
        for (uint256 i; i < actors.length; ++i) {
            Trade memory t = _tradeOf(OWNER, OWNER, 0);
            t.ownerSignature = upper(t.ownerSignature);
            _refusedAsUnsigned(actors[i], t);
            t = _tradeOf(OWNER, OWNER, 0);
            t.certificateSignature = upper(t.certificateSignature);
            _expectBothRevert(actors[i], t, nobody);
        }
        uint256[8] memory keys = _keys();
        for (uint256 i; i < keys.length; ++i) {
            Trade memory t = _tradeOf(vm.addr(keys[i]), OWNER, 0);
            t.certificateSignature = upper(t.certificateSignature);
            vm.expectRevert(nobody);
            _execute(t);
        }
    }

    function test_no_other_key_signs_for_the_owner() public {
        uint256[8] memory keys = _keys();
        address[2] memory owners = [OWNER, address(new ScriptedWallet())];
        for (uint256 i; i < owners.length; ++i) {
            Trade memory t = _tradeOf(owners[i], LISTED, 0);
            for (uint256 j; j < keys.length; ++j) {
                t.ownerSignature = _sign(keys[j], t.certificate.intentHash);
                _refusedAsUnsigned(STRANGER, t);
                _refusedAsUnsigned(vm.addr(keys[j]), t);
            }
        }
    }

    function test_no_other_key_certifies_even_a_trade_of_its_own() public {
        uint256[8] memory keys = _keys();
        for (uint256 i; i < keys.length; ++i) {
            if (keys[i] == ATTESTOR_KEY || keys[i] == NEW_KEY) continue;
            address holder = vm.addr(keys[i]);
            bytes memory unknown = _reason(ITradeGuard.CertificateSignerUnknown.selector, holder);
            address[2] memory owners = [OWNER, holder];
            for (uint256 j; j < owners.length; ++j) {
                Trade memory t = _tradeOf(owners[j], owners[j], 0);
                t.ownerSignature = _sign(j == 0 ? OWNER_KEY : keys[i], t.certificate.intentHash);
                _signCertificate(t, keys[i]);
                _expectBothRevert(holder, t, unknown);
            }
        }
    }

    function test_no_part_lets_its_holder_trade_by_a_key_that_is_no_signer() public {
        uint256[8] memory keys = _keys();
        uint256 nobodysKey = uint256(keccak256("nobody"));
        for (uint256 i; i < keys.length; ++i) {
            address holder = vm.addr(keys[i]);
            _refusedCertifiedBy(nobodysKey, keys[i], holder);
            _refusedCertifiedBy(nobodysKey, OWNER_KEY, OWNER);
        }
        // Not even by the key of an overlap that is over, sent by its holder.
        vm.warp(START + 1 hours + 1);
        _refusedCertifiedBy(ATTESTOR_KEY, ATTESTOR_KEY, ATTESTOR);
        _refusedCertifiedBy(ATTESTOR_KEY, OWNER_KEY, OWNER);
    }

    function _refusedCertifiedBy(uint256 certifier, uint256 ownerKey, address owner) private {
        bytes memory unknown = _reason(ITradeGuard.CertificateSignerUnknown.selector, vm.addr(certifier));
        Trade memory t = _tradeOf(owner, owner, 0);
        (t.certificate.issuedAt, t.certificate.expiresAt) = (
            uint64(block.timestamp),
            uint64(block.timestamp + 1 minutes)
        );
        t.ownerSignature = _sign(ownerKey, t.certificate.intentHash);
        _signCertificate(t, certifier);
        address[13] memory actors = _actors();
        for (uint256 i; i < actors.length; ++i) _expectBothRevert(actors[i], t, unknown);
    }

    function test_no_part_frees_its_holder_of_a_check_of_a_trade() public {
        uint256[8] memory keys = _keys();
        for (uint256 i; i < keys.length; ++i) {
            address holder = vm.addr(keys[i]);
            _fund(address(input), holder, AMOUNT_IN);
            for (uint256 fault; fault < INTENT_FAULTS; ++fault) {
                _refusedWithIntent(fault, holder, keys[i], holder);
                _refusedWithIntent(fault, OWNER, OWNER_KEY, holder);
            }
            for (uint256 fault; fault < CERTIFICATE_FAULTS; ++fault) {
                _refusedWithCertificate(fault, holder, keys[i], holder);
                _refusedWithCertificate(fault, OWNER, OWNER_KEY, holder);
            }
        }
    }

    /// @dev In the order that docs/guard.md has.
    function test_of_two_faults_the_one_that_is_checked_first_is_told() public {
        uint8[INTENT_FAULTS] memory order = [0, 1, 2, 3, 4, 5, 9, 8, 7, 6, 10, 11];
        for (uint256 first; first < INTENT_FAULTS; ++first) {
            for (uint256 second = first + 1; second < INTENT_FAULTS; ++second) {
                Trade memory t = _tradeOn(OWNER, OWNER, address(route));
                _spoilIntent(order[second], t);
                bytes memory reason = _spoilIntent(order[first], t);
                _expectRefusedAsCertified(t, reason);
            }
        }
    }

    function test_no_part_lets_its_holder_trade_by_a_certificate_from_before_the_executor() public {
        vm.prank(ADMIN);
        guard.renewExecutor(NO_SEEDS);
        bytes memory reason = _reason(ITradeGuard.CertificateBeforeExecutor.selector, START, START + 1);
        uint256[8] memory keys = _keys();
        for (uint256 i; i < keys.length; ++i) {
            address holder = vm.addr(keys[i]);
            _expectBothRevert(holder, _ownedBy(_tradeOf(holder, holder, 0), keys[i]), reason);
            _expectBothRevert(holder, _ownedBy(_tradeOf(holder, LISTED, 0), keys[i]), reason);
            _expectBothRevert(holder, _tradeOf(OWNER, OWNER, 0), reason);
            _expectBothRevert(holder, _tradeOf(OWNER, LISTED, 0), reason);
        }
    }

    function _refusedWithIntent(uint256 fault, address owner, uint256 key, address relayer) private {
        address[2] memory recipients = [owner, LISTED];
        for (uint256 i; i < recipients.length; ++i) {
            Trade memory t = _tradeOn(owner, recipients[i], address(route));
            bytes memory reason = _spoilIntent(fault, t);
            _certifyAgain(t);
            _expectBothRevert(relayer, _ownedBy(t, key), reason);
        }
    }

    /// @return reason what such a trade is refused with
    function _spoilIntent(uint256 fault, Trade memory t) private returns (bytes memory reason) {
        TradeIntent memory n = t.intent;
        bytes4 listed = n.selector;
        if (fault == 0) n.deadline = block.timestamp - 1;
        if (fault == 1) n.amountIn = 0;
        if (fault == 2) n.minAmountOut = 0;
        if (fault == 3) n.outputToken = n.inputToken;
        if (fault == 4) n.route = n.inputToken;
        if (fault == 5) n.route = STRANGER;
        if (fault == 6) n.recipient = address(route);
        if (fault == 7) n.recipient = n.outputToken;
        if (fault == 8) n.callDataHash = keccak256("other call data");
        if (fault == 9) {
            n.selector = 0x12345678;
            _allow(address(route), n.selector);
        }
        if (fault == 10) {
            n.nonce = 512;
            vm.prank(n.owner);
            guard.invalidateNonces(2, 1);
        }
        if (fault == 11) n.inputToken = account("nobody's token");
        bytes[INTENT_FAULTS] memory reasons = [
            _reason(ITradeGuard.DeadlinePassed.selector, n.deadline),
            _reason(ITradeGuard.ZeroAmountIn.selector),
            _reason(ITradeGuard.ZeroMinAmountOut.selector),
            _reason(ITradeGuard.SameToken.selector, n.inputToken),
            _reason(ITradeGuard.RouteIsToken.selector, n.route),
            _reason(ITradeGuard.RouteNotAllowed.selector, n.route, listed),
            _reason(ITradeGuard.RecipientNotAllowed.selector, n.recipient),
            _reason(ITradeGuard.InvalidRecipient.selector, n.recipient),
            _reason(ITradeGuard.CallDataHashMismatch.selector, keccak256(t.routeCallData), n.callDataHash),
            _reason(ITradeGuard.SelectorMismatch.selector, listed),
            _reason(ITradeGuard.NonceUsed.selector, n.owner, n.nonce),
            _reason(ITradeGuard.BalanceUnreadable.selector, n.inputToken)
        ];
        return reasons[fault];
    }

    function _refusedWithCertificate(uint256 fault, address owner, uint256 key, address relayer) private {
        address[2] memory recipients = [owner, LISTED];
        for (uint256 i; i < recipients.length; ++i) {
            Trade memory t = _ownedBy(_tradeOn(owner, recipients[i], address(route)), key);
            bytes memory reason = _spoilCertificate(fault, t);
            // Either signer's word is held to the same.
            _signCertificate(t, ATTESTOR_KEY);
            _expectBothRevert(relayer, t, reason);
            _signCertificate(t, NEW_KEY);
            _expectBothRevert(relayer, t, reason);
        }
    }

    /// @return reason what such a trade is refused with
    function _spoilCertificate(uint256 fault, Trade memory t) private view returns (bytes memory reason) {
        if (fault == 0) {
            t.certificate.issuedAt = uint64(block.timestamp + 1);
            return _reason(ITradeGuard.CertificateNotYetValid.selector, block.timestamp + 1);
        }
        if (fault == 1) {
            t.certificate.expiresAt = uint64(block.timestamp - 1);
            return _reason(ITradeGuard.CertificateExpired.selector, block.timestamp - 1);
        }
        bytes32 intentHash = t.certificate.intentHash;
        t.certificate.intentHash = keccak256("another intent");
        return _reason(ITradeGuard.CertificateIntentMismatch.selector, t.certificate.intentHash, intentHash);
    }

    function _ownedBy(Trade memory t, uint256 key) private view returns (Trade memory) {
        t.ownerSignature = _sign(key, _hashIntent(t.intent));
        return t;
    }

    function test_a_wallet_is_asked_when_its_nonce_is_spent() public {
        AfterNonceWallet wallet = new AfterNonceWallet(guard);
        Trade memory t = _tradeOf(address(wallet), address(wallet), 3);
        expectEqual(_executeFor(t), AMOUNT_OUT, "it signs");
    }

    /*//////////////////////////////////////////////////////////////
                        WHO IS PAID, WHAT IS CALLED
    //////////////////////////////////////////////////////////////*/

    function test_only_a_listed_recipient_is_paid_whoever_sends_and_whoever_owns() public {
        vm.startPrank(ADMIN);
        guard.allowRecipient(OWNER);
        guard.allowRecipient(STRANGER);
        vm.stopPrank();
        address[13] memory actors = _actors();
        for (uint256 i; i < actors.length; ++i) {
            if (actors[i] == LISTED || actors[i] == STRANGER) continue;
            bool isToken = actors[i] == address(input) || actors[i] == address(output);
            bytes memory reason = abi.encodeWithSelector(
                isToken ? ITradeGuard.InvalidRecipient.selector : ITradeGuard.RecipientNotAllowed.selector,
                actors[i]
            );
            _expectBothRevert(actors[i], _tradeOf(OWNER, actors[i], 0), reason);
            _expectBothRevert(_tradeOf(OWNER, actors[i], 0), reason);
        }
        _expectBothRevert(
            _tradeOf(OWNER, address(0), 0),
            _reason(ITradeGuard.RecipientNotAllowed.selector, address(0))
        );
    }

    function test_a_token_of_the_trade_is_not_paid_even_if_it_owns_the_trade() public {
        address[2] memory tokens = [address(input), address(output)];
        for (uint256 i; i < 2; ++i) {
            Trade memory t = _tradeOf(tokens[i], tokens[i], 0);
            _expectBothRevert(t, _reason(ITradeGuard.InvalidRecipient.selector, tokens[i]));
        }
    }

    function test_only_a_listed_pair_is_called_whatever_else_the_route_is() public {
        address[13] memory actors = _actors();
        bytes4 listed = bytes4(_trade().routeCallData);
        for (uint256 i; i < actors.length; ++i) {
            if (actors[i] == address(route)) continue;
            bool isToken = actors[i] == address(input) || actors[i] == address(output);
            bytes memory reason =
                isToken
                    ? _reason(ITradeGuard.RouteIsToken.selector, actors[i])
                    : _reason(ITradeGuard.RouteNotAllowed.selector, actors[i], listed);
            _expectBothRevert(actors[i], _tradeOn(OWNER, LISTED, actors[i]), reason);
            _expectBothRevert(_tradeOn(actors[i], LISTED, actors[i]), reason);
        }
        _expectBothRevert(
            _tradeOn(OWNER, OWNER, OWNER),
            _reason(ITradeGuard.RouteNotAllowed.selector, OWNER, listed)
        );
    }

    function test_a_token_is_not_called_for_a_listed_recipient_either() public {
        address[2] memory tokens = [address(input), address(output)];
        for (uint256 i; i < 2; ++i) {
            _allow(tokens[i], bytes4(_trade().routeCallData));
            _expectBothRevert(
                _tradeOn(OWNER, LISTED, tokens[i]),
                _reason(ITradeGuard.RouteIsToken.selector, tokens[i])
            );
        }
    }

    function test_nobody_but_the_guard_runs_the_executor_whatever_the_intent_calls_them() public {
        address[13] memory actors = _actors();
        for (uint256 i; i < actors.length; ++i) {
            address actor = actors[i];
            if (actor == address(guard)) continue;
            TradeIntent memory intent = _intent(actor, actor);
            (intent.owner, intent.route) = (actor, actor);
            address[3] memory recipients = [actor, LISTED, address(guard)];
            for (uint256 j; j < recipients.length; ++j) {
                intent.recipient = recipients[j];
                vm.prank(actor);
                vm.expectRevert(_reason(ITradeGuard.NotGuard.selector, actor));
                RouteExecutor(executor).run(intent, 0, "");
            }
        }
    }

    /*//////////////////////////////////////////////////////////////
                         WHO PAUSES AND ADMINISTERS
    //////////////////////////////////////////////////////////////*/

    function test_a_pause_holds_for_every_owner_sender_and_signer() public {
        vm.prank(PAUSER);
        guard.pause();
        uint256[8] memory keys = _keys();
        bytes memory stopped = _reason(ITradeGuard.TradingPaused.selector);
        for (uint256 i; i < keys.length; ++i) {
            address holder = vm.addr(keys[i]);
            for (uint256 j; j < 2; ++j) {
                Trade memory t = _tradeOf(holder, holder, 0);
                t.ownerSignature = _sign(keys[i], t.certificate.intentHash);
                _signCertificate(t, j == 0 ? ATTESTOR_KEY : NEW_KEY);
                _expectBothRevert(holder, t, stopped);
                Trade memory relayed = _trade();
                _signCertificate(relayed, j == 0 ? ATTESTOR_KEY : NEW_KEY);
                _expectBothRevert(holder, relayed, stopped);
            }
        }
    }

    function test_no_part_administers_but_the_admins_and_the_pausers() public {
        address[13] memory actors = _actors();
        for (uint256 i; i < actors.length; ++i) {
            bytes[9] memory calls = _restrictedCalls(actors[i]);
            for (uint256 j; j < calls.length; ++j) {
                if (actors[i] == ADMIN || (actors[i] == PAUSER && j >= PERMITTING)) continue;
                (bool success, bytes memory reason) = _try(actors[i], calls[j]);
                expect(!success, "refused");
                // The manager's error says that the caller has to wait.
                if (actors[i] == PENDING && j < PERMITTING) continue;
                expectEqual(keccak256(reason), keccak256(_unauthorized(actors[i])), "named error");
            }
        }
    }

    function test_every_account_invalidates_its_nonces_even_while_a_trade_runs() public {
        OneCall accomplice = new OneCall();
        accomplice.tell(address(guard), abi.encodeCall(guard.invalidateNonces, (7, 5)));
        _execute(_tradeAround(accomplice, 0));

        expect(accomplice.succeeded(), "in the middle of a trade");
        expect(guard.isNonceUsed(address(accomplice), 7 * 256), "its first bit");
        expect(guard.isNonceUsed(address(accomplice), 7 * 256 + 2), "its third bit");
        expect(!guard.isNonceUsed(address(accomplice), 7 * 256 + 1), "no other");
        expect(!guard.isNonceUsed(OWNER, 7 * 256), "nobody else's");
    }

    /*//////////////////////////////////////////////////////////////
                                 HELPERS
    //////////////////////////////////////////////////////////////*/

    function _tradeOf(address owner, address recipient, uint256 nonce) private returns (Trade memory trade) {
        if (owner != OWNER) _fund(address(input), owner, AMOUNT_IN);
        trade = _tradeOn(owner, recipient, address(route));
        trade.intent.nonce = nonce;
        _certifyAgain(trade);
    }

    function _tradeOn(
        address owner,
        address recipient,
        address target
    ) private view returns (Trade memory trade) {
        TradeIntent memory intent = _intent();
        (intent.owner, intent.recipient, intent.route) = (owner, recipient, target);
        trade = _certify(intent, _swapData(AMOUNT_IN, AMOUNT_OUT));
    }

    function _refusedAsUnsigned(address sender, Trade memory t) private {
        vm.expectRevert(_reason(ITradeGuard.OwnerSignatureInvalid.selector, t.intent.owner));
        _executeForAs(sender, t);
        expect(!guard.isNonceUsed(t.intent.owner, t.intent.nonce), "the nonce is not spent");
    }
}

/// @dev Signs only what cannot be traded again.
contract AfterNonceWallet {
    ITradeGuard private immutable GUARD;

    constructor(ITradeGuard guard) {
        GUARD = guard;
    }

    function isValidSignature(bytes32, bytes calldata) external view returns (bytes4) {
        return GUARD.isNonceUsed(address(this), 3) ? this.isValidSignature.selector : bytes4(0);
    }
}
