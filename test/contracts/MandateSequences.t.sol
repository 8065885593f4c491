// SPDX-License-Identifier: MIT
pragma solidity 0.8.35;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {Mandate} from "../../contracts/IMandateModule.sol";
import {Trade} from "../support/contracts/GuardFixture.sol";
import {MandateFixture} from "../support/contracts/MandateFixture.sol";
import {vm} from "../support/contracts/Vm.sol";

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
        Mandate memory mandate = _with(_expected[agent]);
        vm.prank(address(safe));
        module.grant(_agents[agent], mandate);
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
        expect(_spentSince(agent, 24 hours) <= _expected[agent].perDay, "within any 24 hours");
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

    function _spentSince(uint256 agent, uint256 duration) private view returns (uint256 sum) {
        for (uint256 i; i < _trades.length; ++i) {
            Spent memory trade = _trades[i];
            if (trade.agent == agent && trade.time + duration >= block.timestamp) sum += trade.amount;
        }
    }

    /// @dev By full hours.
    function _spentInWindow(uint256 agent) private view returns (uint256 sum) {
        for (uint256 i; i < _trades.length; ++i) {
            Spent memory trade = _trades[i];
            bool counts = trade.time / 1 hours + 24 >= block.timestamp / 1 hours;
            if (trade.agent == agent && counts) sum += trade.amount;
        }
    }

    /// @dev What is left never grows but by a grant, and the only allowance is the one that the Safe gave itself.
    function _expectLeft() private view {
        for (uint256 agent; agent < 2; ++agent) {
            Mandate memory left = module.mandateOf(address(safe), _agents[agent]);
            bytes32 expected = keccak256(abi.encode(_with(_expected[agent])));
            expectEqual(keccak256(abi.encode(left)), expected, "what is left");
            uint256 spent = module.spentWithinDay{gas: GAS}(address(safe), _agents[agent], address(input));
            expectEqual(spent, _spentInWindow(agent), "spent within the day");
        }
        expectEqual(input.allowance(address(safe), address(guard)), _standing, "allowance");
        _expectNoAllowance(address(output));
    }
}
