// SPDX-License-Identifier: MIT
pragma solidity 0.8.35;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {ITradeGuard, TradeIntent} from "../../contracts/ITradeGuard.sol";
import {RouteExecutor} from "../../contracts/RouteExecutor.sol";
import {OneCall} from "../support/contracts/Attackers.sol";
import {GuardFixture, Trade} from "../support/contracts/GuardFixture.sol";
import {ADMIN_ROLE, OPERATOR, PAUSER_ROLE} from "../support/contracts/Roles.sol";
import {vm} from "../support/contracts/Vm.sol";
import {
    BlockingToken,
    RebasingToken,
    ReturningToken,
    ZeroApprovalRefusingToken
} from "../support/contracts/tokens/OddTokens.sol";

/// @dev A market whose price anyone can move, as anyone can who has enough of a pool's tokens.
contract MovableRoute {
    uint256 public give;

    function move(uint256 newGive) external {
        give = newGive;
    }

    function swap(IERC20 input, IERC20 output, uint256 take) external {
        input.transferFrom(msg.sender, address(this), take);
        output.transfer(msg.sender, give);
    }
}

/// @dev Relays a trade between two moves of the market, all in one transaction.
contract SandwichingRelayer {
    function relay(MovableRoute market, uint256 during, address guard, bytes calldata call) external {
        uint256 before = market.give();
        market.move(during);
        (bool success, ) = guard.call(call);
        require(success, "relayed");
        market.move(before);
    }
}

/// @dev Tries a good way with half of its gas, and takes a worse one when that fails.
contract TryingRoute {
    function better() external view {
        uint256 start = gasleft();
        while (start - gasleft() < 300_000) {}
    }

    function swap(IERC20 input, IERC20 output, uint256 take, uint256 good, uint256 bad) external {
        input.transferFrom(msg.sender, address(this), take);
        uint256 give = bad;
        try this.better{gas: gasleft() / 2}() {
            give = good;
        } catch {}
        output.transfer(msg.sender, give);
    }
}

/// @dev Keeps something of every allowance that is taken back.
contract StickyToken is ReturningToken {
    uint256 private immutable KEPT;

    constructor(uint256 kept) {
        KEPT = kept;
    }

    function _approve(address spender, uint256 amount) internal override {
        super._approve(spender, amount == 0 ? KEPT : amount);
    }
}

/// @dev In whose hands every balance of a token grows.
contract GrowingRoute {
    function swap(RebasingToken token, uint256 newIndex) external {
        token.rebase(newIndex);
    }
}

