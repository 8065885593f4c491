// SPDX-License-Identifier: MIT
pragma solidity 0.8.35;

/// @notice One trade as its owner wants it. The owner sends it, or signs it as EIP-712 data for a relayer.
/// @dev The order of the members is the EIP-712 type string; off-chain code depends on it.
struct TradeIntent {
    /// @dev Whose tokens are sold. Unspent input returns here.
    address owner;
    /// @dev Who receives the output: the owner, or an address on the recipient allowlist.
    address recipient;
    /// @dev The token sold. The owner approves the guard, never the executor or the route.
    address inputToken;
    /// @dev The token bought.
    address outputToken;
    /// @dev Raw amount pulled from the owner; at most this is spent.
    uint256 amountIn;
    /// @dev Raw amount that the route has to deliver and the recipient has to receive, at least.
    uint256 minAmountOut;
    /// @dev The contract that the executor calls; allowlisted together with `selector`.
    address route;
    /// @dev The first four bytes of the route call data.
    bytes4 selector;
    /// @dev keccak256 of the whole route call data.
    bytes32 callDataHash;
    /// @dev Unordered: bit `nonce % 256` of the owner's word `nonce / 256`.
    uint256 nonce;
    /// @dev Last second, in unix time, at which the trade may execute.
    uint256 deadline;
}

/// @notice The attestation that one intent was judged and allowed, signed by the attestation key.
/// @dev The order of the members is the EIP-712 type string; off-chain code depends on it.
struct VerificationCertificate {
    /// @dev EIP-712 struct hash of the TradeIntent.
    bytes32 intentHash;
    /// @dev keccak256 of the canonical evidence that the decision was made on.
    bytes32 evidenceHash;
    /// @dev keccak256 of the canonical policy definition.
    bytes32 policyHash;
    /// @dev keccak256 of the UTF-8 job id of the API.
    bytes32 jobId;
    /// @dev Version of the job's report that this certificate was signed for.
    uint64 reportVersion;
    /// @dev First second, in unix time, at which the certificate is valid.
    uint64 issuedAt;
    /// @dev Last second, in unix time, at which the certificate is valid.
    uint64 expiresAt;
}

/// @title ITradeGuard
/// @author Assay
/// @notice Executes a trade only if its owner asked for exactly this trade and the attestation service certified it.
/// @dev Two contracts. The guard holds the owners' allowances and makes one kind of token call:
/// `transferFrom(owner, executor, amountIn)`. The executor holds nobody's allowance, answers to the guard alone and
/// calls the route. So whatever a route is made to do, it can reach the tokens of the running trade and no others.
///
/// Tokens. A transfer fee on the input is accepted: the executor then holds less than `amountIn`, and the route call
/// data has to spend what arrives. A transfer fee on the output is accepted if the recipient still receives
/// `minAmountOut`. Tokens without return values, tokens that must be approved from zero and tokens whose balances
/// rebase work. Tokens that return false, and tokens whose balance or allowance does not add up, revert.
///
/// Warning: The guard cannot know whether the off-chain facts behind a certificate were true. It enforces the bounds
/// that the owner fixed and that the certificate names this very trade.
/// Warning: The executor buys with its own address as the buyer. Route call data has to name the executor as the
/// recipient of the output; whatever a route pays elsewhere does not count.
/// Warning: What the executor itself holds, and what was approved to it by mistake, is out of everybody's reach only while
/// no listed route can make it approve, send or take tokens. An admin who lists a token as a route can do all three.
/// The executor holds nobody's funds between trades, so at most a running trade is at risk, and that within the bounds
/// that its owner signed. An allowance that it was made to give stays until somebody clears it: see
/// `RouteExecutor.clearAllowance`.
/// Warning: What a rebase during the route call adds to a balance that lay in the executor counts as output.
/// Warning: An issuer that blocks the executor stops all trades of that token.
/// Warning: A token sent to either contract outside a trade is lost. Only one unit of each traded token in the
/// executor is useful: it keeps the executor's balance from going through zero, which saves gas in every trade.
interface ITradeGuard {
    /*//////////////////////////////////////////////////////////////
                                 EVENTS
    //////////////////////////////////////////////////////////////*/

