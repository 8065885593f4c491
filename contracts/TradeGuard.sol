// SPDX-License-Identifier: MIT
pragma solidity 0.8.35;

import {AccessManaged} from "@openzeppelin/contracts/access/manager/AccessManaged.sol";
import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {SafeERC20} from "@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol";
import {Create2} from "@openzeppelin/contracts/utils/Create2.sol";
import {Packing} from "@openzeppelin/contracts/utils/Packing.sol";
import {ReentrancyGuardTransient} from "@openzeppelin/contracts/utils/ReentrancyGuardTransient.sol";
import {ECDSA} from "@openzeppelin/contracts/utils/cryptography/ECDSA.sol";
import {EIP712} from "@openzeppelin/contracts/utils/cryptography/EIP712.sol";
import {SignatureChecker} from "@openzeppelin/contracts/utils/cryptography/SignatureChecker.sol";
import {Math} from "@openzeppelin/contracts/utils/math/Math.sol";
import {ITradeGuard, TradeIntent, VerificationCertificate} from "./ITradeGuard.sol";
import {RouteExecutor, balanceOf, startOfReturnData} from "./RouteExecutor.sol";

/// @title TradeGuard
/// @author Assay
/// @notice Executes a trade only if its owner asked for exactly this trade and the attestation service certified it.
/// @dev Reads top to bottom: state, trading, restricted functions, views, checks, settlement, packed trades, hashes and
/// signatures, executors. The only token calls in this contract are in `_settle`: the question for a balance and the
/// `transferFrom` behind it. No restricted function comes near them.
contract TradeGuard is ITradeGuard, EIP712, AccessManaged, ReentrancyGuardTransient {
    using SafeERC20 for IERC20;

    /*//////////////////////////////////////////////////////////////
                                CONSTANTS
    //////////////////////////////////////////////////////////////*/

    bytes32 private constant TRADE_INTENT_TYPEHASH = keccak256(
        "TradeIntent(address owner,address recipient,address inputToken,address outputToken,uint256 amountIn,uint256 minAmountOut,address route,bytes4 selector,bytes32 callDataHash,uint256 nonce,uint256 deadline)"
    );

    bytes32 private constant VERIFICATION_CERTIFICATE_TYPEHASH = keccak256(
        "VerificationCertificate(bytes32 intentHash,bytes32 evidenceHash,bytes32 policyHash,bytes32 jobId,uint64 reportVersion,uint64 issuedAt,uint64 expiresAt)"
    );

    /// @dev How long the previous attestation key may stay valid after a rotation.
    uint256 private constant MAX_OVERLAP = 1 hours;

    /// @dev Holds allowances of the whole world at the same address on every chain; must never be called as a route.
    address private constant PERMIT2 = 0x000000000022D473030F116dDEE9F6B43aC78BA3;

    /// @dev Length of a packed trade without its route call data: see `_unpack`.
    uint256 private constant PACKED_LENGTH = 280;

    /// @dev Length of what stands before it where it is relayed: the owner (20), and the owner's signature (64).
    uint256 private constant OWNER_LENGTH = 84;

    /// @dev How many executors there can be, one after the other. So few that all can be refused as routes and recipients
    /// before they are there.
    uint256 private constant EXECUTORS = 256;

    /// @dev Hash of the executors' creation code: with it, CREATE2 tells the address of each.
    bytes32 private immutable EXECUTOR_CODE_HASH;

    /*//////////////////////////////////////////////////////////////
                                  STATE
    //////////////////////////////////////////////////////////////*/

    /// @inheritdoc ITradeGuard
    address public signer;
    /// @inheritdoc ITradeGuard
    /// @dev Shares its slot with `signer`, which every trade reads as well.
    bool public paused;
    /// @dev Which executor is used. Likewise.
    uint24 private _executorNumber;
    /// @dev First second at which a certificate can have been issued for it; zero for the first executor. Likewise.
    uint64 private _executorSince;

    /// @inheritdoc ITradeGuard
    address public previousSigner;
    uint64 private _previousSignerValidUntil;

    /// @dev By route and selector in one word: see `_routeKey`.
    mapping(bytes24 routeKey => bool) private _allowedRoutes;
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
        EXECUTOR_CODE_HASH = keccak256(type(RouteExecutor).creationCode);
        new RouteExecutor{salt: bytes32(0)}();
        _setSigner(initialSigner, 0);
    }

    /*//////////////////////////////////////////////////////////////
                                 TRADING
    //////////////////////////////////////////////////////////////*/

    /// @inheritdoc ITradeGuard
    function execute(
        TradeIntent calldata intent,
        VerificationCertificate calldata certificate,
        bytes calldata certificateSignature,
        bytes calldata routeCallData
    ) external nonReentrant returns (uint256 amountOut) {
        if (msg.sender != intent.owner) revert NotOwner(msg.sender, intent.owner);
        TradeIntent memory trade = intent;
        bytes32 intentHash = _hashIntent(trade);
        address recovered = _recover(_digestOf(certificate), certificateSignature);
        RouteExecutor runner = _checkTrade(trade, intentHash, certificate, recovered);
        _checkCallData(trade, routeCallData);
        _checkRecipientAndSpend(trade);
        return _settle(runner, trade, intentHash, certificate, routeCallData);
    }

    /// @inheritdoc ITradeGuard
    function executeFor(
        TradeIntent calldata intent,
        VerificationCertificate calldata certificate,
        bytes calldata certificateSignature,
        bytes calldata ownerSignature,
        bytes calldata routeCallData
    ) external nonReentrant returns (uint256 amountOut) {
        TradeIntent memory trade = intent;
        bytes32 intentHash = _hashIntent(trade);
        address recovered = _recover(_digestOf(certificate), certificateSignature);
        RouteExecutor runner = _checkTrade(trade, intentHash, certificate, recovered);
        _checkCallData(trade, routeCallData);
        _checkRecipientAndSpend(trade);
        _checkOwnerSignature(trade.owner, intentHash, ownerSignature);
        return _settle(runner, trade, intentHash, certificate, routeCallData);
    }

    /// @inheritdoc ITradeGuard
    function executePacked(bytes calldata packed) external nonReentrant returns (uint256 amountOut) {
        return _executePacked(msg.sender, packed, packed[0:0]);
    }

    /// @inheritdoc ITradeGuard
    function executeForPacked(bytes calldata packed) external nonReentrant returns (uint256 amountOut) {
        if (packed.length < OWNER_LENGTH) revert CallDataTooShort(0);
        return _executePacked(address(bytes20(packed)), packed[OWNER_LENGTH:], packed[20:OWNER_LENGTH]);
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
    function endOverlap() external restricted {
        _setSigner(signer, 0);
    }

    /// @inheritdoc ITradeGuard
    function disallowRoute(address route, bytes4 selector) external restricted {
        _allowedRoutes[_routeKey(route, selector)] = false;
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
    function rotateSigner(address newSigner, uint256 overlapSeconds) external restricted {
        if (overlapSeconds > MAX_OVERLAP) revert OverlapTooLong(overlapSeconds, MAX_OVERLAP);
        _setSigner(newSigner, overlapSeconds);
    }

    /// @inheritdoc ITradeGuard
    function allowRoute(address route, bytes4 selector) external restricted {
        if (
            route == address(0) ||
            route == address(this) ||
            route == PERMIT2 ||
            selector == bytes4(0) ||
            _isExecutor(route)
        ) revert InvalidRoute(route, selector);
        _allowedRoutes[_routeKey(route, selector)] = true;
        emit RouteSet(route, selector, true);
    }

    /// @inheritdoc ITradeGuard
    function allowRecipient(address recipient) external restricted {
        if (recipient == address(0) || recipient == address(this) || _isExecutor(recipient)) {
            revert InvalidRecipient(recipient);
        }
        isRecipientAllowed[recipient] = true;
        emit RecipientSet(recipient, true);
    }

    /// @inheritdoc ITradeGuard
    function renewExecutor(address[] calldata seedTokens) external restricted nonReentrant {
        uint256 number = uint256(_executorNumber) + 1;
        if (number == EXECUTORS) revert NoExecutorLeft();
        RouteExecutor previous = _executorAt(number - 1);
        // At the address that `_executorAt` computes: the salt is the number.
        RouteExecutor next = new RouteExecutor{salt: bytes32(number)}();
        _executorNumber = uint24(number);
        _executorSince = uint64(block.timestamp + 1);
        emit ExecutorRenewed(address(previous), address(next), number);
        previous.seed(seedTokens, address(next));
    }

    /// @dev An overlap of zero forgets the old key; so does a second rotation.
    function _setSigner(address newSigner, uint256 overlapSeconds) private {
        if (newSigner == address(0)) revert InvalidSigner(newSigner);
        address oldSigner = signer;
        uint64 validUntil = overlapSeconds == 0 ? 0 : uint64(block.timestamp + overlapSeconds);
        previousSigner = overlapSeconds == 0 ? address(0) : oldSigner;
        _previousSignerValidUntil = validUntil;
        signer = newSigner;
        emit SignerRotated(oldSigner, newSigner, validUntil);
    }

    /*//////////////////////////////////////////////////////////////
                                  VIEWS
    //////////////////////////////////////////////////////////////*/

    /// @inheritdoc ITradeGuard
    function isNonceUsed(address owner, uint256 nonce) external view returns (bool) {
        return (_usedNonces[owner][nonce >> 8] >> (nonce & 0xff)) & 1 == 1;
    }

    /// @inheritdoc ITradeGuard
    function isRouteAllowed(address route, bytes4 selector) external view returns (bool) {
        return _allowedRoutes[_routeKey(route, selector)];
    }

    /// @inheritdoc ITradeGuard
    function previousSignerValidUntil() external view returns (uint256) {
        return _previousSignerValidUntil;
    }

    /// @inheritdoc ITradeGuard
    function executor() external view returns (address) {
        return address(_executorAt(_executorNumber));
    }

    /// @inheritdoc ITradeGuard
    function isTrading() external view returns (bool) {
        return _reentrancyGuardEntered();
    }

    /// @inheritdoc ITradeGuard
    function hashIntent(TradeIntent calldata intent) external pure returns (bytes32) {
        return _hashIntent(intent);
    }

    /// @inheritdoc ITradeGuard
    function hashCertificate(VerificationCertificate calldata certificate) external pure returns (bytes32) {
        return _hashCertificate(certificate);
    }

    /// @inheritdoc ITradeGuard
    function domainSeparator() external view returns (bytes32) {
        return _domainSeparatorV4();
    }

    /*//////////////////////////////////////////////////////////////
                             CHECKS OF A TRADE
    //////////////////////////////////////////////////////////////*/

    // In the order that docs/guard.md tells. All of it comes before any call to another contract, but the question to an
    // owner that is a contract.

    /// @dev The certificate counts now, for this very intent and executor, and the terms of the intent hold.
    function _checkTrade(
        TradeIntent memory intent,
        bytes32 intentHash,
        VerificationCertificate memory certificate,
        address recovered
    ) private view returns (RouteExecutor runner) {
        // Read together, because they lie in one slot.
        (bool isPaused, address currentSigner) = (paused, signer);
        (uint256 since, uint256 number) = (_executorSince, _executorNumber);
        if (isPaused) revert TradingPaused();
        if (recovered != currentSigner && !_isPreviousSigner(recovered)) {
            revert CertificateSignerUnknown(recovered);
        }
        if (certificate.intentHash != intentHash) {
            revert CertificateIntentMismatch(certificate.intentHash, intentHash);
        }
        (uint256 issuedAt, uint256 expiresAt) = (certificate.issuedAt, certificate.expiresAt);
        if (issuedAt < since) revert CertificateBeforeExecutor(issuedAt, since);
        if (block.timestamp < issuedAt) revert CertificateNotYetValid(issuedAt);
        if (block.timestamp > expiresAt) revert CertificateExpired(expiresAt);
        _checkTerms(intent);
        return _executorAt(number);
    }

    /// @dev The intent is in time, whole, and on a listed route.
    function _checkTerms(TradeIntent memory intent) private view {
        if (block.timestamp > intent.deadline) revert DeadlinePassed(intent.deadline);
        if (intent.amountIn == 0) revert ZeroAmountIn();
        if (intent.minAmountOut == 0) revert ZeroMinAmountOut();
        (address inputToken, address outputToken) = (intent.inputToken, intent.outputToken);
        if (inputToken == outputToken) revert SameToken(inputToken);
        // The guard, its executors and Permit2 can never be on the list of routes: see `allowRoute`.
        address route = intent.route;
        if (route == inputToken || route == outputToken) revert RouteIsToken(route);
        if (!_allowedRoutes[_routeKey(route, intent.selector)])
            revert RouteNotAllowed(route, intent.selector);
    }

    /// @dev The call data are those of the intent. Those of a packed trade are by the way it is read.
    function _checkCallData(TradeIntent memory intent, bytes calldata routeCallData) private pure {
        if (routeCallData.length < 4) revert CallDataTooShort(routeCallData.length);
        if (bytes4(routeCallData) != intent.selector) revert SelectorMismatch(bytes4(routeCallData));
        bytes32 callDataHash = keccak256(routeCallData);
        if (callDataHash != intent.callDataHash) revert CallDataHashMismatch(callDataHash);
    }

    /// @dev The recipient may be paid, and the nonce was not used.
    function _checkRecipientAndSpend(TradeIntent memory intent) private {
        (address owner, address recipient) = (intent.owner, intent.recipient);
        if (recipient == intent.inputToken || recipient == intent.outputToken) {
            revert InvalidRecipient(recipient);
        }
        // The guard and its executors can never be on the list of recipients: see `allowRecipient`.
        if (recipient != owner && !isRecipientAllowed[recipient]) revert RecipientNotAllowed(recipient);
        _spendNonce(owner, intent.nonce);
    }

    /// @dev Sets the bit of the nonce, and reverts if it was set.
    function _spendNonce(address owner, uint256 nonce) private {
        uint256 bit = 1 << (nonce & 0xff);
        uint256 flipped = _usedNonces[owner][nonce >> 8] ^= bit;
        if (flipped & bit == 0) revert NonceUsed(owner, nonce);
    }

    /// @dev ECDSA first, whether the owner has code or not, then ERC-1271 as a static call.
    function _checkOwnerSignature(address owner, bytes32 intentHash, bytes calldata signature) private view {
        bytes32 digest = _hashTypedDataV4(intentHash);
        address recovered = _recover(digest, signature);
        if (recovered != address(0) && recovered == owner) return;
        if (!SignatureChecker.isValidERC1271SignatureNowCalldata(owner, digest, signature)) {
            revert OwnerSignatureInvalid(owner);
        }
    }

    /// @dev Both in one word, which saves a hash in every trade.
    function _routeKey(address route, bytes4 selector) private pure returns (bytes24) {
        return Packing.pack_20_4(bytes20(route), selector);
    }

    /*//////////////////////////////////////////////////////////////
                               SETTLEMENT
    //////////////////////////////////////////////////////////////*/

    /// @dev Moves the owner's input to the executor, has it traded there, and tells.
    function _settle(
        RouteExecutor runner,
        TradeIntent memory intent,
        bytes32 intentHash,
        VerificationCertificate memory certificate,
        bytes calldata routeCallData
    ) private returns (uint256 amountOut) {
        uint256 inputBefore = balanceOf(intent.inputToken, address(runner));
        if (!IERC20(intent.inputToken).trySafeTransferFrom(intent.owner, address(runner), intent.amountIn)) {
            revert TokenCallFailed(intent.inputToken, startOfReturnData());
        }
        uint256 amountSpent;
        (amountSpent, amountOut) = runner.run(intent, inputBefore, routeCallData);
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
                              PACKED TRADES
    //////////////////////////////////////////////////////////////*/

    /// @dev Without an owner's signature the owner has sent it. The packed form, byte after byte:
    ///
    ///     0 input token (20)    92 nonce (12)           120 evidence hash (32)
    ///    20 output token (20)  104 deadline (4)         152 policy hash (32)
    ///    40 route (20)         108 report version (4)   184 job id (32)
    ///    60 amount in (16)     112 issued at (4)        216 certificate signature (64, as in ERC-2098)
    ///    76 minimum out (16)   116 expires at (4)       280 route call data, to the end
    ///
    /// The recipient is the owner, selector and call data hash are those of the call data, and the certificate is for
    /// this intent. So all of a packed trade is under the signature of the certificate.
    function _executePacked(
        address owner,
        bytes calldata packed,
        bytes calldata ownerSignature
    ) private returns (uint256 amountOut) {
        if (packed.length < PACKED_LENGTH + 4) {
            revert CallDataTooShort(Math.saturatingSub(packed.length, PACKED_LENGTH));
        }
        bytes calldata routeCallData = packed[PACKED_LENGTH:];
        TradeIntent memory intent = TradeIntent({
            owner: owner,
            recipient: owner,
            inputToken: address(bytes20(_wordAt(packed, 0))),
            outputToken: address(bytes20(_wordAt(packed, 20))),
            amountIn: uint128(bytes16(_wordAt(packed, 60))),
            minAmountOut: uint128(bytes16(_wordAt(packed, 76))),
            route: address(bytes20(_wordAt(packed, 40))),
            selector: bytes4(routeCallData),
            callDataHash: keccak256(routeCallData),
            nonce: uint96(bytes12(_wordAt(packed, 92))),
            deadline: uint32(bytes4(_wordAt(packed, 104)))
        });
        bytes32 intentHash = _hashIntent(intent);
        VerificationCertificate memory certificate = VerificationCertificate({
            intentHash: intentHash,
            evidenceHash: _wordAt(packed, 120),
            policyHash: _wordAt(packed, 152),
            jobId: _wordAt(packed, 184),
            reportVersion: uint32(bytes4(_wordAt(packed, 108))),
            issuedAt: uint32(bytes4(_wordAt(packed, 112))),
            expiresAt: uint32(bytes4(_wordAt(packed, 116)))
        });
        (address recovered, , ) = ECDSA.tryRecover(
            _digestOf(certificate),
            _wordAt(packed, 216),
            _wordAt(packed, 248)
        );

        RouteExecutor runner = _checkTrade(intent, intentHash, certificate, recovered);
        _checkRecipientAndSpend(intent);
        if (ownerSignature.length != 0) _checkOwnerSignature(owner, intentHash, ownerSignature);
        return _settle(runner, intent, intentHash, certificate, routeCallData);
    }

    /// @dev `bytes32(packed[offset:offset + 32])`, which checks the length, already checked, anew for each member: about
    /// 70 gas each.
    function _wordAt(bytes calldata packed, uint256 offset) private pure returns (bytes32 word) {
        assembly ("memory-safe") {
            word := calldataload(add(packed.offset, offset))
        }
    }

    /*//////////////////////////////////////////////////////////////
                          HASHES AND SIGNATURES
    //////////////////////////////////////////////////////////////*/

    /// @dev EIP-712 struct hash of an intent: `keccak256(abi.encode(TRADE_INTENT_TYPEHASH, intent))`.
    function _hashIntent(TradeIntent memory intent) private pure returns (bytes32 structHash) {
        bytes32 typeHash = TRADE_INTENT_TYPEHASH;
        // In memory the struct is encoded already, so only the type hash is put before it, for this moment.
        assembly ("memory-safe") {
            let start := sub(intent, 0x20)
            let kept := mload(start)
            mstore(start, typeHash)
            structHash := keccak256(start, 0x180)
            mstore(start, kept)
        }
    }

    /// @dev EIP-712 struct hash of a certificate.
    function _hashCertificate(VerificationCertificate memory certificate) private pure returns (bytes32) {
        return keccak256(abi.encode(VERIFICATION_CERTIFICATE_TYPEHASH, certificate));
    }

    /// @dev What the attestation key signs.
    function _digestOf(VerificationCertificate memory certificate) private view returns (bytes32) {
        return _hashTypedDataV4(_hashCertificate(certificate));
    }

    /// @dev Who signed: zero for every signature that is not exactly one of an ECDSA key, of 65 bytes with v 27 or 28, or 64
    /// bytes as in ERC-2098, and s in the lower half of the curve's order.
    function _recover(bytes32 digest, bytes calldata signature) private pure returns (address recovered) {
        (uint8 v, bytes32 r, bytes32 s) = ECDSA.parseCalldata(signature);
        (recovered, , ) = ECDSA.tryRecover(digest, v, r, s);
    }

    /// @dev Neither key is ever zero while it counts.
    function _isPreviousSigner(address recovered) private view returns (bool) {
        return recovered == previousSigner && block.timestamp <= _previousSignerValidUntil;
    }

    /*//////////////////////////////////////////////////////////////
                                EXECUTORS
    //////////////////////////////////////////////////////////////*/

    /// @dev Where CREATE2 puts the executor of a number, whether it is there already or not.
    function _executorAt(uint256 number) private view returns (RouteExecutor) {
        return RouteExecutor(Create2.computeAddress(bytes32(number), EXECUTOR_CODE_HASH));
    }

    /// @dev Whether an account was, is or may become the executor: there are so few that all can be asked.
    function _isExecutor(address account) private view returns (bool) {
        for (uint256 number = 0; number < EXECUTORS; ++number) {
            if (address(_executorAt(number)) == account) return true;
        }
        return false;
    }
}
