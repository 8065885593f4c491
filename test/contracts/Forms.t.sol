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

// Each suite again in these ways. The length of a signature and the executor have nothing to do with each other.

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
contract CompactRenewedActorsTest is ActorsTest, SignsCompactly, Renews {}
contract CompactRenewedAttacksTest is AttacksTest, SignsCompactly, Renews {}
contract CompactRenewedBoundsTest is BoundsTest, SignsCompactly, Renews {}
contract CompactRenewedCertificateTest is CertificateTest, SignsCompactly, Renews {}
contract CompactRenewedEventsTest is EventsTest, SignsCompactly, Renews {}
contract CompactRenewedExecuteTest is ExecuteTest, SignsCompactly, Renews {}
contract CompactRenewedHostileAdminTest is HostileAdminTest, SignsCompactly, Renews {}
contract CompactRenewedHostileRoutesTest is HostileRoutesTest, SignsCompactly, Renews {}
contract CompactRenewedIntentTest is IntentTest, SignsCompactly, Renews {}
contract CompactRenewedLimitsTest is LimitsTest, SignsCompactly, Renews {}
contract CompactRenewedNoncesTest is NoncesTest, SignsCompactly, Renews {}
contract CompactRenewedOddTokensTest is OddTokensTest, SignsCompactly, Renews {}
contract CompactRenewedOwnerSignatureTest is OwnerSignatureTest, SignsCompactly, Renews {}
contract CompactRenewedSettlementTest is SettlementTest, SignsCompactly, Renews {}