    /// @notice A trade was executed.
    /// @param jobId keccak256 of the job id that the certificate was issued for.
    /// @param owner The owner whose tokens were sold.
    /// @param evidenceHash The evidence that the certificate stands on.
    /// @param intentHash EIP-712 struct hash of the intent.
    /// @param amountSpent Input pulled from the owner less input refunded.
    /// @param amountOut Output that reached the recipient from this trade.
    event TradeExecuted(
        bytes32 indexed jobId,
        address indexed owner,
        bytes32 indexed evidenceHash,
        bytes32 intentHash,
        uint256 amountSpent,
        uint256 amountOut
    );

    /// @notice An owner made nonces unusable.
    /// @param owner The owner.
    /// @param word Which word of 256 nonces.
    /// @param mask The bits that are now used, beside those that were before.
    event NoncesInvalidated(address indexed owner, uint256 indexed word, uint256 mask);

    /// @notice Trading was stopped.
    /// @param by Who called: a pauser, or the AccessManager on its behalf.
    event Paused(address indexed by);

    /// @notice Trading was allowed again.
    /// @param by Who called: an operator, or the AccessManager on its behalf.
    event Unpaused(address indexed by);

    /// @notice The attestation key changed.
    /// @param previousSigner The key until now.
    /// @param newSigner The key from now on.
    /// @param previousValidUntil Last second at which certificates of the previous key are accepted; zero if not at all.
    event SignerRotated(
        address indexed previousSigner,
        address indexed newSigner,
        uint256 previousValidUntil
    );

    /// @notice A route and selector were allowed or disallowed.
    /// @param route The contract.
    /// @param selector The function of that contract.
    /// @param allowed Whether trades may use the pair.
    event RouteSet(address indexed route, bytes4 indexed selector, bool allowed);

    /// @notice A recipient other than the owner was allowed or disallowed.
    /// @param recipient The address.
    /// @param allowed Whether trades may pay it.
    event RecipientSet(address indexed recipient, bool allowed);

    /// @notice The guard deployed a fresh executor and uses it from now on.
    /// @param previousExecutor The executor until now.
    /// @param newExecutor The executor from now on.
    /// @param number How many executors were before it.
    event ExecutorRenewed(address indexed previousExecutor, address indexed newExecutor, uint256 number);

    /*//////////////////////////////////////////////////////////////
                         ERRORS: WHO MAY CALL
    //////////////////////////////////////////////////////////////*/

    /// @notice Only the guard may call the executor.
    error NotGuard(address caller);
    /// @notice An allowance of the executor cannot be cleared while a trade runs.
    error TradeRunning();
    /// @notice `execute` is for the owner of the intent.
    error NotOwner(address caller, address owner);

    /*//////////////////////////////////////////////////////////////
                        ERRORS: RESTRICTED CALLS 
    //////////////////////////////////////////////////////////////*/

    /// @notice The zero address cannot be the signer.
    error InvalidSigner(address signer);
    /// @notice The previous key may stay valid for one hour at most.
    error OverlapTooLong(uint256 overlapSeconds, uint256 maxOverlapSeconds);
    /// @notice The guard has deployed all executors that it can.
    error NoExecutorLeft();
    /// @notice Zero, the guard, its executors and Permit2 can never be routes, nor the zero selector.
    error InvalidRoute(address route, bytes4 selector);

    /*//////////////////////////////////////////////////////////////
                        ERRORS: CERTIFICATE AND INTENT
    //////////////////////////////////////////////////////////////*/

