// SPDX-License-Identifier: MIT
pragma solidity 0.8.35;

import {TradeIntent, VerificationCertificate} from "../../../contracts/ITradeGuard.sol";

/// @dev All that one guarded trade needs: the arguments of `execute`, with the signature that a relayer adds.
struct Trade {
    TradeIntent intent;
    VerificationCertificate certificate;
    bytes certificateSignature;
    bytes ownerSignature;
    bytes routeCallData;
}

uint256 constant CURVE_ORDER = 0xFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFEBAAEDCE6AF48A03BBFD25E8CD0364141;

function intentTypeHash() pure returns (bytes32) {
    bytes memory members = bytes.concat(
        "TradeIntent(address owner,address recipient,address inputToken,address outputToken,uint256 amountIn,",
        "uint256 minAmountOut,address route,bytes32 callDataHash,bytes32 policyHash,uint256 nonce,uint256 deadline)"
    );
    return keccak256(members);
}

function certificateTypeHash() pure returns (bytes32) {
    bytes memory members = bytes.concat(
        "VerificationCertificate(bytes32 intentHash,bytes32 evidenceHash,bytes32 jobId,",
        "uint64 reportVersion,uint64 issuedAt,uint64 expiresAt)"
    );
    return keccak256(members);
}

function hashIntent(TradeIntent memory intent) pure returns (bytes32) {
    return keccak256(abi.encode(intentTypeHash(), intent));
}

function hashCertificate(VerificationCertificate memory certificate) pure returns (bytes32) {
    return keccak256(abi.encode(certificateTypeHash(), certificate));
}

/// @dev A signature of 65 bytes in the 64 of ERC-2098.
function compacted(bytes memory signature) pure returns (bytes memory) {
    (bytes32 r, uint256 s) = abi.decode(signature, (bytes32, uint256));
    return abi.encodePacked(r, s | (uint256(uint8(signature[64]) - 27) << 255));
}

/// @dev The other signature of the same message by the same key, with s above half the curve's order.
function upper(bytes memory signature) pure returns (bytes memory) {
    (bytes32 r, uint256 s) = abi.decode(signature, (bytes32, uint256));
    return abi.encodePacked(r, CURVE_ORDER - s, uint8(signature[64]) == 27 ? uint8(28) : uint8(27));
}

/// @dev The first bytes, and zeros behind them where there are no more.
function firstBytes(bytes memory data, uint256 count) pure returns (bytes memory part) {
    part = new bytes(count);
    for (uint256 i; i < count && i < data.length; ++i) part[i] = data[i];
}
