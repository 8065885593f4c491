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
    /// @dev The contract that the executor calls; allowlisted together with the selector of the call data.
    address route;
    /// @dev keccak256 of the whole route call data, whose first four bytes are the selector.
    bytes32 callDataHash;
    /// @dev keccak256 of the canonical policy definition that the trade has to be judged by.
    bytes32 policyHash;
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
    /// @dev keccak256 of the UTF-8 job id of the API.
    bytes32 jobId;
    /// @dev Version of the job's report that this certificate was signed for.
    uint64 reportVersion;
    /// @dev First second, in unix time, at which the certificate is valid.
    uint64 issuedAt;
    /// @dev Last second, in unix time, at which the certificate is valid: at most 300 seconds after `issuedAt`.
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
/// Warning: The guard cannot know whether the off-chain facts behind a certificate were true, nor whether they were judged
/// by the policy that the owner signed: the attestation key vouches for both. The guard enforces the bounds that the
/// owner fixed, and that the certificate names this very trade.
/// Warning: The executor buys with its own address as the buyer. Route call data has to name the executor as the
/// recipient of the output; whatever a route pays elsewhere does not count.
/// Warning: What the executor itself holds, and what was approved to it by mistake, is out of everybody's reach only while
/// no listed route can make it approve, send or take tokens. An admin who lists a token as a route can do all three.
/// The executor holds nobody's funds between trades, so at most a running trade is at risk, and that within the bounds
/// that its owner signed. An allowance that it was made to give stays until somebody clears it: see
/// `RouteExecutor.clearAllowance`.
/// Warning: What a rebase during the route call adds to a balance that lay in the executor counts as output.
/// Warning: There is one executor for good. An issuer that blocks it stops all trades of that token, until the owners
/// approve another guard.
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

    /// @notice The attestation key changed. Certificates of the previous key are refused from this block on.
    /// @param previousSigner The key until now; zero in the deployment.
    /// @param newSigner The key from now on.
    event SignerRotated(address indexed previousSigner, address indexed newSigner);

    /// @notice A route and selector were allowed or disallowed.
    /// @param route The contract.
    /// @param selector The function of that contract.
    /// @param allowed Whether trades may use the pair.
    event RouteSet(address indexed route, bytes4 indexed selector, bool allowed);

    /// @notice A recipient other than the owner was allowed or disallowed.
    /// @param recipient The address.
    /// @param allowed Whether trades may pay it.
    event RecipientSet(address indexed recipient, bool allowed);

    /*//////////////////////////////////////////////////////////////
                         ERRORS: WHO MAY CALL
    //////////////////////////////////////////////////////////////*/

    /// @notice Only the guard may call the executor.
    error NotGuard(address caller);
    /// @notice An allowance of the executor cannot be cleared while a trade runs.
    error TradeRunning();
    /// @notice Without the owner's signature only the owner of the intent may send it.
    error NotOwner(address caller, address owner);

    /*//////////////////////////////////////////////////////////////
                        ERRORS: RESTRICTED CALLS
    //////////////////////////////////////////////////////////////*/

    /// @notice The zero address cannot be the signer.
    error InvalidSigner(address signer);
    /// @notice Zero, the guard, its executor and Permit2 can never be routes, nor the zero selector.
    error InvalidRoute(address route, bytes4 selector);

    /*//////////////////////////////////////////////////////////////
                        ERRORS: CERTIFICATE AND INTENT
    //////////////////////////////////////////////////////////////*/

    /// @notice Trading is stopped.
    error TradingPaused();
    /// @notice The certificate was not signed by the present attestation key; zero stands for a malformed signature.
    error CertificateSignerUnknown(address recovered);
    /// @notice The certificate is not valid yet.
    error CertificateNotYetValid(uint256 issuedAt);
    /// @notice The certificate is not valid any more.
    error CertificateExpired(uint256 expiresAt);
    /// @notice The certificate would live longer than any may.
    error CertificateLifetimeTooLong(uint256 lifetime, uint256 maxLifetime);
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
    /// @notice The route call data has another hash than the intent names.
    error CallDataHashMismatch(bytes32 callDataHash);
    /// @notice The recipient is neither the owner nor on the allowlist.
    error RecipientNotAllowed(address recipient);
    /// @notice Zero, the guard, its executor and the tokens of a trade can never be its recipient.
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

    /// @notice Executes an intent that its owner sends, or has signed.
    /// @dev The owner has to have approved the guard for `amountIn` of the input token.
    ///
    /// The owner's signature is tried as ECDSA first, so that an account with delegated code (EIP-7702) can sign with its
    /// key, and then given to the owner's contract (ERC-1271). Owners without code yet (ERC-6492) cannot sign. A contract
    /// that takes an empty signature for one, as a Safe does for a hash that it approved before, has to send the trade.
    /// Warning: A relayer chooses the moment within the deadline and the certificate's window, the gas, and what happens
    /// right before and after in the same transaction. Whatever a price can be moved to above `minAmountOut`, and whatever a
    /// route does otherwise when it has little gas, a relayer can have.
    /// @param intent The trade.
    /// @param certificate The certificate for exactly this intent.
    /// @param certificateSignature The attestation key's EIP-712 signature: 65 bytes, or 64 as in ERC-2098.
    /// @param ownerSignature Empty: the caller has to be the owner. Otherwise the owner's EIP-712 signature of the intent, or
    /// what the owner's contract accepts for it, and anyone may call.
    /// @param routeCallData What the executor sends to the route.
    /// @return amountOut Output that reached the recipient from this trade.
    function execute(
        TradeIntent calldata intent,
        VerificationCertificate calldata certificate,
        bytes calldata certificateSignature,
        bytes calldata ownerSignature,
        bytes calldata routeCallData
    ) external returns (uint256 amountOut);

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

    /// @notice Changes the attestation key. Certificates of the present key are refused from this block on.
    /// @dev Whoever holds such a certificate asks for another: the intent and its nonce stay good.
    /// @param newSigner The key from now on.
    function rotateSigner(address newSigner) external;

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

    /// @notice The contract that calls routes. Route call data names it as the recipient of the output.
    /// @dev The same for as long as the guard is there.
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
