// SPDX-License-Identifier: MIT
pragma solidity 0.8.35;

import {IERC1271} from "@openzeppelin/contracts/interfaces/IERC1271.sol";
import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {OPERATOR, PAUSER as PAUSERS} from "../../contracts/GuardDeployment.sol";
import {ITradeGuard, TradeIntent} from "../../contracts/ITradeGuard.sol";
import {RouteExecutor} from "../../contracts/RouteExecutor.sol";
import {
    Accomplice,
    GrowingRoute,
    MovableRoute,
    OneCall,
    SandwichingRelayer,
    TryingRoute
} from "../support/contracts/Attackers.sol";
import {GuardFixture, Trade} from "../support/contracts/GuardFixture.sol";
import {HostileAdmin} from "../support/contracts/HostileAdmin.sol";
import {vm} from "../support/contracts/Vm.sol";
import {ApprovingWallet} from "../support/contracts/wallets/Wallets.sol";
import {MirrorOutput} from "../support/contracts/tokens/FakeTokens.sol";
import {
    BlockingToken,
    HookToken,
    ITransferHook,
    RebasingToken,
    StickyToken
} from "../support/contracts/tokens/OddTokens.sol";

/// @dev Shows each thing of docs/guard/scope.md that the guard does not prevent, so that it promises no more.
contract LimitsTest is GuardFixture {
    function test_the_owners_key_trades_around_the_guard() public {
        MovableRoute market = new MovableRoute();
        market.move(MIN_OUT - 1);
        output.mint(address(market), AMOUNT_OUT);
        vm.prank(PAUSER);
        guard.pause();

        vm.startPrank(OWNER);
        input.approve(address(market), AMOUNT_IN);
        market.swap(input, output, AMOUNT_IN);
        vm.stopPrank();
        expectEqual(output.balanceOf(OWNER), MIN_OUT - 1, "no certificate, no list, no minimum");
    }

    /// @dev As a Safe does for a hash that it approved before: the guard reads an empty signature as "the owner sends".
    function test_a_contract_that_takes_an_empty_signature_has_to_send_the_trade_itself() public {
        ApprovingWallet wallet = new ApprovingWallet();
        _fund(address(input), address(wallet), AMOUNT_IN);
        Trade memory trade = _tradeOwnedBy(address(wallet));
        wallet.approveHash(_digest(trade.certificate.intentHash));
        bytes4 answer = wallet.isValidSignature(_digest(trade.certificate.intentHash), "");
        expectEqual(answer, IERC1271.isValidSignature.selector, "to the wallet it is signed");

        trade.ownerSignature = "";
        vm.expectRevert(_reason(ITradeGuard.NotOwner.selector, STRANGER, address(wallet)));
        _relay(trade);
        expectEqual(_execute(trade), AMOUNT_OUT, "sent by itself");
    }

    /// @dev The guard cannot know by which policy a certificate was judged: the service vouches that it was the signed one.
    function test_the_guard_takes_any_policy_that_owner_and_service_name() public {
        Trade memory trade = _trade();
        trade.intent.policyHash = 0;
        _certifyAgain(trade);
        _relay(trade);
    }

    /*//////////////////////////////////////////////////////////////
                                RELAYERS
    //////////////////////////////////////////////////////////////*/

    function test_a_relayer_moves_the_price_around_a_trade_down_to_the_minimum_and_no_further() public {
        MovableRoute market = new MovableRoute();
        market.move(AMOUNT_OUT);
        output.mint(address(market), 10 * AMOUNT_OUT);
        _allow(address(market), MovableRoute.swap.selector);
        SandwichingRelayer relayer = new SandwichingRelayer();
        bytes memory data = abi.encodeCall(MovableRoute.swap, (input, output, AMOUNT_IN));
        Trade memory trade = _tradeOn(address(market), data);

        vm.expectRevert();
        relayer.relay(market, MIN_OUT - 1, address(guard), _relayerCall(trade));
        relayer.relay(market, MIN_OUT, address(guard), _relayerCall(trade));
        expectEqual(output.balanceOf(OWNER), MIN_OUT, "the minimum is all that is left to the owner");

        // Sent by the owner there is nothing around it.
        trade.intent.nonce = 1;
        _certifyAgain(trade);
        expectEqual(_execute(trade), AMOUNT_OUT, "the price of the market");
    }

    function test_a_relayer_sends_a_trying_route_into_its_worse_branch_by_the_gas_limit() public {
        TryingRoute trying = new TryingRoute();
        output.mint(address(trying), 10 * AMOUNT_OUT);
        _allow(address(trying), TryingRoute.swap.selector);
        bytes memory data = abi.encodeCall(TryingRoute.swap, (input, output, AMOUNT_IN, AMOUNT_OUT, MIN_OUT));
        Trade memory trade = _tradeOn(address(trying), data);
        expectEqual(_relayWithGas(trade, 2_000_000), AMOUNT_OUT, "enough gas");

        trade.intent.nonce = 1;
        _certifyAgain(trade);
        expectEqual(_relayWithGas(trade, 600_000), MIN_OUT, "just enough for the rest");
    }

    function _relayWithGas(Trade memory trade, uint256 gas) private returns (uint256) {
        bytes memory call = _relayerCall(trade);
        vm.prank(STRANGER);
        (bool success, bytes memory answer) = address(guard).call{gas: gas}(call);
        expect(success, "relayed");
        return abi.decode(answer, (uint256));
    }

    /*//////////////////////////////////////////////////////////////
                           TOKENS AND ISSUERS
    //////////////////////////////////////////////////////////////*/

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

    /// @dev Only another guard, with another executor, goes on; its owners have to approve it.
    function test_an_issuer_that_blocks_the_executor_stops_all_trades_of_its_token() public {
        BlockingToken token = new BlockingToken();
        _fund(address(token), OWNER, AMOUNT_IN);
        token.mint(address(route), AMOUNT_OUT);
        token.blockAccount(executor, true);
        bytes memory blocked = abi.encodeWithSignature("Error(string)", "blocked");

        _expectRefused(
            _swap(address(token), address(output), AMOUNT_IN, AMOUNT_OUT),
            _reason(ITradeGuard.TokenCallFailed.selector, address(token), blocked)
        );
        _expectRefused(
            _swap(address(input), address(token), AMOUNT_IN, AMOUNT_OUT),
            _reason(ITradeGuard.RouteFailed.selector, address(route), blocked)
        );

        _deployGuard(0);
        _allow(address(route), bytes4(_trade().routeCallData));
        vm.prank(OWNER);
        token.approve(address(guard), AMOUNT_IN);
        _execute(_swap(address(token), address(output), AMOUNT_IN, AMOUNT_OUT));
    }
}

