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

uint256 constant CURVE_ORDER = 0xFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFEBAAEDCE6AF48A03BBFD25E8CD0364141;
/// @dev Half of it.
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

/// @dev In 65 bytes.
function expanded(bytes memory signature) pure returns (bytes memory) {
    if (signature.length != 64) return signature;
    (bytes32 r, uint256 vs) = abi.decode(signature, (bytes32, uint256));
    return abi.encodePacked(r, (vs << 1) >> 1, uint8(27 + (vs >> 255)));
}

/// @dev The other signature of the same message by the same key, with s above half the order.
function upper(bytes memory signature) pure returns (bytes memory) {
    signature = expanded(signature);
    (bytes32 r, uint256 s) = abi.decode(signature, (bytes32, uint256));
    return abi.encodePacked(r, CURVE_ORDER - s, uint8(signature[64]) == 27 ? uint8(28) : uint8(27));
}

/// @dev The first bytes, and zeros behind them where there are no more.
function firstBytes(bytes memory data, uint256 count) pure returns (bytes memory part) {
    part = new bytes(count);
    for (uint256 i; i < count && i < data.length; ++i) part[i] = data[i];
}

/// @dev What stands from there on.
function bytesFrom(bytes memory data, uint256 from) pure returns (bytes memory part) {
    part = new bytes(data.length - from);
    for (uint256 i; i < part.length; ++i) part[i] = data[from + i];
}
