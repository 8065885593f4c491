// SPDX-License-Identifier: MIT
pragma solidity 0.8.35;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {Address} from "@openzeppelin/contracts/utils/Address.sol";
import {ReentrancyGuardTransient} from "@openzeppelin/contracts/utils/ReentrancyGuardTransient.sol";
import {IMandateModule, ISafe, Mandate, Stock} from "./IMandateModule.sol";
import {ITradeGuard, TradeIntent, VerificationCertificate} from "./ITradeGuard.sol";

/// @title MandateModule
/// @author Assay
/// @notice Lets an agent make certified trades for a Safe, within a mandate that the Safe has granted, and nothing else.
contract MandateModule is IMandateModule, ReentrancyGuardTransient {
    /// @dev What an agent spent, by full hours.
    struct Window {
        /// @dev The sum over the hours from `firstHour` on.
        uint128 spent;
        /// @dev In hours since 1970. What was spent before it counts no more.
        uint64 firstHour;
    }

    uint256 private constant HOURS = 24;
    uint256 private constant MOST_STOCKS = 64;
    uint256 private constant MOST_POLICIES = 16;

    /// @dev The Safe's operation CALL. DELEGATECALL, which would give the callee the Safe's own powers, is 1.
    uint8 private constant CALL = 0;

    /// @inheritdoc IMandateModule
    ITradeGuard public immutable GUARD;

    mapping(address safe => mapping(address agent => Mandate)) private _mandates;

    /// @inheritdoc IMandateModule
    /// @dev Apart from the mandates, so that a new one does not empty the window.
    mapping(address safe => mapping(address agent => mapping(address token => Window))) public windowOf;

    /// @inheritdoc IMandateModule
    mapping(address safe => mapping(address agent => mapping(address token => mapping(uint256 hour => uint256))))
        public spentInHour;

    /// @notice Deploys the module of a guard.
    /// @param guard The guard that all trades go through.
    constructor(ITradeGuard guard) {
        GUARD = guard;
    }

    /*//////////////////////////////////////////////////////////////
                                GRANTING
    //////////////////////////////////////////////////////////////*/

    /// @inheritdoc IMandateModule
    function grant(address agent, Mandate calldata mandate) external nonReentrant {
        if (agent == address(0) || agent == msg.sender) revert InvalidAgent(agent);
        if (block.timestamp > mandate.expiresAt) revert MandateExpired(mandate.expiresAt);
        if (mandate.stocks.length > MOST_STOCKS || mandate.policies.length > MOST_POLICIES) {
            revert ListTooLong(mandate.stocks.length, mandate.policies.length);
        }
        _mandates[msg.sender][agent] = mandate;
        emit MandateGranted(msg.sender, agent, mandate);
    }

    /// @inheritdoc IMandateModule
    function revoke(address safe, address agent) external {
        Mandate storage mandate = _mandates[safe][agent];
        if (msg.sender != safe && msg.sender != mandate.revoker) revert NotRevoker(msg.sender);
        mandate.expiresAt = 0;
        emit MandateRevoked(safe, agent, msg.sender);
    }

    /// @inheritdoc IMandateModule
    function mandateOf(address safe, address agent) external view returns (Mandate memory) {
        return _mandates[safe][agent];
    }

    /*//////////////////////////////////////////////////////////////
                                TRADING
    //////////////////////////////////////////////////////////////*/

    /// @inheritdoc IMandateModule
    function trade(
        TradeIntent calldata intent,
        VerificationCertificate calldata certificate,
        bytes calldata certificateSignature,
        bytes calldata routeCallData
    ) external nonReentrant returns (uint256 amountOut) {
        Mandate storage mandate = _mandates[intent.owner][msg.sender];
        _checkMandate(mandate, intent.owner, intent.policyHash);
        (Stock storage stock, bool isBuy) = _checkTokens(mandate, intent);
        // What is known is counted before anybody else is called.
        uint256 spent = isBuy ? intent.amountIn : intent.minAmountOut;
        if (!isBuy) _countSold(stock, intent.amountIn);
        _count(mandate, intent.owner, spent, 0);
        amountOut = _tradeFrom(
            intent.owner,
            intent.inputToken,
            intent.amountIn,
            // Without a signature of the owner: the Safe itself sends the trade.
            abi.encodeCall(
                ITradeGuard.execute,
                (intent, certificate, certificateSignature, "", routeCallData)
            )
        );
        if (!isBuy) _count(mandate, intent.owner, amountOut, spent);
        if (!isBuy) spent = amountOut;
        (address safe, bytes32 jobId) = (intent.owner, certificate.jobId);
        emit MandateSpent(safe, msg.sender, jobId, stock.token, isBuy, spent, mandate.budget);
    }

    /// @dev Has the Safe approve the guard for exactly the amount, trade, and take the approval back.
    function _tradeFrom(
        address safe,
        address token,
        uint256 amount,
        bytes memory execution
    ) private returns (uint256 amountOut) {
        _checkNoAllowance(safe, token);
        _callFrom(safe, token, abi.encodeCall(IERC20.approve, (address(GUARD), amount)));
        amountOut = abi.decode(_callFrom(safe, address(GUARD), execution), (uint256));
        _callFrom(safe, token, abi.encodeCall(IERC20.approve, (address(GUARD), 0)));
        _checkNoAllowance(safe, token);
    }

    /// @dev Has the Safe call a contract, and reverts with the contract's own error where that fails.
    function _callFrom(address safe, address to, bytes memory data) private returns (bytes memory) {
        (bool ok, bytes memory answer) = ISafe(safe).execTransactionFromModuleReturnData(to, 0, data, CALL);
        return Address.verifyCallResult(ok, answer);
    }

    /*//////////////////////////////////////////////////////////////
                                 CHECKS
    //////////////////////////////////////////////////////////////*/

    /// @dev The caller has a mandate of the Safe, and the intent names one of its policies.
    function _checkMandate(Mandate storage mandate, address safe, bytes32 policyHash) private view {
        uint256 expiresAt = mandate.expiresAt;
        if (expiresAt == 0) revert NoMandate(safe, msg.sender);
        if (block.timestamp > expiresAt) revert MandateExpired(expiresAt);
        for (uint256 i = 0; i < mandate.policies.length; ++i) {
            if (mandate.policies[i] == policyHash) return;
        }
        revert PolicyNotGranted(policyHash);
    }

    /// @dev The Safe gets the output, and one token is the settlement token, the other one a stock of the mandate.
    function _checkTokens(
        Mandate storage mandate,
        TradeIntent calldata intent
    ) private view returns (Stock storage stock, bool isBuy) {
        if (intent.recipient != intent.owner) revert RecipientNotSafe(intent.recipient);
        (address inputToken, address outputToken) = (intent.inputToken, intent.outputToken);
        isBuy = inputToken == mandate.settlementToken;
        if (!isBuy && outputToken != mandate.settlementToken) {
            revert NotForSettlementToken(inputToken, outputToken);
        }
        address token = isBuy ? outputToken : inputToken;
        for (uint256 i = 0; i < mandate.stocks.length; ++i) {
            stock = mandate.stocks[i];
            if (stock.token == token) return (stock, isBuy);
        }
        revert StockNotGranted(token);
    }

    function _checkNoAllowance(address safe, address token) private view {
        uint256 allowance = IERC20(token).allowance(safe, address(GUARD));
        if (allowance != 0) revert AllowanceStands(token, allowance);
    }

    /*//////////////////////////////////////////////////////////////
                                COUNTING
    //////////////////////////////////////////////////////////////*/

    /// @dev Counts a trade of this value, less what of it was counted before. What is within a cap fits in the cap's type.
    function _count(Mandate storage mandate, address safe, uint256 value, uint256 counted) private {
        if (value > mandate.perTrade) revert PerTradeExceeded(value, mandate.perTrade);
        uint256 amount = value - counted;
        if (amount > mandate.budget) revert BudgetExceeded(amount, mandate.budget);
        mandate.budget -= uint128(amount);
        address token = mandate.settlementToken;
        uint256 spent = spentWithinDay(safe, msg.sender, token) + amount;
        if (spent > mandate.perDay) revert PerDayExceeded(spent, mandate.perDay);
        uint256 hour = block.timestamp / 1 hours;
        windowOf[safe][msg.sender][token] = Window(uint128(spent), uint64(hour - HOURS));
        spentInHour[safe][msg.sender][token][hour] += amount;
    }

    /// @inheritdoc IMandateModule
    /// @dev The sum less the hours that are past. The last of them has the last trade: once that is past, all are.
    function spentWithinDay(address safe, address agent, address token) public view returns (uint256 spent) {
        Window memory window = windowOf[safe][agent][token];
        uint256 firstHour = block.timestamp / 1 hours - HOURS;
        if (firstHour > window.firstHour + HOURS) return 0;
        spent = window.spent;
        for (uint256 hour = window.firstHour; hour < firstHour; ++hour) {
            spent -= spentInHour[safe][agent][token][hour];
        }
    }

    /// @dev Counts what a sell puts in.
    function _countSold(Stock storage stock, uint256 amount) private {
        if (amount > stock.sellable) revert SellableExceeded(stock.token, amount, stock.sellable);
        stock.sellable -= uint96(amount);
    }
}