/// @dev Shows each thing that the guard does not prevent, so that the threat model promises no more, and how anybody can
/// clear an allowance of the executor.
contract LimitsTest is GuardFixture {
    function test_the_owners_key_can_trade_around_the_guard() public {
        MovableRoute market = new MovableRoute();
        market.move(MIN_OUT - 1);
        output.mint(address(market), AMOUNT_OUT);
        vm.prank(ADMIN);
        guard.pause();

        vm.startPrank(OWNER);
        input.approve(address(market), AMOUNT_IN);
        market.swap(input, output, AMOUNT_IN);
        vm.stopPrank();
        expectEqual(output.balanceOf(OWNER), MIN_OUT - 1, "no certificate, no list, no minimum");
    }

    function test_a_relayer_can_move_the_price_around_a_trade_down_to_the_minimum_and_no_further() public {
        MovableRoute market = new MovableRoute();
        market.move(AMOUNT_OUT);
        output.mint(address(market), 10 * AMOUNT_OUT);
        _allow(address(market), MovableRoute.swap.selector);
        SandwichingRelayer relayer = new SandwichingRelayer();
        bytes memory data = abi.encodeCall(MovableRoute.swap, (input, output, AMOUNT_IN));

        bytes memory greedy = _relayerCall(_tradeOn(address(market), data, 0));
        vm.expectRevert();
        relayer.relay(market, MIN_OUT - 1, address(guard), greedy);
        relayer.relay(market, MIN_OUT, address(guard), greedy);
        expectEqual(output.balanceOf(OWNER), MIN_OUT, "the minimum is all that is left to the owner");

        // Sent by the owner there is nothing around it.
        expectEqual(_execute(_tradeOn(address(market), data, 1)), AMOUNT_OUT, "the price of the market");
    }

    function test_a_relayer_can_send_a_trying_route_into_its_worse_branch_by_the_gas_limit() public {
        TryingRoute trying = new TryingRoute();
        output.mint(address(trying), 10 * AMOUNT_OUT);
        _allow(address(trying), TryingRoute.swap.selector);
        bytes memory data = abi.encodeCall(TryingRoute.swap, (input, output, AMOUNT_IN, AMOUNT_OUT, MIN_OUT));

        expectEqual(_relayWithGas(_tradeOn(address(trying), data, 0), 2_000_000), AMOUNT_OUT, "enough gas");
        expectEqual(
            _relayWithGas(_tradeOn(address(trying), data, 1), 600_000),
            MIN_OUT,
            "just enough for the rest"
        );
    }

    function test_a_rebase_of_what_lies_in_the_executor_counts_as_output() public {
        GrowingRoute growing = new GrowingRoute();
        _allow(address(growing), GrowingRoute.swap.selector);
        RebasingToken token = new RebasingToken();
        token.rebase(1e18);
        token.mint(executor, AMOUNT_OUT);
        TradeIntent memory intent = _intent(address(input), address(token));
        intent.route = address(growing);

        uint256 amountOut = _execute(_certify(intent, abi.encodeCall(GrowingRoute.swap, (token, 2e18))));

        expect(amountOut >= MIN_OUT, "nothing was given for it");
        expectEqual(input.balanceOf(OWNER), 1_000_000e18, "and nothing taken");
    }

    function test_an_issuer_that_blocks_the_executor_stops_all_trades_of_its_token() public {
        BlockingToken token = new BlockingToken();
        _fund(address(token), OWNER, AMOUNT_IN);
        token.mint(address(route), AMOUNT_OUT);
        token.blockAccount(executor, true);

        vm.expectRevert();
        _execute(_swap(address(token), address(output), AMOUNT_IN, AMOUNT_OUT));
        vm.expectRevert();
        _execute(_swap(address(input), address(token), AMOUNT_IN, AMOUNT_OUT));

        token.blockAccount(executor, false);
        _execute(_swap(address(token), address(output), AMOUNT_IN, AMOUNT_OUT));
    }

    /*//////////////////////////////////////////////////////////////
                    WHAT ANYBODY CAN DO ABOUT ALLOWANCES
    //////////////////////////////////////////////////////////////*/

    function testFuzz_anyone_clears_any_allowance_of_the_executor_and_no_other(
        address caller,
        address spender,
        uint256 allowance
    ) public {
        vm.assume(
            caller != address(0) && spender != address(0) && spender != STRANGER && spender != RECIPIENT
        );
        vm.startPrank(executor);
        input.approve(spender, allowance);
        input.approve(STRANGER, 7);
        vm.stopPrank();
        vm.prank(RECIPIENT);
        input.approve(spender, 9);

        vm.prank(caller);
        RouteExecutor(executor).clearAllowance(address(input), spender);

        expectEqual(input.allowance(executor, spender), 0, "cleared");
        expectEqual(input.allowance(executor, STRANGER), 7, "another spender");
        expectEqual(input.allowance(RECIPIENT, spender), 9, "of somebody else");
    }

    function test_an_allowance_that_its_token_does_not_clear_is_told() public {
        ZeroApprovalRefusingToken token = new ZeroApprovalRefusingToken();
        vm.prank(executor);
        token.approve(STRANGER, 5);
        vm.expectRevert(_reason(ITradeGuard.AllowanceNotCleared.selector, address(token), STRANGER, 5));
        RouteExecutor(executor).clearAllowance(address(token), STRANGER);
    }

    function test_an_allowance_of_any_size_that_a_token_keeps_is_told_whole() public {
        _expectKeptIsTold(1);
        _expectKeptIsTold(1 << 128);
        _expectKeptIsTold((1 << 200) + 1);
        _expectKeptIsTold(type(uint256).max);
    }

    function _expectKeptIsTold(uint256 kept) private {
        StickyToken token = new StickyToken(kept);
        vm.prank(executor);
        token.approve(STRANGER, 5);
        vm.expectRevert(_reason(ITradeGuard.AllowanceNotCleared.selector, address(token), STRANGER, kept));
        RouteExecutor(executor).clearAllowance(address(token), STRANGER);

        _fund(address(token), OWNER, AMOUNT_IN);
        _expectBothRevert(
            _swap(address(token), address(output), AMOUNT_IN - 1, AMOUNT_OUT),
            _reason(ITradeGuard.AllowanceNotCleared.selector, address(token), address(route), kept)
        );
    }

    function test_no_allowance_is_cleared_during_a_trade() public {
        OneCall accomplice = new OneCall();
        Trade memory trade = _tradeAround(accomplice, 0);
        accomplice.tell(
            executor,
            abi.encodeCall(RouteExecutor.clearAllowance, (address(input), trade.intent.route))
        );

        // Regardless of the caller and its rights.
        vm.startPrank(ADMIN);
        manager.grantRole(OPERATOR, address(accomplice), 0);
        manager.grantRole(PAUSER_ROLE, address(accomplice), 0);
        manager.grantRole(ADMIN_ROLE, address(accomplice), 0);
        vm.stopPrank();
        expect(!guard.isTrading(), "before");
        _execute(trade);

        expect(accomplice.tried() && !accomplice.succeeded(), "refused");
        expectEqual(bytes4(accomplice.result()), ITradeGuard.TradeRunning.selector, "by name");
        expect(!guard.isTrading(), "after");
    }

    function test_an_allowance_is_cleared_while_trading_is_paused_too() public {
        vm.prank(executor);
        input.approve(STRANGER, 7);
        vm.prank(PAUSER);
        guard.pause();
        vm.prank(STRANGER);
        RouteExecutor(executor).clearAllowance(address(input), STRANGER);
        expectEqual(input.allowance(executor, STRANGER), 0, "cleared");
    }

    /*//////////////////////////////////////////////////////////////
                                 HELPERS
    //////////////////////////////////////////////////////////////*/

    function _relayWithGas(Trade memory t, uint256 gas) private returns (uint256) {
        vm.prank(STRANGER);
        return
            guard.executeFor{gas: gas}(
                t.intent,
                t.certificate,
                t.certificateSignature,
                t.ownerSignature,
                t.routeCallData
            );
    }
}
