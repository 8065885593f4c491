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

// Each suite again that way.

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