    /// @notice Trading is stopped.
    error TradingPaused();
    /// @notice The certificate was not signed by a valid attestation key; zero stands for a malformed signature.
    error CertificateSignerUnknown(address recovered);
    /// @notice The certificate is not valid yet.
    error CertificateNotYetValid(uint256 issuedAt);
    /// @notice The certificate was issued before the executor was renewed, so its route call data may name another one.
    error CertificateBeforeExecutor(uint256 issuedAt, uint256 executorSince);
    /// @notice The certificate is not valid any more.
    error CertificateExpired(uint256 expiresAt);
    /// @notice The certificate was issued for another intent.
    error CertificateIntentMismatch(bytes32 certifiedIntentHash, bytes32 intentHash);
    /// @notice The owner did not sign this intent.
    error OwnerSignatureInvalid(address owner);
    /// @notice The deadline has passed.
    error DeadlinePassed(uint256 deadline);
    /// @notice The owner used or invalidated this nonce before.
    error NonceUsed(address owner, uint256 nonce);
    /// @notice Trades may not use this route and selector.
    error RouteNotAllowed(address route, bytes4 selector);
    /// @notice A token of the trade cannot be its route.
    error RouteIsToken(address route);
    /// @notice Route call data starts with a selector of four bytes.
    error CallDataTooShort(uint256 length);
    /// @notice The route call data starts with another selector than the intent names.
    error SelectorMismatch(bytes4 selector);
    /// @notice The route call data has another hash than the intent names.
    error CallDataHashMismatch(bytes32 callDataHash);
    /// @notice The recipient is neither the owner nor on the allowlist.
    error RecipientNotAllowed(address recipient);
    /// @notice Zero, the guard, its executors and the tokens of a trade can never be its recipient.
    error InvalidRecipient(address recipient);
    /// @notice The amount to sell is zero.
    error ZeroAmountIn();
    /// @notice The least amount to receive is zero.
    error ZeroMinAmountOut();
    /// @notice Input and output are the same token.
    error SameToken(address token);
    /// @notice There is no token at this address, or it does not tell balances.
    error BalanceUnreadable(address token);

    /*//////////////////////////////////////////////////////////////
                           ERRORS: SETTLEMENT
    //////////////////////////////////////////////////////////////*/

    /// @notice The route reverted; `reason` is the start of its revert data, at most 256 bytes.
    error RouteFailed(address route, bytes reason);
    /// @notice A token refused to move or to approve; `reason` is the start of what it answered, at most 256 bytes.
    error TokenCallFailed(address token, bytes reason);
    /// @notice The token does not tell allowances.
    error AllowanceUnreadable(address token);
    /// @notice The route kept an allowance that the token refused to clear.
    error AllowanceNotCleared(address token, address route, uint256 allowance);
    /// @notice The executor holds less input than before the trade.
    error InputOverspent(uint256 balance, uint256 balanceBefore);
    /// @notice The route delivered less than the owner's minimum to the executor.
    error OutputBelowMinimum(uint256 delivered, uint256 minAmountOut);
    /// @notice The recipient received less than the owner's minimum.
    error ReceivedBelowMinimum(uint256 received, uint256 minAmountOut);

    /*//////////////////////////////////////////////////////////////
                                 TRADING
    //////////////////////////////////////////////////////////////*/

    /// @notice Executes the caller's own intent.
    /// @dev The owner has to have approved the guard for `amountIn` of the input token.
    /// @param intent The trade; the caller is its owner.
    /// @param certificate The certificate for exactly this intent.
    /// @param certificateSignature The attestation key's EIP-712 signature: 65 bytes, or 64 as in ERC-2098.
    /// @param routeCallData What the executor sends to the route.
    /// @return amountOut Output that reached the recipient from this trade.
    function execute(
        TradeIntent calldata intent,
        VerificationCertificate calldata certificate,
        bytes calldata certificateSignature,
        bytes calldata routeCallData
    ) external returns (uint256 amountOut);

