// SPDX-License-Identifier: MIT
pragma solidity 0.8.35;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {IMandateModule, Mandate, Stock} from "../../../contracts/IMandateModule.sol";
import {MandateModule} from "../../../contracts/MandateModule.sol";
import {MandateSetup} from "../../../contracts/MandateSetup.sol";
import {TradeIntent} from "../../../contracts/ITradeGuard.sol";
import {GuardFixture} from "./GuardFixture.sol";
import {IWallet, Safes} from "./Safes.sol";
import {Trade} from "./Trades.sol";
import {vm} from "./Vm.sol";
import {PlainToken} from "./tokens/PlainToken.sol";

/// @dev A Safe with dollars (`input`) and stocks (`output`), made in one transaction together with an agent's mandate.
abstract contract MandateFixture is GuardFixture, Safes {
    uint256 internal constant AGENT_KEY = uint256(keccak256("agent"));
    bytes32 internal constant POLICY = keccak256("policy");
    bytes32 internal constant OTHER_POLICY = keccak256("other policy");
    uint128 internal constant PER_TRADE = 1_000e18;
    uint128 internal constant PER_DAY = 2_500e18;
    uint128 internal constant BUDGET = 10_000e18;
    uint96 internal constant SELLABLE = 5_000e18;
    /// @dev Far more than any trade takes, and no more than a transaction can have.
    uint256 internal constant GAS = 3_000_000;
    uint256 internal constant EXPIRES_AT = START + 90 days;

    address internal AGENT = vm.addr(AGENT_KEY);
    address internal REVOKER = account("revoker");
    MandateModule internal module;
    MandateSetup internal mandateSetup;
    IWallet internal safe;
    /// @dev Another stock of the mandate, before `output` in its list.
    PlainToken internal otherStock;
    uint256 private _nonce;

    function setUp() public virtual override {
        super.setUp();
        _publishSafes();
        // From the artifacts, so that one with a planted defect can be put in their place.
        module = MandateModule(_deploy("MandateModule.sol:MandateModule", abi.encode(guard)));
        mandateSetup = MandateSetup(_deploy("MandateSetup.sol:MandateSetup", ""));
        otherStock = new PlainToken("OTHER", 18);
        input.mint(address(route), 1_000_000e18);
        safe = _createSafeFor(AGENT, _mandate(), 0);
    }

    /// @dev With dollars and stocks, in one transaction of anybody.
    function _createSafeFor(
        address agent,
        Mandate memory mandate,
        uint256 salt
    ) internal returns (IWallet made) {
        bytes memory data = abi.encodeCall(MandateSetup.enableAndGrant, (module, agent, mandate));
        made = _createSafe(OWNER, address(mandateSetup), data, salt);
        input.mint(address(made), 1_000_000e18);
        output.mint(address(made), 1_000_000e18);
    }

    function _mandate() internal view returns (Mandate memory mandate) {
        mandate.settlementToken = address(input);
        mandate.expiresAt = uint64(EXPIRES_AT);
        mandate.revoker = REVOKER;
        (mandate.perTrade, mandate.perDay, mandate.budget) = (PER_TRADE, PER_DAY, BUDGET);
        mandate.stocks = new Stock[](2);
        mandate.stocks[0] = Stock(address(otherStock), 7);
        mandate.stocks[1] = Stock(address(output), SELLABLE);
        mandate.policies = new bytes32[](2);
        (mandate.policies[0], mandate.policies[1]) = (OTHER_POLICY, POLICY);
    }

    /// @dev A mandate over these tokens instead of the usual ones; the Safe and the route hold both.
    function _grantOver(address dollar, address stock) internal {
        Mandate memory mandate = _mandate();
        (mandate.settlementToken, mandate.stocks[1].token) = (dollar, stock);
        address[2] memory tokens = [dollar, stock];
        for (uint256 i; i < 2; ++i) {
            PlainToken(tokens[i]).mint(address(safe), 1_000_000e18);
            PlainToken(tokens[i]).mint(address(route), 1_000_000e18);
        }
        _grant(mandate);
    }

    function _grant(Mandate memory mandate) internal {
        _grantTo(AGENT, mandate);
    }

    function _grantTo(address agent, Mandate memory mandate) internal {
        vm.prank(address(safe));
        module.grant(agent, mandate);
    }

    function _revokeBy(address caller) internal {
        vm.prank(caller);
        module.revoke(address(safe), AGENT);
    }

    /// @dev By its owner's transaction.
    function _fromSafe(address to, bytes memory data) internal {
        vm.prank(OWNER);
        (bool success, ) = address(safe).call(_walletCall(OWNER, to, data));
        expect(success, "the Safe's transaction");
    }

    /*//////////////////////////////////////////////////////////////
                                 TRADES
    //////////////////////////////////////////////////////////////*/

    function _buy(uint256 amountIn) internal returns (Trade memory) {
        return _tradeOf(address(input), address(output), amountIn, amountIn / 2 + 1, amountIn / 2 + 2);
    }

    function _sell(uint256 amountIn, uint256 minimum, uint256 give) internal returns (Trade memory) {
        return _tradeOf(address(output), address(input), amountIn, minimum, give);
    }

    /// @dev Of the Safe, by the honest route, certified now, with a nonce of its own.
    function _tradeOf(
        address from,
        address to,
        uint256 amountIn,
        uint256 minimum,
        uint256 give
    ) internal returns (Trade memory) {
        TradeIntent memory intent = _intent(from, to);
        (intent.owner, intent.recipient) = (address(safe), address(safe));
        (intent.amountIn, intent.minAmountOut, intent.nonce) = (amountIn, minimum, _nonce++);
        return _certify(intent, _swapData(from, to, amountIn, give));
    }

    function _send(Trade memory t) internal returns (uint256) {
        return _sendAs(AGENT, t);
    }

    function _sendAs(address agent, Trade memory t) internal returns (uint256) {
        vm.prank(agent);
        return module.trade{gas: GAS}(t.intent, t.certificate, t.certificateSignature, t.routeCallData);
    }

    /// @dev Whether an agent's trade goes through.
    function _succeeds(address agent, Trade memory t) internal returns (bool success) {
        vm.prank(agent);
        (success, ) = address(module).call{gas: GAS}(_agentCall(t));
    }

    /// @dev What an agent sends.
    function _agentCall(Trade memory t) internal view returns (bytes memory) {
        return
            abi.encodeCall(module.trade, (t.intent, t.certificate, t.certificateSignature, t.routeCallData));
    }

    /// @dev The agent's trade reverts with this reason, and nothing has moved or been counted.
    function _refused(Trade memory t, bytes memory reason) internal {
        _refusedAs(AGENT, t, reason);
    }

    function _refusedAs(address agent, Trade memory t, bytes memory reason) internal {
        bytes32 before = _state();
        vm.expectRevert(reason);
        _sendAs(agent, t);
        expectEqual(_state(), before, "what is left and what the Safe has");
    }

    /// @dev The reason for a caller who has no mandate of the Safe.
    function _noMandate(address agent) internal view returns (bytes memory) {
        return _reason(IMandateModule.NoMandate.selector, address(safe), agent);
    }

    /// @dev The reason that a `require` with a text gives.
    function _text(string memory words) internal pure returns (bytes memory) {
        return abi.encodeWithSignature("Error(string)", words);
    }

    /// @dev What is left of the mandate, what was spent and what the Safe has, in one hash.
    function _state() internal view returns (bytes32) {
        Mandate memory mandate = module.mandateOf(address(safe), AGENT);
        (uint256 dollars, uint256 stocks) = (input.balanceOf(address(safe)), output.balanceOf(address(safe)));
        return keccak256(abi.encode(mandate, _spent(), dollars, stocks));
    }

    function _left() internal view returns (uint256 budget, uint256 sellable) {
        Mandate memory mandate = module.mandateOf(address(safe), AGENT);
        return (mandate.budget, mandate.stocks[1].sellable);
    }

    function _spent() internal view returns (uint256) {
        return _spentBy(AGENT);
    }

    function _spentBy(address agent) internal view returns (uint256) {
        return module.spentWithinDay{gas: GAS}(address(safe), agent, address(input));
    }

    function _expectNoAllowance(address token) internal view {
        expectEqual(IERC20(token).allowance(address(safe), address(guard)), 0, "allowance of the guard");
    }
}
