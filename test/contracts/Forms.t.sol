// SPDX-License-Identifier: MIT
pragma solidity 0.8.35;

import {ActorsTest} from "./Actors.t.sol";
import {AttacksTest} from "./Attacks.t.sol";
import {BoundsTest} from "./Bounds.t.sol";
import {CertificateTest} from "./Certificate.t.sol";
import {ChangesTest} from "./Changes.t.sol";
import {EventsTest} from "./Events.t.sol";
import {ExecuteTest} from "./Execute.t.sol";
import {HostileAdminTest} from "./HostileAdmin.t.sol";
import {HostileRoutesTest} from "./HostileRoutes.t.sol";
import {IntentTest} from "./Intent.t.sol";
import {LimitsTest} from "./Limits.t.sol";
import {NoncesTest} from "./Nonces.t.sol";
import {OddTokensTest} from "./OddTokens.t.sol";
import {OwnerSignatureTest} from "./OwnerSignature.t.sol";
import {SettlementTest} from "./Settlement.t.sol";
import {TradeForm} from "../support/contracts/GuardFixture.sol";

/// @dev Every trade that fits goes in the packed form.
abstract contract Packs is TradeForm {
    constructor() {
        _alwaysPacks = true;
    }
}

/// @dev Every signature has 64 bytes, also where the readable form would take 65.
abstract contract SignsCompactly is TradeForm {
    constructor() {
        _signsCompactly = true;
    }
}

/// @dev The executor is not the first. What changes begin with, and what a renewal itself does, is not run again.
abstract contract Renews is TradeForm {
    constructor() {
        _renews = true;
    }
}

// Each suite again in each of these ways.

contract PackedActorsTest is ActorsTest, Packs {}
contract PackedAttacksTest is AttacksTest, Packs {}
contract PackedBoundsTest is BoundsTest, Packs {}
contract PackedCertificateTest is CertificateTest, Packs {}
contract PackedChangesTest is ChangesTest, Packs {}
contract PackedEventsTest is EventsTest, Packs {}
contract PackedExecuteTest is ExecuteTest, Packs {}
contract PackedHostileAdminTest is HostileAdminTest, Packs {}
contract PackedHostileRoutesTest is HostileRoutesTest, Packs {}
contract PackedIntentTest is IntentTest, Packs {}
contract PackedLimitsTest is LimitsTest, Packs {}
contract PackedNoncesTest is NoncesTest, Packs {}
contract PackedOddTokensTest is OddTokensTest, Packs {}
contract PackedOwnerSignatureTest is OwnerSignatureTest, Packs {}
contract PackedSettlementTest is SettlementTest, Packs {}
contract CompactActorsTest is ActorsTest, SignsCompactly {}
contract CompactAttacksTest is AttacksTest, SignsCompactly {}
contract CompactBoundsTest is BoundsTest, SignsCompactly {}
contract CompactCertificateTest is CertificateTest, SignsCompactly {}
contract CompactChangesTest is ChangesTest, SignsCompactly {}
contract CompactEventsTest is EventsTest, SignsCompactly {}
contract CompactExecuteTest is ExecuteTest, SignsCompactly {}
contract CompactHostileAdminTest is HostileAdminTest, SignsCompactly {}
contract CompactHostileRoutesTest is HostileRoutesTest, SignsCompactly {}
contract CompactIntentTest is IntentTest, SignsCompactly {}
contract CompactLimitsTest is LimitsTest, SignsCompactly {}
contract CompactNoncesTest is NoncesTest, SignsCompactly {}
contract CompactOddTokensTest is OddTokensTest, SignsCompactly {}
contract CompactOwnerSignatureTest is OwnerSignatureTest, SignsCompactly {}
contract CompactSettlementTest is SettlementTest, SignsCompactly {}
contract RenewedActorsTest is ActorsTest, Renews {}
contract RenewedAttacksTest is AttacksTest, Renews {}
contract RenewedBoundsTest is BoundsTest, Renews {}
contract RenewedCertificateTest is CertificateTest, Renews {}
contract RenewedEventsTest is EventsTest, Renews {}
contract RenewedExecuteTest is ExecuteTest, Renews {}
contract RenewedHostileAdminTest is HostileAdminTest, Renews {}
contract RenewedHostileRoutesTest is HostileRoutesTest, Renews {}
contract RenewedIntentTest is IntentTest, Renews {}
contract RenewedLimitsTest is LimitsTest, Renews {}
contract RenewedNoncesTest is NoncesTest, Renews {}
contract RenewedOddTokensTest is OddTokensTest, Renews {}
contract RenewedOwnerSignatureTest is OwnerSignatureTest, Renews {}
contract RenewedSettlementTest is SettlementTest, Renews {}