    /// @notice Executes the intent of an owner who signed it. Anyone may relay it.
    /// @dev The owner's signature is tried as ECDSA first, so that an account with delegated code (EIP-7702) can sign
    /// with its key, and then given to the owner's contract (ERC-1271). Owners without code yet (ERC-6492) cannot sign.
    /// Warning: A relayer chooses the moment within the deadline and the certificate's window, the gas, and what happens
    /// right before and after in the same transaction. Whatever a price can be moved to above `minAmountOut`, and whatever a
    /// route does otherwise when it has little gas, a relayer can have.
    /// @param intent The trade.
    /// @param certificate The certificate for exactly this intent.
    /// @param certificateSignature The attestation key's EIP-712 signature: 65 bytes, or 64 as in ERC-2098.
    /// @param ownerSignature The owner's EIP-712 signature of the intent, or what the owner's contract accepts for it.
    /// @param routeCallData What the executor sends to the route.
    /// @return amountOut Output that reached the recipient from this trade.
    function executeFor(
        TradeIntent calldata intent,
        VerificationCertificate calldata certificate,
        bytes calldata certificateSignature,
        bytes calldata ownerSignature,
        bytes calldata routeCallData
    ) external returns (uint256 amountOut);

    /// @notice Executes the caller's own intent, packed. The same trade by the same checks as `execute`, for less gas.
    /// @dev Left out is what follows from the rest: the owner is the caller, the recipient the owner; selector and hash
    /// are those of the call data; the certificate is for this intent. So a bit that is not as certified shows as
    /// `CertificateSignerUnknown`. What does not fit, or pays another recipient, takes the readable way.
    /// @param packed Addresses, numbers, hashes and signature, byte after byte, and the route call data behind them:
    /// input token (20), output token (20), route (20), amount in (16), minimum out (16), nonce (12), deadline (4),
    /// report version (4), issued at (4), expires at (4), evidence hash (32), policy hash (32), job id (32), certificate
    /// signature (64, as in ERC-2098).
    /// @return amountOut Output that reached the recipient from this trade.
    function executePacked(bytes calldata packed) external returns (uint256 amountOut);

    /// @notice Executes the packed intent of an owner who signed it. Anyone may relay it. As `executeFor`, for less gas.
    /// @dev The owner's signature has 64 bytes; a contract that answers ERC-1271 to no such signature takes the readable
    /// way. The warning of `executeFor` holds here as well.
    /// @param packed The owner (20), the owner's signature (64, as in ERC-2098), and a packed trade as `executePacked` takes
    /// it.
    /// @return amountOut Output that reached the recipient from this trade.
    function executeForPacked(bytes calldata packed) external returns (uint256 amountOut);

    /// @notice Makes nonces of the caller unusable, and with them every signed intent that carries one of them.
    /// @dev Works while trading is paused.
    /// @param word Which word of 256 nonces: `nonce / 256`.
    /// @param mask The bits to use up: bit `nonce % 256`.
    function invalidateNonces(uint256 word, uint256 mask) external;

    /*//////////////////////////////////////////////////////////////
                   RESTRICTED: WHAT ONLY RESTRICTS
    //////////////////////////////////////////////////////////////*/

    // The AccessManager (`authority`) says who may call what: these for the role of pausers, without a delay.

    /// @notice Stops trading.
    function pause() external;

    /// @notice Ends the overlap of the last rotation: certificates of the previous key count no more.
    function endOverlap() external;

    /// @notice Takes one function of one contract off the list of routes.
    /// @param route The contract.
    /// @param selector The function.
    function disallowRoute(address route, bytes4 selector) external;

    /// @notice Takes an address off the list of recipients. Owners are always paid.
    /// @param recipient The address.
    function disallowRecipient(address recipient) external;

    /*//////////////////////////////////////////////////////////////
                     RESTRICTED: WHAT PERMITS MORE
    //////////////////////////////////////////////////////////////*/

    // These for the role of operators, whose calls wait: scheduled with the AccessManager, shown by its events, to be
    // cancelled by a pauser, and carried out after the delay. Roles and delays themselves wait as long.

    /// @notice Allows trading again.
    /// @dev Warning: After a theft of the attestation key trading has to stay paused until a rotation was carried out.
    function unpause() external;

