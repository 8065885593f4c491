// SPDX-License-Identifier: MIT
pragma solidity 0.8.35;

import {ReentrancyGuardTransient} from "@openzeppelin/contracts/utils/ReentrancyGuardTransient.sol";
import {ITradeGuard} from "../../contracts/ITradeGuard.sol";
import {RouteExecutor} from "../../contracts/RouteExecutor.sol";
import {GuardFixture, Trade} from "../support/contracts/GuardFixture.sol";
import {vm} from "../support/contracts/Vm.sol";
import {HostileRoute, ReenteringHook} from "../support/contracts/routes/HostileRoutes.sol";
import {HookToken, ITransferHook} from "../support/contracts/tokens/OddTokens.sol";

/// @dev A listed route that turns on the trade gets no more than the trade allows, and never anything of others.
contract HostileRoutesTest is GuardFixture {
    HostileRoute private hostile;

    function setUp() public override {
        super.setUp();
        hostile = new HostileRoute();
        output.mint(address(hostile), 1_000_000e18);
        _allow(address(hostile), HostileRoute.payElsewhere.selector);
        _allow(address(hostile), HostileRoute.takeTwice.selector);
        _allow(address(hostile), HostileRoute.callInside.selector);
        _allow(address(hostile), HostileRoute.bombOnSuccess.selector);
        _allow(address(hostile), HostileRoute.bombOnFailure.selector);
        _allow(address(hostile), HostileRoute.burnGas.selector);
    }

    /*//////////////////////////////////////////////////////////////
                          OUTPUT THAT IS NO OUTPUT
    //////////////////////////////////////////////////////////////*/

    function test_output_paid_past_the_executor_does_not_count() public {
        Trade memory trade = _hostile(
            abi.encodeCall(HostileRoute.payElsewhere, (input, output, AMOUNT_IN, AMOUNT_OUT, OWNER))
        );
        _expectBothRevert(trade, _below(0));
    }

    /*//////////////////////////////////////////////////////////////
                                ALLOWANCE
    //////////////////////////////////////////////////////////////*/

    function test_a_route_can_take_the_amount_in_once() public {
        input.mint(executor, AMOUNT_IN);
        Trade memory trade = _hostile(abi.encodeCall(HostileRoute.takeTwice, (input, AMOUNT_IN)));
        (bool success, bytes memory reason) = _try(STRANGER, _readableCallFor(trade));
        expect(!success, "refused");
        expectEqual(bytes4(reason), ITradeGuard.RouteFailed.selector, "by the allowance");
    }

    function test_a_route_that_spent_a_part_can_take_nothing_later() public {
        bytes memory data = abi.encodeCall(
            HostileRoute.bombOnSuccess,
            (input, output, AMOUNT_IN / 2, AMOUNT_OUT, 0)
        );
        _execute(_hostile(data));
        _expectNothingLeft(address(input), address(hostile), 0);

        input.mint(executor, 1);
        vm.expectRevert();
        hostile.takeLater(input, executor, 1);
    }

    function test_an_allowance_from_before_is_replaced_by_the_exact_one() public {
        vm.prank(executor);
        input.approve(address(hostile), type(uint256).max);
        input.mint(executor, AMOUNT_IN);

        Trade memory trade = _hostile(abi.encodeCall(HostileRoute.takeTwice, (input, AMOUNT_IN)));
        (bool success, ) = _try(STRANGER, _readableCallFor(trade));
        expect(!success, "no more than the amount in");
    }

    /*//////////////////////////////////////////////////////////////
                               REENTRANCY
    //////////////////////////////////////////////////////////////*/

    function test_a_route_cannot_run_the_executor() public {
        Trade memory inner = _trade();
        bytes memory nested = abi.encodeCall(RouteExecutor.run, (inner.intent, 0, inner.routeCallData));
        Trade memory outer = _hostile(abi.encodeCall(HostileRoute.callInside, (executor, nested)));

        bytes memory refused = _reason(ITradeGuard.NotGuard.selector, address(hostile));
        _expectBothRevert(
            outer,
            _reason(
                ITradeGuard.RouteFailed.selector,
                address(hostile),
                _reason(HostileRoute.Nested.selector, refused)
            )
        );
    }

    function test_hooks_of_the_input_cannot_trade_inside_a_trade() public {
        _tradeWithHooks(true);
    }

    function test_hooks_of_the_output_cannot_trade_inside_a_trade() public {
        _tradeWithHooks(false);
    }

    function _tradeWithHooks(bool onInput) private {
        HookToken token = new HookToken();
        ReenteringHook hook = new ReenteringHook();
        (address from, address to) = onInput
            ? (address(token), address(output))
            : (address(input), address(token));
        if (onInput) _fund(from, OWNER, AMOUNT_IN * 2);
        else token.mint(address(route), AMOUNT_OUT * 2);
        token.setHook(hook);

        Trade memory inner = _swap(from, to, AMOUNT_IN, AMOUNT_OUT);
        inner.intent.nonce = 1;
        _certifyAgain(inner);
        hook.tell(address(guard), _readableCallFor(inner));
        _execute(_swap(from, to, AMOUNT_IN, AMOUNT_OUT));

        expectEqual(hook.calls(), 2, "the hook ran at every transfer");
        expectEqual(hook.successes(), 0, "and never got in");
        expectEqual(
            keccak256(hook.lastResult()),
            keccak256(_reason(ReentrancyGuardTransient.ReentrancyGuardReentrantCall.selector)),
            "because of the lock"
        );

        // The lock is open again in the same transaction.
        token.setHook(ITransferHook(address(0)));
        _executeFor(inner);
    }

    /*//////////////////////////////////////////////////////////////
                              RETURN BOMBS
    //////////////////////////////////////////////////////////////*/

    function test_what_a_failing_route_returns_is_reported_in_a_bounded_way() public {
        Trade memory trade = _hostile(abi.encodeCall(HostileRoute.bombOnFailure, (1 << 20)));
        (bool success, bytes memory reason) = _try(STRANGER, _readableCallFor(trade));
        expect(!success, "reverts");
        expectEqual(bytes4(reason), ITradeGuard.RouteFailed.selector, "named");
        expectEqual(reason.length, 4 + 3 * 32 + 256, "bounded");
    }

    function test_a_route_that_burns_its_gas_reverts() public {
        Trade memory trade = _hostile(abi.encodeCall(HostileRoute.burnGas, ()));
        vm.expectRevert(_reason(ITradeGuard.RouteFailed.selector, address(hostile), bytes("")));
        _executeWithGas(trade, 3_000_000);
    }

    function _executeWithGas(Trade memory t, uint256 gas_) private {
        vm.prank(OWNER);
        guard.execute{gas: gas_}(t.intent, t.certificate, t.certificateSignature, t.routeCallData);
    }

    function _hostile(bytes memory data) private view returns (Trade memory) {
        return _tradeOn(address(hostile), data);
    }

    function _below(uint256 delivered) private pure returns (bytes memory) {
        return _reason(ITradeGuard.OutputBelowMinimum.selector, delivered, MIN_OUT);
    }
}
