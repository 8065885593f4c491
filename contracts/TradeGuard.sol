// SPDX-License-Identifier: MIT
pragma solidity 0.8.35;

import {AccessManaged} from "@openzeppelin/contracts/access/manager/AccessManaged.sol";
import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {SafeERC20} from "@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol";
import {ReentrancyGuardTransient} from "@openzeppelin/contracts/utils/ReentrancyGuardTransient.sol";
import {ECDSA} from "@openzeppelin/contracts/utils/cryptography/ECDSA.sol";
import {EIP712} from "@openzeppelin/contracts/utils/cryptography/EIP712.sol";
import {SignatureChecker} from "@openzeppelin/contracts/utils/cryptography/SignatureChecker.sol";
import {ITradeGuard, TradeIntent, VerificationCertificate} from "./ITradeGuard.sol";
import {RouteExecutor, balanceOf, startOfReturnData} from "./RouteExecutor.sol";

/// @title TradeGuard
/// @author Assay
/// @notice Executes a trade only if its owner asked for exactly this trade and the attestation service certified it.
/// @dev Reads top to bottom: state, trading, restricted functions, views, the checks of a trade, settlement, hashes and
/// signatures. The only token calls of this contract are in `_settle`: the question for a balance, and the
/// `transferFrom` of the owner's input to the executor. No restricted function comes near them.
contract TradeGuard is ITradeGuard, EIP712, AccessManaged, ReentrancyGuardTransient {
    using SafeERC20 for IERC20;

    /*//////////////////////////////////////////////////////////////
                                CONSTANTS
    //////////////////////////////////////////////////////////////*/

    bytes32 private constant TRADE_INTENT_TYPEHASH = keccak256(
        "TradeIntent(address owner,address recipient,address inputToken,address outputToken,uint256 amountIn,uint256 minAmountOut,address route,bytes32 callDataHash,bytes32 policyHash,uint256 nonce,uint256 deadline)"
    );

    bytes32 private constant VERIFICATION_CERTIFICATE_TYPEHASH = keccak256(
        "VerificationCertificate(bytes32 intentHash,bytes32 evidenceHash,bytes32 jobId,uint64 reportVersion,uint64 issuedAt,uint64 expiresAt)"
    );

    /// @dev The longest that a certificate may live, whatever the attestation key signs.
    uint256 private constant MAX_CERTIFICATE_LIFETIME = 300 seconds;

    /// @dev Holds allowances of the whole world at the same address on every chain; must never be called as a route.
    address private constant PERMIT2 = 0x000000000022D473030F116dDEE9F6B43aC78BA3;

    /// @dev Calls the routes. Deployed with the guard, and never another.
    RouteExecutor private immutable EXECUTOR;

    /*//////////////////////////////////////////////////////////////
                                  STATE
    //////////////////////////////////////////////////////////////*/

    /// @inheritdoc ITradeGuard
    address public signer;
    /// @inheritdoc ITradeGuard
    /// @dev Shares its slot with `signer`, which every trade reads as well.
    bool public paused;

    /// @inheritdoc ITradeGuard
    mapping(address route => mapping(bytes4 selector => bool)) public isRouteAllowed;
    /// @inheritdoc ITradeGuard
    mapping(address recipient => bool) public isRecipientAllowed;
    /// @dev One bit a nonce, 256 nonces a word.
    mapping(address owner => mapping(uint256 word => uint256)) private _usedNonces;

    /*//////////////////////////////////////////////////////////////
                               CONSTRUCTION
    //////////////////////////////////////////////////////////////*/

    /// @notice Deploys the guard and its executor. No route is allowed yet.
    /// @param manager The AccessManager: who may call which restricted function, and after which delay.
    /// @param initialSigner The attestation key.
    constructor(address manager, address initialSigner) EIP712("TradeGuard", "1") AccessManaged(manager) {
        if (manager.code.length == 0) revert AccessManagedInvalidAuthority(manager);
        EXECUTOR = new RouteExecutor();
        _setSigner(initialSigner);
    }

    /*//////////////////////////////////////////////////////////////
                                 TRADING
    //////////////////////////////////////////////////////////////*/

    /// @inheritdoc ITradeGuard
    function execute(
        TradeIntent calldata intent,
        VerificationCertificate calldata certificate,
        bytes calldata certificateSignature,
        bytes calldata ownerSignature,
        bytes calldata routeCallData
    ) external nonReentrant returns (uint256 amountOut) {
        if (paused) revert TradingPaused();
        bytes32 intentHash = hashIntent(intent);
        _checkCertificate(certificate, certificateSignature, intentHash);
        _checkTerms(intent);
        _checkRoute(intent, routeCallData);
        _checkRecipient(intent);
        _spendNonce(intent.owner, intent.nonce);
        // Last, because it may call the owner's contract: all that the guard itself can check and write is done.
        _checkOwner(intent.owner, intentHash, ownerSignature);
        return _settle(intent, intentHash, certificate, routeCallData);
    }

    /// @inheritdoc ITradeGuard
    function invalidateNonces(uint256 word, uint256 mask) external {
        _usedNonces[msg.sender][word] |= mask;
        emit NoncesInvalidated(msg.sender, word, mask);
    }

    /*//////////////////////////////////////////////////////////////
                   RESTRICTED: WHAT ONLY RESTRICTS
    //////////////////////////////////////////////////////////////*/

    /// @inheritdoc ITradeGuard
    function pause() external restricted {
        paused = true;
        emit Paused(msg.sender);
    }

    /// @inheritdoc ITradeGuard
    function disallowRoute(address route, bytes4 selector) external restricted {
        isRouteAllowed[route][selector] = false;
        emit RouteSet(route, selector, false);
    }

    /// @inheritdoc ITradeGuard
    function disallowRecipient(address recipient) external restricted {
        isRecipientAllowed[recipient] = false;
        emit RecipientSet(recipient, false);
    }

    /*//////////////////////////////////////////////////////////////
                     RESTRICTED: WHAT PERMITS MORE
    //////////////////////////////////////////////////////////////*/

    /// @inheritdoc ITradeGuard
    function unpause() external restricted {
        paused = false;
        emit Unpaused(msg.sender);
    }

    /// @inheritdoc ITradeGuard
    function rotateSigner(address newSigner) external restricted {
        _setSigner(newSigner);
    }

    /// @inheritdoc ITradeGuard
    function allowRoute(address route, bytes4 selector) external restricted {
        if (
            route == address(0) ||
            route == address(this) ||
            route == address(EXECUTOR) ||
            route == PERMIT2 ||
            selector == bytes4(0)
        ) revert InvalidRoute(route, selector);
        isRouteAllowed[route][selector] = true;
        emit RouteSet(route, selector, true);
    }

    /// @inheritdoc ITradeGuard
    function allowRecipient(address recipient) external restricted {
        if (recipient == address(0) || recipient == address(this) || recipient == address(EXECUTOR)) {
            revert InvalidRecipient(recipient);
        }
        isRecipientAllowed[recipient] = true;
        emit RecipientSet(recipient, true);
    }

    function _setSigner(address newSigner) private {
        if (newSigner == address(0)) revert InvalidSigner(newSigner);
        emit SignerRotated(signer, newSigner);
        signer = newSigner;
    }

    /*//////////////////////////////////////////////////////////////
                                  VIEWS
    //////////////////////////////////////////////////////////////*/

    /// @inheritdoc ITradeGuard
    function isNonceUsed(address owner, uint256 nonce) external view returns (bool) {
        return (_usedNonces[owner][nonce >> 8] >> (nonce & 0xff)) & 1 == 1;
    }

    /// @inheritdoc ITradeGuard
    function executor() external view returns (address) {
        return address(EXECUTOR);
    }

    /// @inheritdoc ITradeGuard
    function isTrading() external view returns (bool) {
        return _reentrancyGuardEntered();
    }

    /// @inheritdoc ITradeGuard
    function hashIntent(TradeIntent calldata intent) public pure returns (bytes32) {
        return keccak256(abi.encode(TRADE_INTENT_TYPEHASH, intent));
    }

    /// @inheritdoc ITradeGuard
    function hashCertificate(VerificationCertificate calldata certificate) public pure returns (bytes32) {
        return keccak256(abi.encode(VERIFICATION_CERTIFICATE_TYPEHASH, certificate));
    }

    /*//////////////////////////////////////////////////////////////
                             CHECKS OF A TRADE
    //////////////////////////////////////////////////////////////*/

    // `execute` calls them in this order. They call no other contract, but for the question to an owner that is one.

    /// @dev The attestation key signed the certificate, for this intent, and it counts now.
    function _checkCertificate(
        VerificationCertificate calldata certificate,
        bytes calldata signature,
        bytes32 intentHash
    ) private view {
        address recovered = _recover(_hashTypedDataV4(hashCertificate(certificate)), signature);
        if (recovered != signer) revert CertificateSignerUnknown(recovered);
        if (certificate.intentHash != intentHash) {
            revert CertificateIntentMismatch(certificate.intentHash, intentHash);
        }
        (uint256 issuedAt, uint256 expiresAt) = (certificate.issuedAt, certificate.expiresAt);
        if (block.timestamp < issuedAt) revert CertificateNotYetValid(issuedAt);
        if (block.timestamp > expiresAt) revert CertificateExpired(expiresAt);
        // It was issued by now and has not expired, so this is no less than zero.
        uint256 lifetime = expiresAt - issuedAt;
        if (lifetime > MAX_CERTIFICATE_LIFETIME) {
            revert CertificateLifetimeTooLong(lifetime, MAX_CERTIFICATE_LIFETIME);
        }
    }

    /// @dev The intent is in time, and sells something for something else.
    function _checkTerms(TradeIntent calldata intent) private view {
        if (block.timestamp > intent.deadline) revert DeadlinePassed(intent.deadline);
        if (intent.amountIn == 0) revert ZeroAmountIn();
        if (intent.minAmountOut == 0) revert ZeroMinAmountOut();
        if (intent.inputToken == intent.outputToken) revert SameToken(intent.inputToken);
    }

    /// @dev The call data are those of the intent, and call a listed function of a listed route.
    function _checkRoute(TradeIntent calldata intent, bytes calldata routeCallData) private view {
        if (routeCallData.length < 4) revert CallDataTooShort(routeCallData.length);
        bytes32 callDataHash = keccak256(routeCallData);
        if (callDataHash != intent.callDataHash) revert CallDataHashMismatch(callDataHash);
        address route = intent.route;
        // A token can be listed. The guard, its executor and Permit2 can not: see `allowRoute`.
        if (route == intent.inputToken || route == intent.outputToken) revert RouteIsToken(route);
        bytes4 selector = bytes4(routeCallData);
        if (!isRouteAllowed[route][selector]) revert RouteNotAllowed(route, selector);
    }

    /// @dev The recipient is the owner or listed, and no token of the trade.
    function _checkRecipient(TradeIntent calldata intent) private view {
        address recipient = intent.recipient;
        if (recipient == intent.inputToken || recipient == intent.outputToken) {
            revert InvalidRecipient(recipient);
        }
        // The guard and its executor can never be on the list: see `allowRecipient`.
        if (recipient != intent.owner && !isRecipientAllowed[recipient]) {
            revert RecipientNotAllowed(recipient);
        }
    }

    /// @dev Sets the bit of the nonce, and reverts if it was set.
    function _spendNonce(address owner, uint256 nonce) private {
        uint256 bit = 1 << (nonce & 0xff);
        uint256 flipped = _usedNonces[owner][nonce >> 8] ^= bit;
        if (flipped & bit == 0) revert NonceUsed(owner, nonce);
    }

    /// @dev The owner sends the trade, or has signed it.
    function _checkOwner(address owner, bytes32 intentHash, bytes calldata signature) private view {
        if (signature.length == 0) {
            if (msg.sender != owner) revert NotOwner(msg.sender, owner);
            return;
        }
        bytes32 digest = _hashTypedDataV4(intentHash);
        address recovered = _recover(digest, signature);
        // ECDSA first, whether the owner has code or not: an account with delegated code (EIP-7702) may sign with its key.
        if (recovered != address(0) && recovered == owner) return;
        if (!SignatureChecker.isValidERC1271SignatureNowCalldata(owner, digest, signature)) {
            revert OwnerSignatureInvalid(owner);
        }
    }

    /*//////////////////////////////////////////////////////////////
                               SETTLEMENT
    //////////////////////////////////////////////////////////////*/

    /// @dev Moves the owner's input to the executor, has it traded there, and tells.
    function _settle(
        TradeIntent calldata intent,
        bytes32 intentHash,
        VerificationCertificate calldata certificate,
        bytes calldata routeCallData
    ) private returns (uint256 amountOut) {
        uint256 inputBefore = balanceOf(intent.inputToken, address(EXECUTOR));
        if (
            !IERC20(intent.inputToken).trySafeTransferFrom(intent.owner, address(EXECUTOR), intent.amountIn)
        ) {
            revert TokenCallFailed(intent.inputToken, startOfReturnData());
        }
        uint256 amountSpent;
        (amountSpent, amountOut) = EXECUTOR.run(intent, inputBefore, routeCallData);
        emit TradeExecuted(
            certificate.jobId,
            intent.owner,
            certificate.evidenceHash,
            intentHash,
            amountSpent,
            amountOut
        );
    }

    /*//////////////////////////////////////////////////////////////
                               SIGNATURES
    //////////////////////////////////////////////////////////////*/

    /// @dev Who signed: zero for every signature that is not exactly one of an ECDSA key, of 65 bytes with v 27 or 28, or 64
    /// bytes as in ERC-2098, and s in the lower half of the curve's order. The signer is never zero.
    function _recover(bytes32 digest, bytes calldata signature) private pure returns (address recovered) {
        (uint8 v, bytes32 r, bytes32 s) = ECDSA.parseCalldata(signature);
        (recovered, , ) = ECDSA.tryRecover(digest, v, r, s);
    }
}
