// SPDX-License-Identifier: MIT
pragma solidity 0.8.35;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {ReentrancyGuardTransient} from "@openzeppelin/contracts/utils/ReentrancyGuardTransient.sol";
import {ITradeGuard} from "../../contracts/ITradeGuard.sol";
import {IMandateModule, ISafe, Mandate} from "../../contracts/IMandateModule.sol";
import {OneCall, ReenteringRoute} from "../support/contracts/Attackers.sol";
import {MandateFixture} from "../support/contracts/MandateFixture.sol";
import {Trade, hashIntent} from "../support/contracts/Trades.sol";
import {vm} from "../support/contracts/Vm.sol";
import {FeeToken, HookToken, RebasingToken} from "../support/contracts/tokens/OddTokens.sol";

/// @dev A Safe's transaction guard that lets no transaction of its owners through.
contract ClosedSafeGuard {
    function supportsInterface(bytes4) external pure returns (bool) {
        return true;
    }

    fallback() external {
        revert("closed");
    }
}

/// @dev Reports success for each call of the module, carries out none, and does something else meanwhile.
contract FakeSafe {
    OneCall private immutable ACCOMPLICE;

    constructor(OneCall accomplice) {
        ACCOMPLICE = accomplice;
    }

    function grant(IMandateModule module, address agent, Mandate calldata mandate) external {
        module.grant(agent, mandate);
    }

    function execTransactionFromModuleReturnData(
        address,
        uint256,
        bytes calldata,
        uint8
    ) external returns (bool, bytes memory) {
        ACCOMPLICE.act();
        return (true, abi.encode(uint256(1)));
    }
}