    /// @notice Changes the attestation key.
    /// @dev There is one previous key at most: whichever key was valid in an earlier overlap ends now.
    /// Warning: For a compromised key the overlap has to be zero.
    /// @param newSigner The key from now on.
    /// @param overlapSeconds How long certificates of the old key stay valid: zero to one hour.
    function rotateSigner(address newSigner, uint256 overlapSeconds) external;

    /// @notice Allows one function of one contract as a route.
    /// @dev Warning: List only routers that authenticate the callbacks of their pools, take the input by
    /// `transferFrom(caller)` themselves, and send the output to a recipient given in their call data. Never list a
    /// token.
    /// @param route The contract.
    /// @param selector The function.
    function allowRoute(address route, bytes4 selector) external;

    /// @notice Allows a recipient other than the owner.
    /// @dev An intent still has to name the recipient: the list alone sends nothing anywhere.
    /// @param recipient The address.
    function allowRecipient(address recipient) external;

    /// @notice Deploys a fresh copy of the executor and uses it from now on.
    /// @dev For an executor that was made to give allowances, or that an issuer of a token blocks. Certificates that were
    /// issued until now end: the route call data of their trades names the executor that was. Past executors trade nothing
    /// any more; their allowances can still be cleared.
    /// @param seedTokens Tokens of which the executor until now hands one unit to the next, which saves the first trade of
    /// each some 20,000 gas. What it cannot hand over it keeps: then anybody may send a unit.
    function renewExecutor(address[] calldata seedTokens) external;

    /*//////////////////////////////////////////////////////////////
                                 VIEWS
    //////////////////////////////////////////////////////////////*/

    /// @notice Whether an owner's nonce is used or invalidated.
    /// @param owner The owner.
    /// @param nonce The nonce.
    /// @return Whether an intent with this nonce can no longer execute.
    function isNonceUsed(address owner, uint256 nonce) external view returns (bool);

    /// @notice The present attestation key.
    /// @return The address of the key.
    function signer() external view returns (address);

    /// @notice The attestation key before the last rotation, if that rotation had an overlap.
    /// @dev Stays readable after the overlap; `previousSignerValidUntil` says whether it still counts.
    /// @return The address of the key, or zero.
    function previousSigner() external view returns (address);

    /// @notice Last second, in unix time, at which certificates of the previous key are accepted.
    /// @return The time, or zero.
    function previousSignerValidUntil() external view returns (uint256);

    /// @notice The contract that calls routes. Route call data names it as the recipient of the output.
    /// @dev It is another after `renewExecutor`.
    /// @return The address.
    function executor() external view returns (address);

    /// @notice The EIP-712 struct hash of an intent, which a certificate names as `intentHash`.
    /// @param intent The intent.
    /// @return The hash, without the domain.
    function hashIntent(TradeIntent calldata intent) external pure returns (bytes32);

    /// @notice The EIP-712 struct hash of a certificate.
    /// @param certificate The certificate.
    /// @return The hash, without the domain.
    function hashCertificate(VerificationCertificate calldata certificate) external pure returns (bytes32);

    /// @notice The EIP-712 domain separator on the present chain.
    /// @return The hash of the domain.
    function domainSeparator() external view returns (bytes32);

    /// @notice Whether trades may use a function of a contract as their route.
    /// @param route The contract.
    /// @param selector The function.
    /// @return Whether the pair is on the allowlist.
    function isRouteAllowed(address route, bytes4 selector) external view returns (bool);

    /// @notice Whether trades of any owner may pay an address.
    /// @param recipient The address.
    /// @return Whether the address is on the allowlist.
    function isRecipientAllowed(address recipient) external view returns (bool);

    /// @notice Whether trading is stopped.
    /// @return Whether it is.
    function paused() external view returns (bool);

    /// @notice Whether a trade runs at this very moment: true only inside of one.
    /// @return Whether it does.
    function isTrading() external view returns (bool);
}
