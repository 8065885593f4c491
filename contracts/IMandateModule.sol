// SPDX-License-Identifier: MIT
pragma solidity 0.8.35;

import {ITradeGuard, TradeIntent, VerificationCertificate} from "./ITradeGuard.sol";

/// @notice A stock token that an agent may trade.
struct Stock {
    /// @dev The token. It can be bought within the caps of the mandate.
    address token;
    /// @dev Raw units of it that can be sold in all; zero: none. Every sell lowers it.
    uint96 sellable;
}

/// @notice What an agent's key may do with the tokens of a Safe.
struct Mandate {
    /// @dev What stocks are bought with and sold for. All caps are in its raw units.
    address settlementToken;
    /// @dev Last second, in unix time, at which the agent can trade. Zero: there is no mandate.
    uint64 expiresAt;
    /// @dev May revoke the mandate, and nothing else. Zero: the Safe alone can.
    address revoker;
    /// @dev The most that one trade can spend, or earn.
    uint128 perTrade;
    /// @dev The most that all trades within 24 hours can.
    uint128 perDay;
    /// @dev The most that all trades can. Every trade lowers it.
    uint128 budget;
    /// @dev At most 64.
    Stock[] stocks;
    /// @dev Hashes of policies, at most 16: an intent has to name one of them.
    bytes32[] policies;
}

/// @title ISafe
/// @author Assay
/// @notice What the module and its setup need of a Safe.
interface ISafe {
    /// @notice Enables a module. A Safe calls it of itself alone.
    /// @param module The module.
    function enableModule(address module) external;

    /// @notice Has the Safe make a call. An enabled module calls it.
    /// @param to What is called.
    /// @param value Native coin that goes along.
    /// @param data The call data.
    /// @param operation 0: a call, 1: a delegated call.
    /// @return success Whether it succeeded.
    /// @return returnData What it returned or reverted with.
    function execTransactionFromModuleReturnData(
        address to,
        uint256 value,
        bytes memory data,
        uint8 operation
    ) external returns (bool success, bytes memory returnData);
}

/// @title IMandateModule
/// @author Assay
/// @notice Lets an agent make certified trades for a Safe, within a mandate that the Safe has granted, and nothing else.
/// @dev A Safe enables the module and grants an agent's address a mandate. The agent then sends the trades itself, with a
/// certificate of the attestation service. The module has the Safe make three calls and no others: approve the guard for
/// exactly the amount, execute the trade on the guard, and set the allowance back to zero. So the owner and the recipient of
/// every trade is the Safe, and all that the guard enforces holds.
///
/// What counts. A buy counts with the amount that it puts in. A sell counts with what it earns: with `minAmountOut` before
/// the trade, with the rest after it. What a sell earns refills nothing. A sell lowers `sellable` of its stock too, because
/// its price is bounded by the certificate alone.
///
/// The window of `perDay`. Trades are counted by full hours. What counts is the present hour with the 24 before it: every
/// trade counts for at least 24 hours and at most 25. A mandate that follows another of the same agent takes the window over,
/// so that nobody can spend twice within a day; caps and lists are those of the last grant.
///
/// Warning: The module does not judge prices. With the agent's key and the attestation key together a thief can trade what
/// is left of the mandate at any price.
/// Warning: A Safe should approve the guard for nothing else: while it does, the module refuses to trade.
interface IMandateModule {
    /// @notice A Safe granted an agent a mandate, in place of the one before it.
    /// @param safe The Safe.
    /// @param agent The agent.
    /// @param mandate What it may do.
    event MandateGranted(address indexed safe, address indexed agent, Mandate mandate);

    /// @notice An agent's mandate was ended.
    /// @param safe The Safe.
    /// @param agent The agent.
    /// @param by The Safe, or the revoker.
    event MandateRevoked(address indexed safe, address indexed agent, address indexed by);

    /// @notice An agent traded.
    /// @param safe The Safe.
    /// @param agent The agent.
    /// @param jobId keccak256 of the job id that the certificate was issued for.
    /// @param stock The stock token that was bought or sold.
    /// @param isBuy Whether it was bought.
    /// @param spent What counts, raw units of the settlement token.
    /// @param budget What is left of the budget.
    event MandateSpent(
        address indexed safe,
        address indexed agent,
        bytes32 indexed jobId,
        address stock,
        bool isBuy,
        uint256 spent,
        uint256 budget
    );

