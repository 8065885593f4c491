// SPDX-License-Identifier: MIT
pragma solidity 0.8.35;

import {Packing} from "@openzeppelin/contracts/utils/Packing.sol";
import {TradeIntent, VerificationCertificate} from "contracts/ITradeGuard.sol";

/// @dev Properties of what is hashed. `npm run formal` puts the code of the guard where a line begins with `/// real:`.
contract Hashes {
    bytes32 private constant TRADE_INTENT_TYPEHASH = bytes32(uint256(0x1111));
    bytes32 private constant VERIFICATION_CERTIFICATE_TYPEHASH = bytes32(uint256(0x2222));

    mapping(bytes24 routeKey => bool) private _allowedRoutes;

    /// real: contracts/TradeGuard.sol _hashIntent _hashCertificate _routeKey

    function holds_an_intent_is_hashed_as_the_standard_encodes_it(TradeIntent calldata intent) external pure {
        assert(_hashIntent(intent) == keccak256(abi.encode(TRADE_INTENT_TYPEHASH, intent)));
    }

    function holds_a_certificate_is_hashed_as_the_standard_encodes_it(
        VerificationCertificate calldata certificate
    ) external pure {
        assert(_hashCertificate(certificate) == keccak256(abi.encode(VERIFICATION_CERTIFICATE_TYPEHASH, certificate)));
    }

    function holds_different_intents_have_different_hashes(
        TradeIntent calldata one,
        TradeIntent calldata other
    ) external pure {
        require(_hashIntent(one) == _hashIntent(other));
        assert(one.owner == other.owner && one.recipient == other.recipient);
        assert(one.inputToken == other.inputToken && one.outputToken == other.outputToken);
        assert(one.amountIn == other.amountIn && one.minAmountOut == other.minAmountOut);
        assert(one.route == other.route && one.selector == other.selector);
        assert(one.callDataHash == other.callDataHash);
        assert(one.nonce == other.nonce && one.deadline == other.deadline);
    }

    function holds_each_route_and_selector_has_a_key_of_its_own(
        address route,
        bytes4 selector,
        address otherRoute,
        bytes4 otherSelector
    ) external pure {
        require(_routeKey(route, selector) == _routeKey(otherRoute, otherSelector));
        assert(route == otherRoute && selector == otherSelector);
    }

    function holds_listing_a_pair_lists_no_other(
        address route,
        bytes4 selector,
        address otherRoute,
        bytes4 otherSelector
    ) external {
        require(route != otherRoute || selector != otherSelector);
        bool before = _allowedRoutes[_routeKey(otherRoute, otherSelector)];
        _allowedRoutes[_routeKey(route, selector)] = true;
        assert(_allowedRoutes[_routeKey(otherRoute, otherSelector)] == before);
    }
}