/// @dev What a hostile hand with admin key and attestation key still reaches, and how anybody ends it.
contract ExecutorLimitsTest is HostileAdmin {
    function test_a_stray_approval_of_the_executor_is_drained_by_an_admin_who_lists_the_token() public {
        vm.prank(OWNER);
        input.approve(executor, 5e18);
        _list(address(input), IERC20.transferFrom.selector);
        address mirror = address(new MirrorOutput(input, executor, HOSTILE));

        _execute(_hostileTrade(mirror, abi.encodeCall(IERC20.transferFrom, (OWNER, HOSTILE, 5e18))));

        expectEqual(input.balanceOf(HOSTILE), 5e18, "taken");
        expectEqual(input.allowance(OWNER, executor), 0, "the stray approval, and no more");
    }

    function test_a_poisoned_executor_outlives_the_thief_until_anyone_clears_the_allowance() public {
        Accomplice accomplice = new Accomplice(input, executor);
        HookToken hooked = new HookToken();
        hooked.mint(address(route), 2 * AMOUNT_OUT);
        _trickAllowance(address(accomplice));
        hooked.setHook(accomplice);
        // All else is put right again: nothing of it shows in what the guard tells of itself.
        vm.startPrank(HOSTILE);
        guard.disallowRoute(address(input), IERC20.approve.selector);
        guard.rotateSigner(ATTESTOR);
        vm.stopPrank();

        Trade memory trade = _swap(address(input), address(hooked), AMOUNT_IN - 100e18, AMOUNT_OUT);
        _execute(trade);
        expectEqual(input.balanceOf(address(accomplice)), 100e18, "the refund of an honest trade");

        vm.prank(STRANGER);
        RouteExecutor(executor).clearAllowance(address(input), address(accomplice));
        input.mint(executor, 1);
        vm.expectRevert();
        accomplice.onTransfer(address(0), address(0), 0);
        hooked.setHook(ITransferHook(address(0)));
        uint256 held = input.balanceOf(OWNER);
        trade.intent.nonce = 1;
        _certifyAgain(trade);
        _execute(trade);
        expectEqual(held - input.balanceOf(OWNER), AMOUNT_IN - 100e18, "and the refund is the owner's again");
    }

    function testFuzz_anyone_clears_any_allowance_of_the_executor_and_no_other(
        address caller,
        address spender,
        uint256 allowance
    ) public {
        vm.assume(caller != address(0) && spender != address(0));
        vm.assume(spender != STRANGER && spender != RECIPIENT);
        vm.startPrank(executor);
        input.approve(spender, allowance);
        input.approve(STRANGER, 7);
        vm.stopPrank();
        vm.prank(RECIPIENT);
        input.approve(spender, 9);
        vm.prank(PAUSER);
        guard.pause();

        vm.prank(caller);
        RouteExecutor(executor).clearAllowance(address(input), spender);

        expectEqual(input.allowance(executor, spender), 0, "cleared, although trading is paused");
        expectEqual(input.allowance(executor, STRANGER), 7, "another spender");
        expectEqual(input.allowance(RECIPIENT, spender), 9, "of somebody else");
    }

    function test_an_allowance_that_its_token_does_not_clear_is_named_to_its_size() public {
        uint256[3] memory kept = [uint256(1), (1 << 200) + 1, type(uint256).max];
        for (uint256 i; i < kept.length; ++i) {
            StickyToken token = new StickyToken(kept[i]);
            vm.expectRevert(
                _reason(ITradeGuard.AllowanceNotCleared.selector, address(token), STRANGER, kept[i])
            );
            RouteExecutor(executor).clearAllowance(address(token), STRANGER);
        }
    }

    /// @dev Regardless of the caller and its rights: the running route needs its own allowance.
    function test_no_allowance_is_cleared_during_a_trade() public {
        OneCall accomplice = new OneCall();
        Trade memory trade = _tradeAround(accomplice);
        _signCertificate(trade, HOSTILE_KEY);
        accomplice.tell(
            executor,
            abi.encodeCall(RouteExecutor.clearAllowance, (address(input), trade.intent.route))
        );
        vm.startPrank(HOSTILE);
        manager.grantRole(OPERATOR, address(accomplice), 0);
        manager.grantRole(PAUSERS, address(accomplice), 0);
        vm.stopPrank();
        expect(!guard.isTrading(), "before");
        _execute(trade);

        expect(accomplice.tried() && !accomplice.succeeded(), "refused");
        expectEqual(bytes4(accomplice.result()), ITradeGuard.TradeRunning.selector, "by name");
        expect(!guard.isTrading(), "after");
    }
}
