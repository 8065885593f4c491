// SPDX-License-Identifier: MIT
pragma solidity 0.8.35;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {SafeERC20} from "@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol";
import {ReentrancyGuardTransient} from "@openzeppelin/contracts/utils/ReentrancyGuardTransient.sol";
import {EIP712} from "@openzeppelin/contracts/utils/cryptography/EIP712.sol";
import {SignatureChecker} from "@openzeppelin/contracts/utils/cryptography/SignatureChecker.sol";
import {Math} from "@openzeppelin/contracts/utils/math/Math.sol";
import {ITradeGuard, TradeIntent, VerificationCertificate} from "./ITradeGuard.sol";
import {RouteExecutor, answer, answers, askBalance} from "./RouteExecutor.sol";

/// @title TradeGuard
/// @author Assay
/// @notice Executes a trade only if its owner asked for exactly this trade and the attestation service certified it.
/// @dev Reads top to bottom: state, trading, administration, views, checks, memory, signatures, executors. The only token
/// calls in this contract are the `transferFrom` in `_settle` and the question for a balance before it; no admin function
/// comes near them.
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
    uint256 private constant OWNER_LENGTH = 84;

    /// @dev How many executors there can be, one after the other. So few that all can be refused as routes and recipients
    /// before they are there.
    uint256 private constant EXECUTORS = 256;

    /// @dev Of the executors, which call the routes, so that this contract never calls one: 0xff and this guard's address,
    /// and the hash of their creation code, as CREATE2 takes them.
    uint256 private immutable EXECUTOR_DEPLOYER;
    bytes32 private immutable EXECUTOR_CODE_HASH;

    /// @dev The domain of EIP-712 on the chain of the deployment.
    bytes32 private immutable DOMAIN_SEPARATOR;
    uint256 private immutable CHAIN_ID;

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
        EXECUTOR_DEPLOYER = (0xff << 160) | uint256(uint160(address(this)));
        EXECUTOR_CODE_HASH = keccak256(type(RouteExecutor).creationCode);
        (DOMAIN_SEPARATOR, CHAIN_ID) = (_domainSeparatorV4(), block.chainid);
        new RouteExecutor{salt: bytes32(0)}();
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
        bytes32 intentHash = _read(intent, certificate, routeCallData);
        address owner = _accountAt(OWNER);
        if (msg.sender != owner) revert NotOwner(msg.sender, owner);

        (address recovered, ) = _recover(_hashCertificate(), certificateSignature);
        uint256 executorNumber = _checkTrade(recovered, intentHash);
        _checkCallData(routeCallData);
        _checkRecipientAndSpend(owner);
        amountOut = _settle(executorNumber, intentHash, routeCallData.length);
    }

    /// @inheritdoc ITradeGuard
    function executeFor(
        TradeIntent calldata intent,
        VerificationCertificate calldata certificate,
        bytes calldata certificateSignature,
        bytes calldata ownerSignature,
        bytes calldata routeCallData
    ) external nonReentrant returns (uint256 amountOut) {
        bytes32 intentHash = _read(intent, certificate, routeCallData);
        address owner = _accountAt(OWNER);

        (address recovered, ) = _recover(_hashCertificate(), certificateSignature);
        uint256 executorNumber = _checkTrade(recovered, intentHash);
        _checkCallData(routeCallData);
        _checkRecipientAndSpend(owner);
        (address signed, bytes32 digest) = _recover(intentHash, ownerSignature);
        _checkOwnerSignature(owner, signed, digest, ownerSignature);
        amountOut = _settle(executorNumber, intentHash, routeCallData.length);
    }

    /// @inheritdoc ITradeGuard
    function executePacked(bytes calldata packed) external nonReentrant returns (uint256 amountOut) {
        amountOut = _executePacked(packed);
    }

    /// @inheritdoc ITradeGuard
    function executeForPacked(bytes calldata packed) external nonReentrant returns (uint256 amountOut) {
        amountOut = _executeForPacked(packed);
    }

    /// @inheritdoc ITradeGuard
    function executePackedDirect() external nonReentrant returns (uint256 amountOut) {
        amountOut = _executePacked(_behindSelector());
    }

    /// @inheritdoc ITradeGuard
    function executeForPackedDirect() external nonReentrant returns (uint256 amountOut) {
        amountOut = _executeForPacked(_behindSelector());
    }

    function _executePacked(bytes calldata packed) private returns (uint256 amountOut) {
        (bytes32 intentHash, uint256 callDataLength) = _unpack(msg.sender, packed);

        (address recovered, ) = _recoverCompact(_hashCertificate(), _certificateSignatureOf(packed));
        uint256 executorNumber = _checkTrade(recovered, intentHash);
        _checkRecipientAndSpend(msg.sender);
        amountOut = _settle(executorNumber, intentHash, callDataLength);
    }

    function _executeForPacked(bytes calldata relayed) private returns (uint256 amountOut) {
        (address owner, bytes calldata ownerSignature, bytes calldata packed) = _splitRelayed(relayed);
        (bytes32 intentHash, uint256 callDataLength) = _unpack(owner, packed);

        (address recovered, ) = _recoverCompact(_hashCertificate(), _certificateSignatureOf(packed));
        uint256 executorNumber = _checkTrade(recovered, intentHash);
        _checkRecipientAndSpend(owner);
        (address signed, bytes32 digest) = _recoverCompact(intentHash, ownerSignature);
        _checkOwnerSignature(owner, signed, digest, ownerSignature);
        amountOut = _settle(executorNumber, intentHash, callDataLength);
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
            route == PERMIT2 ||
            selector == bytes4(0) ||
            _isExecutor(route)
        ) revert InvalidRoute(route, selector);
        _allowedRoutes[_routeKey(route, selector)] = allowed;
        emit RouteSet(route, selector, allowed);
    }

    /// @inheritdoc ITradeGuard
    function setRecipient(address recipient, bool allowed) external onlyAdmin {
        if (recipient == address(0) || recipient == address(this) || _isExecutor(recipient)) {
            revert InvalidRecipient(recipient);
        }
        isRecipientAllowed[recipient] = allowed;
        emit RecipientSet(recipient, allowed);
    }

    /// @inheritdoc ITradeGuard
    function renewExecutor() external onlyAdmin {
        uint256 number = uint256(_executorNumber) + 1;
        if (number == EXECUTORS) revert NoExecutorLeft();
        address previous = _executorAt(number - 1);
        // At the address that `_executorAt` computes: the salt is the number.
        address next = address(new RouteExecutor{salt: bytes32(number)}());
        _executorNumber = uint24(number);
        _executorSince = uint64(block.timestamp + 1);
        emit ExecutorRenewed(previous, next, number);
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
        return _executorAt(_executorNumber);
    }

    /// @inheritdoc ITradeGuard
    function isTrading() external view returns (bool) {
        return _reentrancyGuardEntered();
    }

    /// @inheritdoc ITradeGuard
    function hashIntent(TradeIntent calldata intent) external pure returns (bytes32) {
        _readIntent(intent);
        return _hashIntent();
    }

    /// @inheritdoc ITradeGuard
    function hashCertificate(VerificationCertificate calldata certificate) external pure returns (bytes32) {
        _readCertificate(certificate);
        return _hashCertificate();
    }

    /// @inheritdoc ITradeGuard
    function domainSeparator() external view returns (bytes32) {
        return _domainSeparatorV4();
    }

    /*//////////////////////////////////////////////////////////////
                             CHECKS OF A TRADE
    //////////////////////////////////////////////////////////////*/

    // In the order that docs/guard.md tells: what holds of every trade, then what a packed one cannot say otherwise, then
    // the rest. All of it comes before any call to another contract.

    /// @dev By who signed the certificate; answers which executor trades.
    function _checkTrade(
        address recovered,
        bytes32 intentHash
    ) private view returns (uint256 executorNumber) {
        executorNumber = _checkCertificate(recovered, intentHash);
        _checkTerms();
    }

    /// @dev Trading is on, and the certificate is signed by a valid key, for this very intent and executor, and valid now.
    function _checkCertificate(
        address recovered,
        bytes32 intentHash
    ) private view returns (uint256 executorNumber) {
        // Read together, because they lie in one slot.
        (bool isPaused, address currentSigner) = (paused, signer);
        uint256 since = _executorSince;
        executorNumber = _executorNumber;
        if (isPaused) revert TradingPaused();
        if (recovered != currentSigner) {
            if (!_isPreviousSigner(recovered)) revert CertificateSignerUnknown(recovered);
        }
        bytes32 certified = bytes32(_at(INTENT_HASH));
        if (certified != intentHash) revert CertificateIntentMismatch(certified, intentHash);
        (uint256 issuedAt, uint256 expiresAt) = (_at(ISSUED_AT), _at(EXPIRES_AT));
        if (issuedAt < since) revert CertificateBeforeExecutor(issuedAt, since);
        if (block.timestamp < issuedAt) revert CertificateNotYetValid(issuedAt);
        if (block.timestamp > expiresAt) revert CertificateExpired(expiresAt);
    }

    /// @dev The intent: in time, whole, and on a listed route.
    function _checkTerms() private view {
        if (block.timestamp > _at(DEADLINE)) revert DeadlinePassed(_at(DEADLINE));
        if (_at(AMOUNT_IN) == 0) revert ZeroAmountIn();
        if (_at(MIN_AMOUNT_OUT) == 0) revert ZeroMinAmountOut();

        (uint256 inputToken, uint256 outputToken) = (_at(INPUT_TOKEN), _at(OUTPUT_TOKEN));
        if (inputToken == outputToken) revert SameToken(_accountAt(INPUT_TOKEN));

        // The guard, its executors and Permit2 can never be on the list of routes: see `setRoute`.
        uint256 route = _at(ROUTE);
        if (_or(route == inputToken, route == outputToken)) revert RouteIsToken(_accountAt(ROUTE));
        if (!_allowedRoutes[_routeKey(_accountAt(ROUTE), _selector())]) {
            revert RouteNotAllowed(_accountAt(ROUTE), _selector());
        }
    }

    /// @dev The call data are those of the intent. Those of a packed trade are by the way it is read.
    function _checkCallData(bytes calldata routeCallData) private pure {
        if (routeCallData.length < 4) revert CallDataTooShort(routeCallData.length);
        if (bytes4(routeCallData) != _selector()) revert SelectorMismatch(bytes4(routeCallData));
        bytes32 callDataHash = _hashCallData(routeCallData.length);
        if (callDataHash != bytes32(_at(CALL_DATA_HASH))) revert CallDataHashMismatch(callDataHash);
    }

    /// @dev The recipient may be paid, and the nonce was not used.
    function _checkRecipientAndSpend(address owner) private {
        uint256 recipient = _at(RECIPIENT);
        if (_or(recipient == _at(INPUT_TOKEN), recipient == _at(OUTPUT_TOKEN))) {
            revert InvalidRecipient(_accountAt(RECIPIENT));
        }
        // The guard and its executors can never be on the list of recipients: see `setRecipient`.
        if (recipient != _at(OWNER)) {
            if (!isRecipientAllowed[_accountAt(RECIPIENT)]) revert RecipientNotAllowed(_accountAt(RECIPIENT));
        }
        _spendNonce(owner, _at(NONCE));
    }

    /// @dev Both, without the jump that `||` takes: both sides are at hand.
    function _or(bool one, bool other) private pure returns (bool either) {
        assembly ("memory-safe") {
            either := or(one, other)
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
    function _checkOwnerSignature(
        address owner,
        address recovered,
        bytes32 digest,
        bytes calldata signature
    ) private view {
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
        uint256 executorNumber,
        bytes32 intentHash,
        uint256 callDataLength
    ) private returns (uint256 amountOut) {
        address to = _executorAt(executorNumber);
        (address owner, address inputToken) = (_accountAt(OWNER), _accountAt(INPUT_TOKEN));
        if (!answers(inputToken, askBalance(to), 0x24)) revert BalanceUnreadable(inputToken);
        uint256 inputBefore = answer();
        IERC20(inputToken).safeTransferFrom(owner, to, _at(AMOUNT_IN));

        uint256 amountSpent;
        (amountSpent, amountOut) = _runExecutor(to, inputBefore, callDataLength);
        emit TradeExecuted(
            bytes32(_at(JOB_ID)),
            owner,
            bytes32(_at(EVIDENCE_HASH)),
            intentHash,
            amountSpent,
            amountOut
        );
    }

    /// @dev `RouteExecutor(to).run(intent, inputBefore)` and the route call data behind it. All but the selector and the
    /// balance lies in memory as it is sent. The executor is our own, so its answer is what it says it is.
    function _runExecutor(
        address to,
        uint256 inputBefore,
        uint256 callDataLength
    ) private returns (uint256 amountSpent, uint256 amountOut) {
        uint256 selector = uint256(uint32(RouteExecutor.run.selector));
        assembly ("memory-safe") {
            // The last four bytes before the intent, whose type hash is not needed any more.
            mstore(INTENT_TYPE, selector)
            mstore(INPUT_BEFORE, inputBefore)
            if iszero(call(gas(), to, 0, RUN, add(RUN_LENGTH, callDataLength), 0x00, 0x40)) {
                returndatacopy(RUN, 0x00, returndatasize())
                revert(RUN, returndatasize())
            }
            amountSpent := mload(0x00)
            amountOut := mload(0x20)
        }
    }

    /*//////////////////////////////////////////////////////////////
                       WHERE A TRADE LIES IN MEMORY
    //////////////////////////////////////////////////////////////*/

    // A trade is the first thing in memory, so it lies at the same place in each call, which saves the arithmetic of
    // pointers: certificate, intent, room for a balance, route call data. Certificate and intent lie there as EIP-712
    // encodes them, a word a member behind the type hash, and what begins with the intent is what the executor is sent.

    uint256 private constant SCRATCH = 0x80;
    uint256 private constant CERTIFICATE_TYPE = 0x100;
    uint256 private constant INTENT_HASH = 0x120;
    uint256 private constant EVIDENCE_HASH = 0x140;
    uint256 private constant JOB_ID = 0x180;
    uint256 private constant REPORT_VERSION = 0x1a0;
    uint256 private constant ISSUED_AT = 0x1c0;
    uint256 private constant EXPIRES_AT = 0x1e0;
    uint256 private constant INTENT_TYPE = 0x200;
    uint256 private constant RUN = 0x21c;
    uint256 private constant OWNER = 0x220;
    uint256 private constant RECIPIENT = 0x240;
    uint256 private constant INPUT_TOKEN = 0x260;
    uint256 private constant OUTPUT_TOKEN = 0x280;
    uint256 private constant AMOUNT_IN = 0x2a0;
    uint256 private constant MIN_AMOUNT_OUT = 0x2c0;
    uint256 private constant ROUTE = 0x2e0;
    uint256 private constant SELECTOR = 0x300;
    uint256 private constant CALL_DATA_HASH = 0x320;
    uint256 private constant NONCE = 0x340;
    uint256 private constant DEADLINE = 0x360;
    uint256 private constant INPUT_BEFORE = 0x380;
    uint256 private constant ROUTE_CALL_DATA = 0x3a0;

    /// @dev Length of a call of `run` without the route call data: a selector, 11 words of intent, one of balance.
    uint256 private constant RUN_LENGTH = 0x184;

    /// @dev A word of the trade.
    function _at(uint256 place) private pure returns (uint256 word) {
        assembly ("memory-safe") {
            word := mload(place)
        }
    }

    function _accountAt(uint256 place) private pure returns (address account) {
        assembly ("memory-safe") {
            account := mload(place)
        }
    }

    function _selector() private pure returns (bytes4 selector) {
        assembly ("memory-safe") {
            selector := mload(SELECTOR)
        }
    }

    /// @dev The readable form. Call data come last, since what is read before says where memory is free.
    function _read(
        TradeIntent calldata intent,
        VerificationCertificate calldata certificate,
        bytes calldata routeCallData
    ) private pure returns (bytes32 intentHash) {
        _readIntent(intent);
        _readCertificate(certificate);
        _readCallData(routeCallData);
        intentHash = _hashIntent();
    }

    /// @dev The readable form, as the ABI lays it out. What is no address or no selector is refused, without a name.
    function _readIntent(TradeIntent calldata given) private pure {
        assembly ("memory-safe") {
            mstore(0x40, ROUTE_CALL_DATA)
            calldatacopy(OWNER, given, 0x160)
            let addresses := or(
                or(or(mload(OWNER), mload(RECIPIENT)), mload(INPUT_TOKEN)),
                or(mload(OUTPUT_TOKEN), mload(ROUTE))
            )
            if or(shr(160, addresses), shl(32, mload(SELECTOR))) {
                revert(0, 0)
            }
        }
    }

    /// @dev Likewise; what has more than 64 bits where a number has 64 is refused.
    function _readCertificate(VerificationCertificate calldata given) private pure {
        assembly ("memory-safe") {
            mstore(0x40, ROUTE_CALL_DATA)
            calldatacopy(INTENT_HASH, given, 0xe0)
            if shr(64, or(or(mload(REPORT_VERSION), mload(ISSUED_AT)), mload(EXPIRES_AT))) {
                revert(0, 0)
            }
        }
    }

    /// @dev Behind the trade, which with it is whole: nothing else may have been put there before.
    function _readCallData(bytes calldata routeCallData) private pure {
        assembly ("memory-safe") {
            calldatacopy(ROUTE_CALL_DATA, routeCallData.offset, routeCallData.length)
            mstore(0x40, and(add(add(ROUTE_CALL_DATA, 31), routeCallData.length), not(31)))
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
    /// The recipient is the owner, selector and call data hash are those of the call data, and the certificate is for
    /// this intent. So all of a packed trade is under the signature of the certificate. Answers the hash of the intent, and
    /// how much of the packed trade is call data: at least a selector.
    function _unpack(
        address owner,
        bytes calldata packed
    ) private pure returns (bytes32 intentHash, uint256 callDataLength) {
        if (packed.length < PACKED_LENGTH + 4) {
            revert CallDataTooShort(Math.saturatingSub(packed.length, PACKED_LENGTH));
        }
        assembly ("memory-safe") {
            let from := packed.offset
            callDataLength := sub(packed.length, PACKED_LENGTH)
            calldatacopy(ROUTE_CALL_DATA, add(from, PACKED_LENGTH), callDataLength)
            mstore(0x40, and(add(add(ROUTE_CALL_DATA, 31), callDataLength), not(31)))
            mstore(OWNER, owner)
            mstore(RECIPIENT, owner)
            mstore(INPUT_TOKEN, shr(96, calldataload(from)))
            mstore(OUTPUT_TOKEN, shr(96, calldataload(add(from, 20))))
            mstore(AMOUNT_IN, shr(128, calldataload(add(from, 60))))
            mstore(MIN_AMOUNT_OUT, shr(128, calldataload(add(from, 76))))
            mstore(ROUTE, shr(96, calldataload(add(from, 40))))
            mstore(SELECTOR, shl(224, shr(224, mload(ROUTE_CALL_DATA))))
            mstore(CALL_DATA_HASH, keccak256(ROUTE_CALL_DATA, callDataLength))
            mstore(NONCE, shr(160, calldataload(add(from, 92))))
            mstore(DEADLINE, shr(224, calldataload(add(from, 104))))

            calldatacopy(EVIDENCE_HASH, add(from, 120), 0x60)
            mstore(REPORT_VERSION, shr(224, calldataload(add(from, 108))))
            mstore(ISSUED_AT, shr(224, calldataload(add(from, 112))))
            mstore(EXPIRES_AT, shr(224, calldataload(add(from, 116))))
        }
        intentHash = _hashIntent();
        assembly ("memory-safe") {
            mstore(INTENT_HASH, intentHash)
        }
    }

    /// @dev In a packed trade, whose length has been checked.
    function _certificateSignatureOf(bytes calldata packed) private pure returns (bytes calldata signature) {
        assembly ("memory-safe") {
            signature.offset := add(packed.offset, 216)
            signature.length := 64
        }
    }

    /// @dev A relayed trade: the owner (20 bytes), the owner's signature (64, as in ERC-2098), and the packed trade.
    function _splitRelayed(
        bytes calldata relayed
    ) private pure returns (address owner, bytes calldata ownerSignature, bytes calldata packed) {
        if (relayed.length < OWNER_LENGTH) revert CallDataTooShort(0);
        owner = address(bytes20(relayed));
        assembly ("memory-safe") {
            ownerSignature.offset := add(relayed.offset, 20)
            ownerSignature.length := 64
            packed.offset := add(relayed.offset, OWNER_LENGTH)
            packed.length := sub(relayed.length, OWNER_LENGTH)
        }
    }

    /// @dev What stands behind the selector, which is there, for the function was called by it.
    function _behindSelector() private pure returns (bytes calldata argument) {
        assembly ("memory-safe") {
            argument.offset := 4
            argument.length := sub(calldatasize(), 4)
        }
    }

    /*//////////////////////////////////////////////////////////////
                           HASHES AND SIGNATURES
    //////////////////////////////////////////////////////////////*/

    /// @dev Of the route call data in memory.
    function _hashCallData(uint256 length) private pure returns (bytes32 hash) {
        assembly ("memory-safe") {
            hash := keccak256(ROUTE_CALL_DATA, length)
        }
    }

    /// @dev EIP-712 struct hash of the intent in memory.
    function _hashIntent() private pure returns (bytes32 structHash) {
        bytes32 typeHash = TRADE_INTENT_TYPEHASH;
        assembly ("memory-safe") {
            mstore(INTENT_TYPE, typeHash)
            structHash := keccak256(INTENT_TYPE, 0x180)
        }
    }

    /// @dev EIP-712 struct hash of the certificate in memory.
    function _hashCertificate() private pure returns (bytes32 structHash) {
        bytes32 typeHash = VERIFICATION_CERTIFICATE_TYPEHASH;
        assembly ("memory-safe") {
            mstore(CERTIFICATE_TYPE, typeHash)
            structHash := keccak256(CERTIFICATE_TYPE, 0x100)
        }
    }

    /// @dev Who signed a struct: zero for every signature that is not exactly one of an ECDSA key, of 65 bytes with v 27 or
    /// 28, or 64 bytes as in ERC-2098, and s in the lower half of the curve's order; and what was to be signed.
    function _recover(
        bytes32 structHash,
        bytes calldata signature
    ) private view returns (address recovered, bytes32 digest) {
        if (signature.length == 64) return _recoverCompact(structHash, signature);
        digest = _digest(structHash);
        if (signature.length != 65) return (address(0), digest);
        uint256 s = uint256(_word(signature, 32));
        recovered = _ecrecover(digest, uint8(signature[64]), _word(signature, 0), s);
    }

    /// @dev Likewise, of 64 bytes: the highest bit of s says which v it is.
    function _recoverCompact(
        bytes32 structHash,
        bytes calldata signature
    ) private view returns (address recovered, bytes32 digest) {
        digest = _digest(structHash);
        uint256 s = uint256(_word(signature, 32));
        // Below 29 whatever the bit is.
        unchecked {
            recovered = _ecrecover(digest, 27 + (s >> 255), _word(signature, 0), (s << 1) >> 1);
        }
    }

    /// @dev The domain is made anew only where the chain is another than at the deployment.
    function _digest(bytes32 structHash) private view returns (bytes32 digest) {
        bytes32 domain = block.chainid == CHAIN_ID ? DOMAIN_SEPARATOR : _domainSeparatorV4();
        assembly ("memory-safe") {
            mstore(SCRATCH, shl(240, 0x1901))
            mstore(add(SCRATCH, 0x02), domain)
            mstore(add(SCRATCH, 0x22), structHash)
            digest := keccak256(SCRATCH, 0x42)
        }
    }

    /// @dev Zero where there is nobody, and for the upper of the two forms that a signature has.
    function _ecrecover(
        bytes32 digest,
        uint256 v,
        bytes32 r,
        uint256 s
    ) private view returns (address recovered) {
        if (s > HALF_ORDER) return address(0);
        assembly ("memory-safe") {
            mstore(SCRATCH, digest)
            mstore(add(SCRATCH, 0x20), v)
            mstore(add(SCRATCH, 0x40), r)
            mstore(add(SCRATCH, 0x60), s)
            // Where there is nobody, the precompile answers nothing, so that what was there stays.
            mstore(0x00, 0)
            pop(staticcall(gas(), 1, SCRATCH, 0x80, 0x00, 0x20))
            recovered := mload(0x00)
        }
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

    /*//////////////////////////////////////////////////////////////
                                EXECUTORS
    //////////////////////////////////////////////////////////////*/

    /// @dev Where CREATE2 puts the executor of a number, whether it is there already or not.
    function _executorAt(uint256 index) private view returns (address account) {
        (uint256 deployer, bytes32 codeHash) = (EXECUTOR_DEPLOYER, EXECUTOR_CODE_HASH);
        assembly ("memory-safe") {
            // 0xff, the guard in 20 bytes, the number, the hash of the code: 85 bytes from the 11th on.
            mstore(SCRATCH, deployer)
            mstore(add(SCRATCH, 0x20), index)
            mstore(add(SCRATCH, 0x40), codeHash)
            account := shr(96, shl(96, keccak256(add(SCRATCH, 11), 85)))
        }
    }

    /// @dev Whether an account was, is or may become the executor: there are so few that all can be asked.
    function _isExecutor(address account) private view returns (bool) {
        for (uint256 number = 0; number < EXECUTORS; ++number) {
            if (_executorAt(number) == account) return true;
        }
        return false;
    }
}
