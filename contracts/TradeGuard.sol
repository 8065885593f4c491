// SPDX-License-Identifier: MIT
pragma solidity 0.8.35;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {SafeERC20} from "@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol";
import {ReentrancyGuardTransient} from "@openzeppelin/contracts/utils/ReentrancyGuardTransient.sol";
import {EIP712} from "@openzeppelin/contracts/utils/cryptography/EIP712.sol";
import {SignatureChecker} from "@openzeppelin/contracts/utils/cryptography/SignatureChecker.sol";
import {Math} from "@openzeppelin/contracts/utils/math/Math.sol";
import {ITradeGuard, TradeIntent, VerificationCertificate} from "./ITradeGuard.sol";
import {RouteExecutor, balanceOf} from "./RouteExecutor.sol";

/// @title TradeGuard
/// @author Assay
/// @notice Executes a trade only if its owner asked for exactly this trade and the attestation service certified it.
/// @dev Reads top to bottom: state, trading, administration, views, checks. The only token call in this contract is
/// the `transferFrom` in `_settle`; no admin function comes near it.
contract TradeGuard is ITradeGuard, EIP712, ReentrancyGuardTransient {
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

    /// @dev Half the order of the curve: of the two forms of a signature, the one with the lower s counts.
    uint256 private constant HALF_ORDER = 0x7FFFFFFFFFFFFFFFFFFFFFFFFFFFFFFF5D576E7357A4501DDFE92F46681B20A0;

    /// @dev Length of a packed trade without its route call data: see `_unpack`.
    uint256 private constant PACKED_LENGTH = 280;

    /// @dev Length of what stands before it where it is relayed: the owner, and the owner's signature.
    uint256 private constant OWNER_LENGTH = 20 + 64;

    /// @dev Calls the routes, so that this contract never calls one.
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
    address public previousSigner;
    uint64 private _previousSignerValidUntil;

    /// @inheritdoc ITradeGuard
    address public admin;
    /// @inheritdoc ITradeGuard
    address public pendingAdmin;
    /// @inheritdoc ITradeGuard
    address public pauser;

    /// @dev By route and selector in one word, which saves a hash in every trade: see `_routeKey`.
    mapping(bytes32 routeKey => bool) private _allowedRoutes;
    /// @inheritdoc ITradeGuard
    mapping(address recipient => bool) public isRecipientAllowed;
    /// @dev One bit a nonce, 256 nonces a word.
    mapping(address owner => mapping(uint256 word => uint256)) private _usedNonces;

    /*//////////////////////////////////////////////////////////////
                               CONSTRUCTION
    //////////////////////////////////////////////////////////////*/

    /// @notice Deploys the guard and its executor. No route is allowed yet.
    /// @param initialAdmin The admin, best a multisig.
    /// @param initialPauser The account that may pause beside the admin; zero for none.
    /// @param initialSigner The attestation key.
    constructor(
        address initialAdmin,
        address initialPauser,
        address initialSigner
    ) EIP712("TradeGuard", "1") {
        if (initialAdmin == address(0)) revert InvalidAdmin(initialAdmin);
        EXECUTOR = new RouteExecutor();
        admin = initialAdmin;
        emit AdminTransferred(address(0), initialAdmin);
        pauser = initialPauser;
        emit PauserSet(address(0), initialPauser);
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
        TradeIntent memory trade = _readIntent(intent)[0];
        VerificationCertificate memory attestation = _readCertificate(certificate)[0];
        if (msg.sender != trade.owner) revert NotOwner(msg.sender, trade.owner);
        bytes32 intentHash = _hashIntent(trade);

        _checkCertificate(attestation, certificateSignature, intentHash);
        _checkIntent(trade, _hash(routeCallData), routeCallData);
        _spendNonce(trade.owner, trade.nonce);
        amountOut = _settle(trade, attestation, intentHash, routeCallData);
    }

    /// @inheritdoc ITradeGuard
    function executeFor(
        TradeIntent calldata intent,
        VerificationCertificate calldata certificate,
        bytes calldata certificateSignature,
        bytes calldata ownerSignature,
        bytes calldata routeCallData
    ) external nonReentrant returns (uint256 amountOut) {
        TradeIntent memory trade = _readIntent(intent)[0];
        VerificationCertificate memory attestation = _readCertificate(certificate)[0];
        bytes32 intentHash = _hashIntent(trade);

        _checkCertificate(attestation, certificateSignature, intentHash);
        _checkIntent(trade, _hash(routeCallData), routeCallData);
        _spendNonce(trade.owner, trade.nonce);
        _checkOwnerSignature(trade.owner, intentHash, ownerSignature);
        amountOut = _settle(trade, attestation, intentHash, routeCallData);
    }

    /// @inheritdoc ITradeGuard
    function executePacked(bytes calldata packed) external nonReentrant returns (uint256 amountOut) {
        bytes calldata routeCallData = _routeCallDataOf(packed);
        TradeIntent memory intent = _unpackIntent(msg.sender, packed, _hash(routeCallData))[0];
        bytes32 intentHash = _hashIntent(intent);
        VerificationCertificate memory certificate = _unpackCertificate(intentHash, packed)[0];

        _checkCertificate(certificate, _signatureAt(packed, 216), intentHash);
        _checkIntent(intent, intent.callDataHash, routeCallData);
        _spendNonce(msg.sender, intent.nonce);
        amountOut = _settle(intent, certificate, intentHash, routeCallData);
    }

    /// @inheritdoc ITradeGuard
    function executeForPacked(bytes calldata packed) external nonReentrant returns (uint256 amountOut) {
        if (packed.length < OWNER_LENGTH) revert CallDataTooShort(0);
        address owner = address(bytes20(packed));
        bytes calldata ownerSignature = _signatureAt(packed, 20);
        packed = packed[OWNER_LENGTH:];
        bytes calldata routeCallData = _routeCallDataOf(packed);
        TradeIntent memory intent = _unpackIntent(owner, packed, _hash(routeCallData))[0];
        bytes32 intentHash = _hashIntent(intent);
        VerificationCertificate memory certificate = _unpackCertificate(intentHash, packed)[0];

        _checkCertificate(certificate, _signatureAt(packed, 216), intentHash);
        _checkIntent(intent, intent.callDataHash, routeCallData);
        _spendNonce(owner, intent.nonce);
        _checkOwnerSignature(owner, intentHash, ownerSignature);
        amountOut = _settle(intent, certificate, intentHash, routeCallData);
    }

    /// @inheritdoc ITradeGuard
    function invalidateNonces(uint256 word, uint256 mask) external {
        _usedNonces[msg.sender][word] |= mask;
        emit NoncesInvalidated(msg.sender, word, mask);
    }

    /*//////////////////////////////////////////////////////////////
                             ADMINISTRATION
    //////////////////////////////////////////////////////////////*/

    modifier onlyAdmin() {
        if (msg.sender != admin) revert NotAdmin(msg.sender);
        _;
    }

    /// @inheritdoc ITradeGuard
    function pause() external {
        if (msg.sender != admin && msg.sender != pauser) revert NotPauser(msg.sender);
        paused = true;
        emit Paused(msg.sender);
    }

    /// @inheritdoc ITradeGuard
    function unpause() external onlyAdmin {
        paused = false;
        emit Unpaused(msg.sender);
    }

    /// @inheritdoc ITradeGuard
    function rotateSigner(address newSigner, uint256 overlapSeconds) external onlyAdmin {
        if (overlapSeconds > MAX_OVERLAP) revert OverlapTooLong(overlapSeconds, MAX_OVERLAP);
        _setSigner(newSigner, overlapSeconds);
    }

    /// @inheritdoc ITradeGuard
    function setRoute(address route, bytes4 selector, bool allowed) external onlyAdmin {
        if (
            route == address(0) ||
            route == address(this) ||
            route == address(EXECUTOR) ||
            route == PERMIT2 ||
            selector == bytes4(0)
        ) revert InvalidRoute(route, selector);
        _allowedRoutes[_routeKey(route, selector)] = allowed;
        emit RouteSet(route, selector, allowed);
    }

    /// @inheritdoc ITradeGuard
    function setRecipient(address recipient, bool allowed) external onlyAdmin {
        if (recipient == address(0) || recipient == address(this) || recipient == address(EXECUTOR)) {
            revert InvalidRecipient(recipient);
        }
        isRecipientAllowed[recipient] = allowed;
        emit RecipientSet(recipient, allowed);
    }

    /// @inheritdoc ITradeGuard
    function setPauser(address newPauser) external onlyAdmin {
        emit PauserSet(pauser, newPauser);
        pauser = newPauser;
    }

    /// @inheritdoc ITradeGuard
    function transferAdmin(address newAdmin) external onlyAdmin {
        pendingAdmin = newAdmin;
        emit AdminTransferStarted(msg.sender, newAdmin);
    }

    /// @inheritdoc ITradeGuard
    function acceptAdmin() external {
        if (msg.sender != pendingAdmin) revert NotPendingAdmin(msg.sender);
        emit AdminTransferred(admin, msg.sender);
        admin = msg.sender;
        delete pendingAdmin;
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
        return address(EXECUTOR);
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

    /// @dev Trading is on, and the certificate is signed by a valid key, for this very intent, and valid now.
    function _checkCertificate(
        VerificationCertificate memory certificate,
        bytes calldata signature,
        bytes32 intentHash
    ) private view {
        // Read together, because they lie in one slot.
        (bool isPaused, address currentSigner) = (paused, signer);
        if (isPaused) revert TradingPaused();
        address recovered = _recover(_hashTypedDataV4(_hashCertificate(certificate)), signature);
        if (recovered != currentSigner && !_isPreviousSigner(recovered)) {
            revert CertificateSignerUnknown(recovered);
        }
        if (certificate.intentHash != intentHash) {
            revert CertificateIntentMismatch(certificate.intentHash, intentHash);
        }
        if (block.timestamp < certificate.issuedAt) revert CertificateNotYetValid(certificate.issuedAt);
        if (block.timestamp > certificate.expiresAt) revert CertificateExpired(certificate.expiresAt);
    }

    /// @dev The intent: in time, whole, and within the allowlists.
    function _checkIntent(
        TradeIntent memory intent,
        bytes32 callDataHash,
        bytes calldata routeCallData
    ) private view {
        if (block.timestamp > intent.deadline) revert DeadlinePassed(intent.deadline);
        if (intent.amountIn == 0) revert ZeroAmountIn();
        if (intent.minAmountOut == 0) revert ZeroMinAmountOut();

        (address inputToken, address outputToken) = (intent.inputToken, intent.outputToken);
        if (inputToken == outputToken) revert SameToken(inputToken);

        // The guard, the executor and Permit2 can never be on the list of routes: see `setRoute`.
        (address route, bytes4 selector) = (intent.route, intent.selector);
        if (route == inputToken || route == outputToken) revert RouteIsToken(route);
        if (!_allowedRoutes[_routeKey(route, selector)]) revert RouteNotAllowed(route, selector);
        if (routeCallData.length < 4) revert CallDataTooShort(routeCallData.length);
        if (bytes4(routeCallData) != selector) revert SelectorMismatch(bytes4(routeCallData));
        if (callDataHash != intent.callDataHash) revert CallDataHashMismatch(callDataHash);

        // Nor can the guard or the executor be on the list of recipients: see `setRecipient`.
        address recipient = intent.recipient;
        if (recipient == inputToken || recipient == outputToken) revert InvalidRecipient(recipient);
        if (recipient != intent.owner && !isRecipientAllowed[recipient]) {
            revert RecipientNotAllowed(recipient);
        }
    }

    /// @dev Twenty bytes of route, four of selector.
    function _routeKey(address route, bytes4 selector) private pure returns (bytes32) {
        return bytes32(uint256(uint160(route)) << 96) | (bytes32(selector) >> 160);
    }

    /// @dev Sets the bit of the nonce and reverts if it was set. Comes before any call to another contract.
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
        if (
            owner.code.length == 0 ||
            !SignatureChecker.isValidERC1271SignatureNowCalldata(owner, digest, signature)
        ) {
            revert OwnerSignatureInvalid(owner);
        }
    }

    /// @dev Moves the owner's input to the executor, has it traded there, and tells.
    function _settle(
        TradeIntent memory intent,
        VerificationCertificate memory certificate,
        bytes32 intentHash,
        bytes calldata routeCallData
    ) private returns (uint256 amountOut) {
        uint256 inputBefore = balanceOf(intent.inputToken, address(EXECUTOR));
        IERC20(intent.inputToken).safeTransferFrom(intent.owner, address(EXECUTOR), intent.amountIn);

        uint256 amountSpent;
        (amountSpent, amountOut) = _runExecutor(intent, inputBefore, routeCallData);
        emit TradeExecuted(
            certificate.jobId,
            intent.owner,
            certificate.evidenceHash,
            intentHash,
            amountSpent,
            amountOut
        );
    }

    /// @dev `EXECUTOR.run(intent, inputBefore)` and the route call data behind it, encoded by hand: the compiler would
    /// take the intent apart and put it together again. The executor is our own, so its answer is what it says it is.
    function _runExecutor(
        TradeIntent memory intent,
        uint256 inputBefore,
        bytes calldata routeCallData
    ) private returns (uint256 amountSpent, uint256 amountOut) {
        RouteExecutor to = EXECUTOR;
        bytes4 selector = RouteExecutor.run.selector;
        assembly ("memory-safe") {
            let free := mload(0x40)
            // A selector, 11 words of intent and one of balance; then the data.
            mstore(free, selector)
            mcopy(add(free, 0x04), intent, 0x160)
            mstore(add(free, 0x164), inputBefore)
            calldatacopy(add(free, 0x184), routeCallData.offset, routeCallData.length)
            if iszero(call(gas(), to, 0, free, add(0x184, routeCallData.length), 0x00, 0x40)) {
                returndatacopy(free, 0x00, returndatasize())
                revert(free, returndatasize())
            }
            amountSpent := mload(0x00)
            amountOut := mload(0x20)
        }
    }

    /*//////////////////////////////////////////////////////////////
                          TRADES AS THEY ARRIVE
    //////////////////////////////////////////////////////////////*/

    // Each of these answers a list of one, for the sake of gas: the compiler sets memory aside for a struct that a
    // function returns, and clears it, before the function begins; for a list it does not.

    /// @dev The readable form, as the ABI lays it out. What is no address or no selector is refused, without a name.
    function _readIntent(TradeIntent calldata given) private pure returns (TradeIntent[] memory one) {
        assembly ("memory-safe") {
            one := mload(0x40)
            let intent := add(one, 0x40)
            mstore(0x40, add(one, 0x1a0))
            mstore(one, 1)
            mstore(add(one, 0x20), intent)
            calldatacopy(intent, given, 0x160)
            let addresses := or(
                or(or(mload(intent), mload(add(intent, 0x20))), mload(add(intent, 0x40))),
                or(mload(add(intent, 0x60)), mload(add(intent, 0xc0)))
            )
            if or(shr(160, addresses), shl(32, mload(add(intent, 0xe0)))) {
                revert(0, 0)
            }
        }
    }

    /// @dev Likewise; what has more than 64 bits where a number has 64 is refused.
    function _readCertificate(
        VerificationCertificate calldata given
    ) private pure returns (VerificationCertificate[] memory one) {
        assembly ("memory-safe") {
            one := mload(0x40)
            let certificate := add(one, 0x40)
            mstore(0x40, add(one, 0x120))
            mstore(one, 1)
            mstore(add(one, 0x20), certificate)
            calldatacopy(certificate, given, 0xe0)
            let numbers := or(
                or(mload(add(certificate, 0x80)), mload(add(certificate, 0xa0))),
                mload(add(certificate, 0xc0))
            )
            if shr(64, numbers) {
                revert(0, 0)
            }
        }
    }

    /// @dev The packed form, byte after byte:
    ///
    ///     0 input token (20)    92 nonce (12)           120 evidence hash (32)
    ///    20 output token (20)  104 deadline (4)         152 policy hash (32)
    ///    40 route (20)         108 report version (4)   184 job id (32)
    ///    60 amount in (16)     112 issued at (4)        216 certificate signature (64, as in ERC-2098)
    ///    76 minimum out (16)   116 expires at (4)       280 route call data, to the end
    ///
    /// The recipient is the owner, selector and call data hash are those of the call data.
    function _unpackIntent(
        address owner,
        bytes calldata packed,
        bytes32 callDataHash
    ) private pure returns (TradeIntent[] memory one) {
        assembly ("memory-safe") {
            one := mload(0x40)
            let intent := add(one, 0x40)
            mstore(0x40, add(one, 0x1a0))
            mstore(one, 1)
            mstore(add(one, 0x20), intent)
            let from := packed.offset
            mstore(intent, owner)
            mstore(add(intent, 0x20), owner)
            mstore(add(intent, 0x40), shr(96, calldataload(from)))
            mstore(add(intent, 0x60), shr(96, calldataload(add(from, 20))))
            mstore(add(intent, 0x80), shr(128, calldataload(add(from, 60))))
            mstore(add(intent, 0xa0), shr(128, calldataload(add(from, 76))))
            mstore(add(intent, 0xc0), shr(96, calldataload(add(from, 40))))
            mstore(add(intent, 0xe0), shl(224, shr(224, calldataload(add(from, PACKED_LENGTH)))))
            mstore(add(intent, 0x100), callDataHash)
            mstore(add(intent, 0x120), shr(160, calldataload(add(from, 92))))
            mstore(add(intent, 0x140), shr(224, calldataload(add(from, 104))))
        }
    }

    /// @dev The certificate is for the intent that came with it. So all of a packed trade is under its signature.
    function _unpackCertificate(
        bytes32 intentHash,
        bytes calldata packed
    ) private pure returns (VerificationCertificate[] memory one) {
        assembly ("memory-safe") {
            one := mload(0x40)
            let certificate := add(one, 0x40)
            mstore(0x40, add(one, 0x120))
            mstore(one, 1)
            mstore(add(one, 0x20), certificate)
            let from := packed.offset
            mstore(certificate, intentHash)
            calldatacopy(add(certificate, 0x20), add(from, 120), 0x60)
            mstore(add(certificate, 0x80), shr(224, calldataload(add(from, 108))))
            mstore(add(certificate, 0xa0), shr(224, calldataload(add(from, 112))))
            mstore(add(certificate, 0xc0), shr(224, calldataload(add(from, 116))))
        }
    }

    /// @dev What stands behind the head, which with it is all there; at least a selector.
    function _routeCallDataOf(bytes calldata packed) private pure returns (bytes calldata routeCallData) {
        if (packed.length < PACKED_LENGTH + 4) {
            revert CallDataTooShort(Math.saturatingSub(packed.length, PACKED_LENGTH));
        }
        assembly ("memory-safe") {
            routeCallData.offset := add(packed.offset, PACKED_LENGTH)
            routeCallData.length := sub(packed.length, PACKED_LENGTH)
        }
    }

    /// @dev A signature of 64 bytes in a packed trade, whose length has been checked.
    function _signatureAt(
        bytes calldata packed,
        uint256 offset
    ) private pure returns (bytes calldata signature) {
        assembly ("memory-safe") {
            signature.offset := add(packed.offset, offset)
            signature.length := 64
        }
    }

    /*//////////////////////////////////////////////////////////////
                           HASHES AND SIGNATURES
    //////////////////////////////////////////////////////////////*/

    /// @dev `keccak256(data)` without setting memory aside for a copy that nobody needs later.
    function _hash(bytes calldata data) private pure returns (bytes32 hash) {
        assembly ("memory-safe") {
            let free := mload(0x40)
            calldatacopy(free, data.offset, data.length)
            hash := keccak256(free, data.length)
        }
    }

    /// @dev Both structs are static and lie in memory as EIP-712 encodes them: one word a member. The type hash stands
    /// before them while they are hashed, in the place of what memory holds there.
    function _hashIntent(TradeIntent memory intent) private pure returns (bytes32 structHash) {
        bytes32 typeHash = TRADE_INTENT_TYPEHASH;
        assembly ("memory-safe") {
            let start := sub(intent, 0x20)
            let kept := mload(start)
            mstore(start, typeHash)
            structHash := keccak256(start, 0x180)
            mstore(start, kept)
        }
    }

    function _hashCertificate(
        VerificationCertificate memory certificate
    ) private pure returns (bytes32 structHash) {
        bytes32 typeHash = VERIFICATION_CERTIFICATE_TYPEHASH;
        assembly ("memory-safe") {
            let start := sub(certificate, 0x20)
            let kept := mload(start)
            mstore(start, typeHash)
            structHash := keccak256(start, 0x100)
            mstore(start, kept)
        }
    }

    /// @dev Zero for every signature that is not exactly one of an ECDSA key: 65 bytes with v 27 or 28, or 64 bytes as
    /// in ERC-2098, and s in the lower half of the curve's order.
    function _recover(bytes32 digest, bytes calldata signature) private pure returns (address recovered) {
        uint8 v;
        uint256 s;
        if (signature.length == 64) {
            s = uint256(_word(signature, 32));
            // Below 29 whatever the bit is.
            unchecked {
                v = uint8(27 + (s >> 255));
            }
            s = (s << 1) >> 1;
        } else if (signature.length == 65) {
            s = uint256(_word(signature, 32));
            v = uint8(signature[64]);
        } else {
            return address(0);
        }
        if (s > HALF_ORDER) return address(0);
        recovered = ecrecover(digest, v, _word(signature, 0), bytes32(s));
    }

    /// @dev A word of a signature whose length has been checked.
    function _word(bytes calldata signature, uint256 offset) private pure returns (bytes32 word) {
        assembly ("memory-safe") {
            word := calldataload(add(signature.offset, offset))
        }
    }

    /// @dev Neither key is ever zero while it counts.
    function _isPreviousSigner(address recovered) private view returns (bool) {
        return recovered == previousSigner && block.timestamp <= _previousSignerValidUntil;
    }
}