/// @dev Everything that the key of a hijacked agent can call, and what of it moves anything.
contract MandateAgentTest is MandateFixture {
    /*//////////////////////////////////////////////////////////////
                         EVERY CALL OF ITS KEY
    //////////////////////////////////////////////////////////////*/

    function test_guard_safe_setup_and_tokens_do_nothing_for_an_agent_or_a_revoker() public {
        Trade memory t = _buy(1e18);
        address[2] memory callers = [AGENT, REVOKER];
        uint256[2] memory keys = [AGENT_KEY, uint256(keccak256("revoker"))];
        bytes32 before = _state();
        for (uint256 i; i < 2; ++i) {
            t.ownerSignature = _sign(keys[i], t.certificate.intentHash);
            _guardDoesNothingFor(callers[i], t);
            _safeDoesNothingFor(callers[i]);
            bytes memory taking = abi.encodeCall(IERC20.transferFrom, (address(safe), callers[i], 1));
            _fails(callers[i], address(input), taking);
            _fails(callers[i], address(output), taking);
            expectEqual(_state(), before, "nothing moved, nothing counted");
        }
        _fails(AGENT, address(module), abi.encodeCall(module.revoke, (address(safe), AGENT)));
        _refusedAs(REVOKER, t, _noMandate(REVOKER));
    }

    function _guardDoesNothingFor(address caller, Trade memory t) private {
        _fails(caller, address(guard), _ownerCall(t));
        _fails(caller, address(guard), _relayerCall(t));
        bytes[7] memory restricted = _restrictedCalls(caller);
        for (uint256 i; i < restricted.length; ++i) _fails(caller, address(guard), restricted[i]);
    }

    function _safeDoesNothingFor(address caller) private {
        bytes memory payment = abi.encodeCall(IERC20.transfer, (caller, 1));
        address[] memory owners = new address[](1);
        owners[0] = caller;
        bytes[10] memory calls = [
            _walletCall(caller, address(input), payment),
            _walletCall(OWNER, address(input), payment),
            abi.encodeCall(safe.execTransactionFromModule, (address(input), 0, payment, 0)),
            abi.encodeCall(ISafe.execTransactionFromModuleReturnData, (address(input), 0, payment, 0)),
            abi.encodeCall(
                safe.setup,
                (owners, 1, address(0), "", address(0), address(0), 0, payable(address(0)))
            ),
            abi.encodeCall(safe.enableModule, (caller)),
            abi.encodeCall(safe.disableModule, (SENTINEL, address(module))),
            abi.encodeCall(safe.setGuard, (caller)),
            abi.encodeCall(safe.setFallbackHandler, (caller)),
            abi.encodeCall(safe.addOwnerWithThreshold, (caller, 1))
        ];
        for (uint256 i; i < calls.length; ++i) _fails(caller, address(safe), calls[i]);
        bytes memory grant = abi.encodeCall(mandateSetup.enableAndGrant, (module, caller, _mandate()));
        _fails(caller, address(mandateSetup), grant);
    }

    function _fails(address caller, address target, bytes memory data) private {
        vm.prank(caller);
        (bool success, ) = target.call(data);
        expect(!success, "a call that should have failed");
    }

    function test_an_agent_that_grants_itself_a_mandate_trades_for_nobody() public {
        Mandate memory mandate = _mandate();
        (mandate.perTrade, mandate.perDay) = (type(uint128).max, type(uint128).max);
        vm.prank(AGENT);
        module.grant(STRANGER, mandate);
        _refusedAs(STRANGER, _buy(1), _noMandate(STRANGER));
        Trade memory t = _buy(1);
        (t.intent.owner, t.intent.recipient) = (AGENT, AGENT);
        _certifyAgain(t);
        _refusedAs(STRANGER, t, "");
        bytes4 exceeded = IMandateModule.PerTradeExceeded.selector;
        _refused(_buy(PER_TRADE + 1), _reason(exceeded, PER_TRADE + 1, PER_TRADE));
    }

    function test_no_member_of_a_certified_trade_can_be_another() public {
        bytes32 before = _state();
        for (uint256 member; member < 19; ++member) {
            Trade memory t = _buy(1e18);
            _change(t, member);
            expect(!_succeeds(AGENT, t), "another trade than the certified one");
        }
        expectEqual(_state(), before, "nothing moved, nothing counted");
    }

    function _change(Trade memory t, uint256 member) private view {
        if (member == 0) t.intent.owner = OWNER;
        if (member == 1) t.intent.recipient = AGENT;
        if (member == 2) t.intent.inputToken = address(otherStock);
        if (member == 3) t.intent.outputToken = address(otherStock);
        if (member == 4) ++t.intent.amountIn;
        if (member == 5) --t.intent.minAmountOut;
        if (member == 6) t.intent.route = address(otherStock);
        if (member == 7) t.intent.callDataHash = 0;
        if (member == 8) t.intent.policyHash = OTHER_POLICY;
        if (member == 9) ++t.intent.nonce;
        if (member == 10) ++t.intent.deadline;
        if (member == 11) t.certificate.intentHash = 0;
        if (member == 12) t.certificate.evidenceHash = 0;
        if (member == 13) t.certificate.jobId = 0;
        if (member == 14) ++t.certificate.reportVersion;
        if (member == 15) --t.certificate.issuedAt;
        if (member == 16) --t.certificate.expiresAt;
        if (member == 17) t.certificateSignature[40] ^= 0x01;
        if (member == 18) t.routeCallData[40] ^= 0x01;
    }

    /*//////////////////////////////////////////////////////////////
                          AGAIN, LATE, OR OFTEN
    //////////////////////////////////////////////////////////////*/

    function test_a_certificate_trades_once_in_time_and_for_its_own_safe() public {
        Trade memory t = _buy(1e18);
        Trade memory later = t;
        _send(t);
        bytes memory used = _reason(ITradeGuard.NonceUsed.selector, address(safe), t.intent.nonce);
        _refused(t, used);
        // The later report of one job has the same nonce.
        later.certificate.reportVersion = 2;
        _signCertificate(later, ATTESTOR_KEY);
        _refused(later, used);
        t = _buy(1e18);
        vm.warp(t.certificate.expiresAt + 1);
        _refused(t, _reason(ITradeGuard.CertificateExpired.selector, uint256(t.certificate.expiresAt)));
        t = _buy(1e18);
        t.intent.deadline = block.timestamp + 60;
        _certifyAgain(t);
        vm.warp(t.intent.deadline + 1);
        _refused(t, _reason(ITradeGuard.DeadlinePassed.selector, t.intent.deadline));
        // One of another Safe, whose agent this is not.
        t = _buy(1e18);
        safe = _createSafeFor(STRANGER, _mandate(), 1);
        bytes4 none = IMandateModule.NoMandate.selector;
        _refusedAs(STRANGER, t, _reason(none, t.intent.owner, STRANGER));
        bytes32 certified = t.certificate.intentHash;
        (t.intent.owner, t.intent.recipient) = (address(safe), address(safe));
        bytes4 mismatch = ITradeGuard.CertificateIntentMismatch.selector;
        _refusedAs(STRANGER, t, _reason(mismatch, certified, hashIntent(t.intent)));
    }

    function test_what_was_certified_under_a_mandate_before_serves_by_the_present_one_alone() public {
        Trade memory t = _buy(900e18);
        Mandate memory mandate = _mandate();
        mandate.policies[1] = keccak256("a stricter one");
        _grant(mandate);
        _refused(t, _reason(IMandateModule.PolicyNotGranted.selector, POLICY));
        mandate = _mandate();
        mandate.perTrade = 899e18;
        _grant(mandate);
        _refused(t, _reason(IMandateModule.PerTradeExceeded.selector, 900e18, 899e18));
    }

    /*//////////////////////////////////////////////////////////////
                        IN THE MIDDLE OF A TRADE
    //////////////////////////////////////////////////////////////*/

    /// @dev A trade of the agent during which an accomplice makes a call.
    function _tradeWhile(OneCall accomplice) private returns (Trade memory t) {
        ReenteringRoute around = new ReenteringRoute();
        output.mint(address(around), 1e18);
        _allow(address(around), ReenteringRoute.swap.selector);
        t = _buy(1e18);
        t.intent.route = address(around);
        t = _certify(t.intent, abi.encodeCall(ReenteringRoute.swap, (accomplice, input, output, 1e18, 1e18)));
    }

    function test_neither_route_nor_token_trades_again_meanwhile() public {
        OneCall agent = new OneCall();
        HookToken hooked = new HookToken();
        _grantOver(address(input), address(hooked));
        _grantTo(address(agent), _mandate());
        Trade memory inner = _buy(1e18);
        // The agent itself is an accomplice of the route.
        agent.tell(address(module), _agentCall(inner));
        _sendAs(address(agent), _tradeWhile(agent));
        _expectLockedOut(agent);

        OneCall hook = new OneCall();
        hook.tell(address(guard), _relayerCall(inner));
        hooked.setHook(hook);
        _send(_tradeOf(address(input), address(hooked), 1e18, 1, 1));
        _expectLockedOut(hook);
    }

    function _expectLockedOut(OneCall accomplice) private view {
        expect(accomplice.tried() && !accomplice.succeeded(), "the call failed");
        bytes memory reason = _reason(ReentrancyGuardTransient.ReentrancyGuardReentrantCall.selector);
        expectEqual(keccak256(accomplice.result()), keccak256(reason), "why");
    }

    function test_a_safe_of_ones_own_that_lies_touches_no_other() public {
        OneCall accomplice = new OneCall();
        FakeSafe fake = new FakeSafe(accomplice);
        fake.grant(module, AGENT, _mandate());
        accomplice.tell(address(module), _agentCall(_buy(1e18)));
        _grantTo(address(accomplice), _mandate());
        bytes32 before = _state();
        Trade memory t = _buy(PER_TRADE);
        (t.intent.owner, t.intent.recipient) = (address(fake), address(fake));
        _send(t);
        _expectLockedOut(accomplice);
        expectEqual(_state(), before, "of the other Safe");
    }

    /// @dev Another module of the Safe, which makes it do anything.
    function _otherModule(address target, bytes memory data) private returns (OneCall other) {
        other = new OneCall();
        _fromSafe(address(safe), abi.encodeCall(safe.enableModule, (address(other))));
        other.tell(address(safe), abi.encodeCall(safe.execTransactionFromModule, (target, 0, data, 0)));
    }

    function test_a_module_that_is_disabled_meanwhile_undoes_the_trade() public {
        // The later module stands before the earlier one in the Safe's list.
        OneCall other = new OneCall();
        _fromSafe(address(safe), abi.encodeCall(safe.enableModule, (address(other))));
        bytes memory disable = abi.encodeCall(safe.disableModule, (address(other), address(module)));
        other.tell(
            address(safe),
            abi.encodeCall(safe.execTransactionFromModule, (address(safe), 0, disable, 0))
        );
        _refused(_tradeWhile(other), _text("GS104"));
        expect(safe.isModuleEnabled(address(module)), "it never was");
    }

    function test_what_a_safe_approves_meanwhile_is_taken_back() public {
        bytes memory approve = abi.encodeCall(IERC20.approve, (address(guard), type(uint256).max));
        OneCall other = _otherModule(address(input), approve);
        _send(_tradeWhile(other));
        expect(other.succeeded(), "it was approved");
        _expectNoAllowance(address(input));
    }

    function test_no_mandate_is_granted_meanwhile() public {
        Mandate memory mandate = _mandate();
        mandate.budget = type(uint128).max;
        OneCall other = _otherModule(address(module), abi.encodeCall(module.grant, (AGENT, mandate)));
        _send(_tradeWhile(other));
        expect(!abi.decode(other.result(), (bool)), "the Safe's call failed");
        (uint256 budget, ) = _left();
        expectEqual(budget, BUDGET - 1e18, "the budget before");
    }

    function test_a_mandate_that_is_revoked_meanwhile_ends_with_the_running_trade() public {
        OneCall revoker = new OneCall();
        Mandate memory mandate = _mandate();
        mandate.revoker = address(revoker);
        _grant(mandate);
        revoker.tell(address(module), abi.encodeCall(module.revoke, (address(safe), AGENT)));
        _send(_tradeWhile(revoker));
        _refused(_buy(1), _noMandate(AGENT));
        expectEqual(_spent(), 1e18, "it counted");
    }

    function test_a_paused_guard_or_a_rotated_signer_refuses_and_nothing_counts() public {
        Trade memory t = _buy(1e18);
        vm.prank(PAUSER);
        guard.pause();
        _refused(t, _reason(ITradeGuard.TradingPaused.selector));
        vm.startPrank(ADMIN);
        guard.unpause();
        guard.rotateSigner(STRANGER);
        vm.stopPrank();
        _refused(t, _reason(ITradeGuard.CertificateSignerUnknown.selector, ATTESTOR));
        vm.prank(ADMIN);
        guard.rotateSigner(ATTESTOR);
        _send(t);
    }

    /*//////////////////////////////////////////////////////////////
                          ODD TOKENS AND SAFES
    //////////////////////////////////////////////////////////////*/

    function test_a_fee_counts_as_spent_and_not_as_earned() public {
        FeeToken dollar = new FeeToken(100);
        _grantOver(address(dollar), address(output));
        Trade memory t = _tradeOf(address(dollar), address(output), 100e18, 1, 1);
        t = _certify(t.intent, _swapData(address(dollar), address(output), 99e18, 50e18));
        _send(t);
        (uint256 budget, ) = _left();
        expectEqual(budget, BUDGET - 100e18, "all that the Safe paid");
        uint256 had = dollar.balanceOf(address(safe));
        _send(_tradeOf(address(output), address(dollar), 10e18, 1, 100e18));
        uint256 earned = dollar.balanceOf(address(safe)) - had;
        expect(earned > 97e18 && earned < 99e18, "fees on the way");
        (uint256 left, ) = _left();
        expectEqual(budget - left, earned, "what the Safe received");
        _expectNoAllowance(address(dollar));
    }

    function test_shares_that_rebase_are_sold_by_the_units_that_they_show() public {
        RebasingToken shares = new RebasingToken();
        _grantOver(address(input), address(shares));
        _send(_tradeOf(address(input), address(shares), 100e18, 50e18, 51e18));
        shares.rebase(2e18);
        Trade memory t = _tradeOf(address(shares), address(input), SELLABLE, 1, 100e18);
        _send(_certify(t.intent, _swapData(address(shares), address(input), SELLABLE - 2, 100e18)));
        (, uint256 sellable) = _left();
        expectEqual(sellable, 0, "sellable");
        shares.rebase(4e18);
        t = _tradeOf(address(shares), address(input), 1, 1, 1);
        _refused(t, _reason(IMandateModule.SellableExceeded.selector, address(shares), 1, 0));
        _expectNoAllowance(address(shares));
    }

    function test_a_safes_own_transaction_guard_is_not_asked() public {
        address closed = address(new ClosedSafeGuard());
        _fromSafe(address(safe), abi.encodeCall(safe.setGuard, (closed)));
        _fails(OWNER, address(safe), _walletCall(OWNER, address(input), ""));
        _send(_buy(1e18));
    }

    function test_another_module_of_the_safe_is_bound_by_no_mandate() public {
        OneCall other = _otherModule(address(input), abi.encodeCall(IERC20.transfer, (STRANGER, BUDGET + 1)));
        other.act();
        expectEqual(input.balanceOf(STRANGER), BUDGET + 1, "what it took");
        expectEqual(_spent(), 0, "counted");
        _send(_buy(1e18));
    }

    /*//////////////////////////////////////////////////////////////
                     WHAT A MANDATE DOES NOT PREVENT
    //////////////////////////////////////////////////////////////*/

    /// @dev The thief certifies any price: what is left of the budget and of what can be sold is lost, and no more.
    function test_agent_and_attestation_key_together_take_what_is_left_and_no_more() public {
        uint256 bought;
        (uint256 dollars, uint256 stocks) = (input.balanceOf(address(safe)), output.balanceOf(address(safe)));
        // All that can be sold at once, for a unit.
        _send(_sell(SELLABLE, 1, 1));
        for (uint256 day; day < 6; ++day) {
            for (uint256 i; i < 3; ++i) {
                Trade memory t = _tradeOf(address(input), address(output), PER_TRADE, 1, 1);
                if (_succeeds(AGENT, t)) bought += PER_TRADE;
            }
            expect(bought <= (day + 1) * PER_DAY, "no more than a day can");
            vm.warp(block.timestamp + 25 hours);
        }
        expect(bought <= BUDGET && bought > BUDGET - 2 * PER_TRADE, "the budget");
        expectEqual(dollars - input.balanceOf(address(safe)), bought - 1, "dollars lost");
        expect(stocks - output.balanceOf(address(safe)) <= SELLABLE, "stocks lost");
    }

    /// @dev Every trade may end at its minimum, back and forth, until the budget is used up.
    function test_an_agent_churns_its_budget_at_the_minimum_of_each_trade_until_it_is_used_up() public {
        Mandate memory mandate = _mandate();
        (mandate.perDay, mandate.budget) = (1_000e18, 1_000e18);
        _grant(mandate);
        uint256 dollars = input.balanceOf(address(safe));
        for (uint256 i; i < 5; ++i) {
            _send(_tradeOf(address(input), address(output), 101e18, 100e18, 100e18));
            _send(_sell(100e18, 99e18, 99e18));
        }
        _refused(_buy(1), _reason(IMandateModule.BudgetExceeded.selector, 1, 0));
        expectEqual(dollars - input.balanceOf(address(safe)), 10e18, "two of a hundred, each round");
    }

    /// @dev The day's cap stands, but the old budget is spent before the new one begins.
    function test_an_agent_may_spend_the_old_budget_before_the_mandate_that_takes_its_place() public {
        Mandate memory mandate = _mandate();
        mandate.budget = 500e18;
        _grant(mandate);
        _send(_buy(500e18));
        _grant(mandate);
        _send(_buy(500e18));
        expectEqual(_spent(), 1_000e18, "both");
    }
}