    /// @notice Nobody is the agent, or the Safe itself is.
    error InvalidAgent(address agent);

    /// @notice The lists are longer than 64 stocks or 16 policies.
    error ListTooLong(uint256 stocks, uint256 policies);

    /// @notice The caller is neither the Safe nor the revoker of the mandate.
    error NotRevoker(address caller);

    /// @notice The caller has no mandate from the Safe, or it was revoked.
    error NoMandate(address safe, address agent);

    /// @notice The mandate ends, or ended, at this second.
    error MandateExpired(uint256 expiresAt);

    /// @notice The mandate does not name the policy of the intent.
    error PolicyNotGranted(bytes32 policyHash);

    /// @notice The output would go to somebody else than the Safe.
    error RecipientNotSafe(address recipient);

    /// @notice Neither of the tokens is the mandate's settlement token.
    error NotForSettlementToken(address inputToken, address outputToken);

    /// @notice The mandate does not name the stock.
    error StockNotGranted(address token);

    /// @notice The trade would sell more of the stock than the mandate still allows.
    error SellableExceeded(address token, uint256 amount, uint256 sellable);

    /// @notice The trade spends or earns more than one trade can.
    error PerTradeExceeded(uint256 amount, uint256 perTrade);

    /// @notice With the trade the last 24 hours count more than they can.
    error PerDayExceeded(uint256 spentWithin, uint256 perDay);

    /// @notice The trade counts more than what is left of the budget.
    error BudgetExceeded(uint256 amount, uint256 budget);

    /// @notice The Safe has approved the guard for a token, or the token does not take the approval back.
    error AllowanceStands(address token, uint256 allowance);

    /// @notice Gives an agent a mandate, in place of the one that it has. Called by the Safe.
    /// @dev Not while a trade runs, which is counted against the mandate that it began with.
    /// @param agent The agent.
    /// @param mandate What it may do.
    function grant(address agent, Mandate calldata mandate) external;

    /// @notice Ends an agent's mandate at once. Called by the Safe, or by the revoker.
    /// @param safe The Safe.
    /// @param agent The agent.
    function revoke(address safe, address agent) external;

    /// @notice Trades for the Safe that owns the intent. Called by the agent.
    /// @dev Reverts with the guard's own error where the guard refuses the trade, with a token's where the token does, and
    /// with `FailedCall` where a call of the Safe fails without saying why.
    /// @param intent The trade. Its owner and its recipient are the Safe.
    /// @param certificate The attestation that the intent was judged and allowed.
    /// @param certificateSignature The attestation key's signature over the certificate.
    /// @param routeCallData What the executor sends to the route.
    /// @return amountOut What the Safe received, raw units of the output token.
    function trade(
        TradeIntent calldata intent,
        VerificationCertificate calldata certificate,
        bytes calldata certificateSignature,
        bytes calldata routeCallData
    ) external returns (uint256 amountOut);

    /// @notice An agent's mandate, with what is left of its budget and of what can be sold.
    /// @param safe The Safe.
    /// @param agent The agent.
    /// @return The mandate; its `expiresAt` is zero where there is none. What else it says then has no meaning.
    function mandateOf(address safe, address agent) external view returns (Mandate memory);

    /// @notice What an agent spent within the window of `perDay`.
    /// @param safe The Safe.
    /// @param agent The agent.
    /// @param token The settlement token, which the amount is in raw units of.
    /// @return spent What counts in the present block.
    function spentWithinDay(address safe, address agent, address token) external view returns (uint256 spent);

    /// @notice The window as the last trade left it.
    /// @param safe The Safe.
    /// @param agent The agent.
    /// @param token The settlement token.
    /// @return spent The sum over its hours.
    /// @return firstHour The first of them, in hours since 1970.
    function windowOf(
        address safe,
        address agent,
        address token
    ) external view returns (uint128 spent, uint64 firstHour);

    /// @notice What an agent spent in an hour.
    /// @param safe The Safe.
    /// @param agent The agent.
    /// @param token The settlement token, which the amount is in raw units of.
    /// @param hour The hour, in hours since 1970.
    /// @return The amount.
    function spentInHour(
        address safe,
        address agent,
        address token,
        uint256 hour
    ) external view returns (uint256);

    /// @notice The guard that all trades go through.
    /// @return The guard.
    function GUARD() external view returns (ITradeGuard);
}
