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

// Each suite again, with every trade that fits in the packed form.

contract PackedActorsTest is ActorsTest {
    function _packs() internal pure override returns (bool) {
        return true;
    }
}

contract PackedAttacksTest is AttacksTest {
    function _packs() internal pure override returns (bool) {
        return true;
    }
}

contract PackedBoundsTest is BoundsTest {
    function _packs() internal pure override returns (bool) {
        return true;
    }
}

contract PackedCertificateTest is CertificateTest {
    function _packs() internal pure override returns (bool) {
        return true;
    }
}

contract PackedChangesTest is ChangesTest {
    function _packs() internal pure override returns (bool) {
        return true;
    }
}

contract PackedEventsTest is EventsTest {
    function _packs() internal pure override returns (bool) {
        return true;
    }
}

contract PackedExecuteTest is ExecuteTest {
    function _packs() internal pure override returns (bool) {
        return true;
    }
}

contract PackedHostileAdminTest is HostileAdminTest {
    function _packs() internal pure override returns (bool) {
        return true;
    }
}

contract PackedHostileRoutesTest is HostileRoutesTest {
    function _packs() internal pure override returns (bool) {
        return true;
    }
}

contract PackedIntentTest is IntentTest {
    function _packs() internal pure override returns (bool) {
        return true;
    }
}

contract PackedLimitsTest is LimitsTest {
    function _packs() internal pure override returns (bool) {
        return true;
    }
}

contract PackedNoncesTest is NoncesTest {
    function _packs() internal pure override returns (bool) {
        return true;
    }
}

contract PackedOddTokensTest is OddTokensTest {
    function _packs() internal pure override returns (bool) {
        return true;
    }
}

contract PackedOwnerSignatureTest is OwnerSignatureTest {
    function _packs() internal pure override returns (bool) {
        return true;
    }
}

contract PackedSettlementTest is SettlementTest {
    function _packs() internal pure override returns (bool) {
        return true;
    }
}