/// @dev Two agents, their Safe and its revoker act in any order. Each run of the fuzzer tries 40 sequences, so that
/// its 256 runs with `--all` are over 10,000. Each step is compared with a separate account, a list of all trades.
contract MandateSequencesTest is MandateFixture {
    uint256 private constant SEQUENCES = 40;
    uint256 private constant STEPS = 12;

    struct Spent {
        uint256 agent;
        uint256 time;
        uint256 amount;
    }

    /// @dev What of a mandate differs in these tests.
    struct Terms {
        uint64 expiresAt;
        uint128 perTrade;
        uint128 perDay;
        uint128 budget;
        uint96 sellable;
    }

    address[2] private _agents = [AGENT, account("second agent")];
    Spent[] private _trades;
    /// @dev What each agent's mandate should be by now.
    Terms[2] private _expected;
    bool private _isEnabled = true;
    uint256 private _standing;
    uint256 private _random;
    uint256 public done;
    uint256 public refusals;

    function setUp() public override {
        super.setUp();
        for (uint256 agent; agent < 2; ++agent) _grantAny(agent);
    }

    function testFuzz_no_sequence_spends_more_than_was_granted_or_leaves_an_allowance(uint256 seed) public {
        uint256 start = vm.snapshotState();
        for (uint256 i; i < SEQUENCES; ++i) {
            _random = uint256(keccak256(abi.encode(seed, i)));
            for (uint256 step; step < STEPS; ++step) _step();
            vm.revertToState(start);
        }
    }

    /// @dev Sequences that never got a trade through would hold as well.
    function test_the_sequences_get_trades_through_and_have_others_refused() public {
        for (uint256 step; step < 300; ++step) _step();
        expect(done >= 40, "too few trades got through");
        expect(refusals >= 60, "too few trades were refused");
    }

    function _draw(uint256 below) private returns (uint256) {
        _random = uint256(keccak256(abi.encode(_random)));
        return _random % below;
    }

    function _step() private {
        uint256 kind = _draw(16);
        uint256 agent = _draw(2);
        if (kind < 9) _trade(agent);
        else if (kind < 12) vm.warp(block.timestamp + _draw(kind == 9 ? 30 minutes : 14 hours));
        else if (kind == 12) _grantAny(agent);
        else if (kind == 13 && _draw(3) == 0) _revoke(agent);
        else if (kind == 14) _toggleModule();
        else if (kind == 15) _approve(_draw(6) == 0 ? 1 + _draw(1e18) : 0);
        _expectLeft();
    }

    function _grantAny(uint256 agent) private {
        _expected[agent] = Terms(
            uint64(block.timestamp + (_draw(8) == 0 ? 1 days : 30 days)),
            uint128(200e18 + _draw(1_300e18)),
            uint128(300e18 + _draw(2_700e18)),
            uint128(_draw(9_000e18)),
            uint96(_draw(3_000e18))
        );
        _grantTo(_agents[agent], _with(_expected[agent]));
    }

    function _with(Terms memory terms) private view returns (Mandate memory mandate) {
        mandate = _mandate();
        (mandate.expiresAt, mandate.perTrade) = (terms.expiresAt, terms.perTrade);
        (mandate.perDay, mandate.budget) = (terms.perDay, terms.budget);
        mandate.stocks[1].sellable = terms.sellable;
    }

    function _revoke(uint256 agent) private {
        vm.prank(_draw(2) == 0 ? address(safe) : REVOKER);
        module.revoke(address(safe), _agents[agent]);
        _expected[agent].expiresAt = 0;
    }

    function _toggleModule() private {
        // Mostly on.
        if (_isEnabled && _draw(6) != 0) return;
        bytes memory data =
            _isEnabled
                ? abi.encodeCall(safe.disableModule, (SENTINEL, address(module)))
                : abi.encodeCall(safe.enableModule, (address(module)));
        _fromSafe(address(safe), data);
        _isEnabled = !_isEnabled;
    }

    /// @dev By the Safe itself, which it should not.
    function _approve(uint256 amount) private {
        _fromSafe(address(input), abi.encodeCall(IERC20.approve, (address(guard), amount)));
        _standing = amount;
    }

    /// @dev The attestation key certifies any trade that the agent asks for.
    function _trade(uint256 agent) private {
        bool isBuy = _draw(3) != 0;
        uint256 amountIn = 1 + _draw(_draw(3) == 0 ? 1_500e18 : 200e18);
        uint256 minimum = 1 + _draw(_draw(3) == 0 ? 1_200e18 : 150e18);
        uint256 amountOut = minimum + (_draw(2) == 0 ? 0 : _draw(100e18));
        (address from, address to) = (address(input), address(output));
        if (!isBuy) (from, to) = (to, from);
        Trade memory t = _tradeOf(from, to, amountIn, minimum, amountOut);
        uint256 value = isBuy ? amountIn : amountOut;
        bool allowed = _isAllowed(agent, isBuy, amountIn, value);
        expect(
            _try(agent, t, amountOut) == allowed,
            allowed ? "refused within its mandate" : "traded beyond it"
        );
        if (!allowed) return;
        _trades.push(Spent(agent, block.timestamp, value));
        _expected[agent].budget -= uint128(value);
        if (!isBuy) _expected[agent].sellable -= uint96(amountIn);
        expect(
            _spentSince(agent, block.timestamp - 24 hours) <= _expected[agent].perDay,
            "within any 24 hours"
        );
    }

    /// @dev Whether it was traded; the Safe has paid and received just these amounts, or nothing.
    function _try(uint256 agent, Trade memory t, uint256 amountOut) private returns (bool success) {
        (IERC20 from, IERC20 to) = (IERC20(t.intent.inputToken), IERC20(t.intent.outputToken));
        (uint256 fromBefore, uint256 toBefore) = (from.balanceOf(address(safe)), to.balanceOf(address(safe)));
        success = _succeeds(_agents[agent], t);
        if (success) ++done;
        else ++refusals;
        uint256 paid = fromBefore - from.balanceOf(address(safe));
        expectEqual(paid, success ? t.intent.amountIn : 0, "paid");
        expectEqual(to.balanceOf(address(safe)) - toBefore, success ? amountOut : 0, "received");
    }

    function _isAllowed(
        uint256 agent,
        bool isBuy,
        uint256 amountIn,
        uint256 value
    ) private view returns (bool) {
        Terms memory terms = _expected[agent];
        return
            _isEnabled &&
            (!isBuy || _standing == 0) &&
            block.timestamp <= terms.expiresAt &&
            value <= terms.perTrade &&
            value <= terms.budget &&
            _spentInWindow(agent) + value <= terms.perDay &&
            (isBuy || amountIn <= terms.sellable);
    }

    function _spentSince(uint256 agent, uint256 time) private view returns (uint256 sum) {
        for (uint256 i; i < _trades.length; ++i) {
            if (_trades[i].agent == agent && _trades[i].time >= time) sum += _trades[i].amount;
        }
    }

    /// @dev By full hours.
    function _spentInWindow(uint256 agent) private view returns (uint256) {
        return _spentSince(agent, (block.timestamp / 1 hours - 24) * 1 hours);
    }

    /// @dev What is left never grows but by a grant, and the only allowance is the one that the Safe gave itself.
    function _expectLeft() private view {
        for (uint256 agent; agent < 2; ++agent) {
            Mandate memory left = module.mandateOf(address(safe), _agents[agent]);
            bytes32 expected = keccak256(abi.encode(_with(_expected[agent])));
            expectEqual(keccak256(abi.encode(left)), expected, "what is left");
            expectEqual(_spentBy(_agents[agent]), _spentInWindow(agent), "spent within the day");
        }
        expectEqual(input.allowance(address(safe), address(guard)), _standing, "allowance");
        _expectNoAllowance(address(output));
    }
}
