// SPDX-License-Identifier: MIT
pragma solidity 0.8.35;

/// @dev The one protection that the weakened guard goes without.
enum Weakness {
    None,
    OneContract,
    AnyoneRunsExecutor,
    AllowanceKept,
    CallDataUnsigned,
    ChainForgotten,
    SignatureAsNonce,
    NonceUnchecked,
    ZeroOwner,
    AnyAnswerOfWallet,
    WalletMayWrite,
    CertificateOfAnother,
    OldSignerKept,
    AnySigner,
    FeeOfOutputIgnored,
    FeeOfInputIgnored,
    Unlocked,
    NonceSpentLate,
    AnswerOfTokenIgnored,
    CodeUnchecked,
    AnyRecipient,
    RecipientIsToken,
    AnyRoute,
    RouteIsToken,
    AnythingListed,
    AnySelector,
    ShortCallData,
    UnsignedSpendsNonce,
    OwnerUnsigned,
    AnySender,
    NoMinimum,
    LateTrade,
    ExpiredCertificate,
    EarlyCertificate,
    CertificateOfOldExecutor,
    PauseIgnored,
    NoCustody,
    ReturnCopied,
    NativeCoinTaken,
    PermitDemanded
}

/// @dev The native balance of this address names the weakness, so that no storage or interface is needed for it.
address constant WEAKNESS = address(uint160(uint256(keccak256("weakness"))));

function weakened(Weakness weakness) view returns (bool) {
    return WEAKNESS.balance == uint256(weakness);
}
