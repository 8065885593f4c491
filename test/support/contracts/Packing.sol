// SPDX-License-Identifier: MIT
pragma solidity 0.8.35;

import {TradeIntent, VerificationCertificate} from "../../../contracts/ITradeGuard.sol";

/// @dev All that one guarded trade needs.
struct Trade {
    TradeIntent intent;
    VerificationCertificate certificate;
    bytes certificateSignature;
    bytes ownerSignature;
    bytes routeCallData;
}

/// @dev Half the order of the curve.
uint256 constant HALF_ORDER = 0x7FFFFFFFFFFFFFFFFFFFFFFFFFFFFFFF5D576E7357A4501DDFE92F46681B20A0;

function intentTypeHash() pure returns (bytes32) {
    bytes memory members = bytes.concat(
        "TradeIntent(address owner,address recipient,address inputToken,address outputToken,uint256 amountIn,",
        "uint256 minAmountOut,address route,bytes4 selector,bytes32 callDataHash,uint256 nonce,uint256 deadline)"
    );
    return keccak256(members);
}

function certificateTypeHash() pure returns (bytes32) {
    bytes memory members = bytes.concat(
        "VerificationCertificate(bytes32 intentHash,bytes32 evidenceHash,bytes32 policyHash,bytes32 jobId,",
        "uint64 reportVersion,uint64 issuedAt,uint64 expiresAt)"
    );
    return keccak256(members);
}

function hashIntent(TradeIntent memory intent) pure returns (bytes32) {
    return keccak256(abi.encode(intentTypeHash(), intent));
}

/// @dev Whether the packed form can say this trade: all that it leaves out follows, all that it holds fits.
function fitsPacked(Trade memory t) pure returns (bool) {
    TradeIntent memory intent = t.intent;
    VerificationCertificate memory certificate = t.certificate;
    bool follows =
        intent.recipient == intent.owner &&
            t.routeCallData.length >= 4 &&
            intent.selector == bytes4(t.routeCallData) &&
            intent.callDataHash == keccak256(t.routeCallData) &&
            certificate.intentHash == hashIntent(intent);
    uint256 amounts = intent.amountIn | intent.minAmountOut;
    uint256 times =
        intent.deadline | certificate.reportVersion | certificate.issuedAt | certificate.expiresAt;
    bool fits = amounts >> 128 == 0 && intent.nonce >> 96 == 0 && times >> 32 == 0;
    return follows && fits && isCompactable(t.certificateSignature);
}

/// @dev A contract may want its signature in 65 bytes, or in other bytes altogether: it takes the readable form.
function fitsPackedFor(Trade memory t) view returns (bool) {
    return fitsPacked(t) && isCompactable(t.ownerSignature) && t.intent.owner.code.length == 0;
}

function packTrade(Trade memory t) pure returns (bytes memory) {
    TradeIntent memory intent = t.intent;
    VerificationCertificate memory certificate = t.certificate;
    bytes memory trade = abi.encodePacked(
        intent.inputToken,
        intent.outputToken,
        intent.route,
        uint128(intent.amountIn),
        uint128(intent.minAmountOut),
        uint96(intent.nonce),
        uint32(intent.deadline)
    );
    bytes memory attestation = abi.encodePacked(
        uint32(certificate.reportVersion),
        uint32(certificate.issuedAt),
        uint32(certificate.expiresAt),
        certificate.evidenceHash,
        certificate.policyHash,
        certificate.jobId,
        compacted(t.certificateSignature)
    );
    return bytes.concat(trade, attestation, t.routeCallData);
}

function packTradeFor(Trade memory t) pure returns (bytes memory) {
    return bytes.concat(abi.encodePacked(t.intent.owner), compacted(t.ownerSignature), packTrade(t));
}

/// @dev Whether there are 64 bytes for the signature that say the same.
function isCompactable(bytes memory signature) pure returns (bool) {
    if (signature.length == 64) return true;
    if (signature.length != 65) return false;
    uint8 v = uint8(signature[64]);
    uint256 s;
    assembly ("memory-safe") {
        s := mload(add(signature, 0x40))
    }
    return (v == 27 || v == 28) && s <= HALF_ORDER;
}

function compacted(bytes memory signature) pure returns (bytes memory) {
    if (signature.length == 64) return signature;
    bytes32 r;
    uint256 s;
    assembly ("memory-safe") {
        r := mload(add(signature, 0x20))
        s := mload(add(signature, 0x40))
    }
    return abi.encodePacked(r, s | (uint256(uint8(signature[64]) - 27) << 255));
}
