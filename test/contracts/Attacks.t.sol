// SPDX-License-Identifier: MIT
pragma solidity 0.8.35;

import {IERC1271} from "@openzeppelin/contracts/interfaces/IERC1271.sol";
import {IERC20Errors} from "@openzeppelin/contracts/interfaces/draft-IERC6093.sol";
import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {ReentrancyGuardTransient} from "@openzeppelin/contracts/utils/ReentrancyGuardTransient.sol";
import {ITradeGuard, TradeIntent} from "../../contracts/ITradeGuard.sol";
import {RouteExecutor} from "../../contracts/RouteExecutor.sol";
import {Accomplice, CarelessRouter, FakePool, OneCall} from "../support/contracts/Attackers.sol";
import {GuardFixture, Trade} from "../support/contracts/GuardFixture.sol";
import {HostileAdmin} from "../support/contracts/HostileAdmin.sol";
import {vm} from "../support/contracts/Vm.sol";
import {ScriptedWallet, WritingWallet} from "../support/contracts/wallets/Wallets.sol";
import {Escrow, HostileRoute} from "../support/contracts/routes/HostileRoutes.sol";
import {FakeOutput, FreeToken} from "../support/contracts/tokens/FakeTokens.sol";
import {HookToken} from "../support/contracts/tokens/OddTokens.sol";
import {PermitToken} from "../support/contracts/tokens/PermitToken.sol";

/// @dev Attacks that took money elsewhere, tried on the guard. docs/guard/threat-model.md has the table of all of them, with
/// those whose tests stand with their subject; workshop/mutate/defects.json takes the protections away one by one.
contract AttacksTest is GuardFixture {
    HostileRoute private hostile;

    function setUp() public override {
        super.setUp();
        hostile = new HostileRoute();
        output.mint(address(hostile), 1_000_000e18);
        bytes4[6] memory tricks = [
            HostileRoute.payElsewhere.selector,
            HostileRoute.releaseDeposit.selector,
            HostileRoute.takeTwice.selector,
            HostileRoute.callInside.selector,
            HostileRoute.bombOnSuccess.selector,
            HostileRoute.bombOnFailure.selector
        ];
        for (uint256 i; i < tricks.length; ++i) _allow(address(hostile), tricks[i]);
    }

    /*//////////////////////////////////////////////////////////////
                        ALLOWANCES AND CUSTODY
    //////////////////////////////////////////////////////////////*/

    /// @dev A fake pool passes a router's callback.
    function test_a_router_that_trusts_any_callback_risks_its_own_trade_alone() public {
        CarelessRouter careless = new CarelessRouter();
        output.mint(address(careless), AMOUNT_OUT);
        _allow(address(careless), CarelessRouter.swap.selector);
        uint256 take = AMOUNT_IN - 100e18;
        bytes memory data = abi.encodeCall(CarelessRouter.swap, (input, output, take, AMOUNT_OUT));
        _execute(_tradeOn(address(careless), data));

        // Another trade, on an honest route, leaves input in the executor while the hook of its output runs.
        HookToken hooked = new HookToken();
        hooked.mint(address(route), AMOUNT_OUT);
        FakePool pool = new FakePool(careless, input, executor);
        hooked.setHook(pool);
        Trade memory trade = _swap(address(input), address(hooked), take, AMOUNT_OUT);
        trade.intent.nonce = 1;
        _certifyAgain(trade);
        _execute(trade);
        expectEqual(input.balanceOf(address(pool)), 0, "the careless router has no allowance left");
    }

    /// @dev A leftover allowance is used later.
    function test_an_allowance_that_a_route_did_not_use_is_gone() public {
        uint256 half = AMOUNT_IN / 2;
        _execute(_hostile(abi.encodeCall(HostileRoute.bombOnSuccess, (input, output, half, AMOUNT_OUT, 0))));
        _expectNothingLeft(address(input), address(hostile), 0);
        // What somebody's next trade brings here.
        input.mint(executor, half);
        vm.expectRevert();
        hostile.takeLater(input, executor, half);
    }

    /// @dev A stray approval of a shared contract is used by anyone.
    function test_a_stray_approval_of_the_executor_serves_no_stranger() public {
        vm.prank(OWNER);
        input.approve(executor, type(uint256).max);
        address free = address(new FreeToken());
        TradeIntent memory intent = _intent(free, free);
        (intent.owner, intent.recipient, intent.route) = (STRANGER, STRANGER, address(input));
        (intent.amountIn, intent.minAmountOut) = (0, 0);
        bytes memory theft = abi.encodeCall(IERC20.transferFrom, (OWNER, STRANGER, AMOUNT_IN));
        address[4] memory callers = [STRANGER, ADMIN, OWNER, address(route)];
        for (uint256 i; i < callers.length; ++i) {
            vm.prank(callers[i]);
            vm.expectRevert(_reason(ITradeGuard.NotGuard.selector, callers[i]));
            RouteExecutor(executor).run(intent, 0, theft);
        }
    }

    /// @dev A balance rises by money that the owner was due anyway.
    function test_money_that_was_due_anyway_is_no_output() public {
        Escrow escrow = new Escrow(output, OWNER);
        output.mint(address(escrow), AMOUNT_OUT);
        Trade memory trade = _hostile(
            abi.encodeCall(HostileRoute.releaseDeposit, (input, AMOUNT_IN, escrow))
        );
        _expectRefused(trade, _reason(ITradeGuard.OutputBelowMinimum.selector, 0, MIN_OUT));
    }

    function test_output_paid_past_the_executor_does_not_count() public {
        Trade memory trade = _hostile(
            abi.encodeCall(HostileRoute.payElsewhere, (input, output, AMOUNT_IN, AMOUNT_OUT, OWNER))
        );
        _expectRefused(trade, _reason(ITradeGuard.OutputBelowMinimum.selector, 0, MIN_OUT));
    }

    /// @dev Whatever lies in the executor, and whatever the route was once approved for.
    function test_a_route_takes_the_amount_in_once() public {
        input.mint(executor, 2 * AMOUNT_IN);
        vm.prank(executor);
        input.approve(address(hostile), type(uint256).max);
        bytes memory second = _reason(
            IERC20Errors.ERC20InsufficientAllowance.selector,
            address(hostile),
            0,
            AMOUNT_IN
        );
        Trade memory trade = _hostile(abi.encodeCall(HostileRoute.takeTwice, (input, AMOUNT_IN)));
        _expectRefused(trade, _reason(ITradeGuard.RouteFailed.selector, address(hostile), second));
    }

    /*//////////////////////////////////////////////////////////////
                      WALLETS, RELAYERS AND PERMITS
    //////////////////////////////////////////////////////////////*/

    function test_a_wallet_does_not_act_while_it_is_asked() public {
        WritingWallet wallet = new WritingWallet();
        Trade memory trade = _tradeOwnedBy(address(wallet));
        vm.expectRevert(_reason(ITradeGuard.OwnerSignatureInvalid.selector, address(wallet)));
        _relay(trade);
    }

    function test_a_wallet_that_changes_its_answer_is_asked_anew_each_time() public {
        ScriptedWallet wallet = new ScriptedWallet();
        _fund(address(input), address(wallet), 2 * AMOUNT_IN);
        wallet.script(abi.encode(IERC1271.isValidSignature.selector), false);
        Trade memory trade = _tradeOwnedBy(address(wallet));
        _relay(trade);

        wallet.script(abi.encode(bytes4(0)), false);
        trade.intent.nonce = 1;
        _certifyAgain(trade);
        vm.expectRevert(_reason(ITradeGuard.OwnerSignatureInvalid.selector, address(wallet)));
        _relay(trade);
    }

    /// @dev A copy from the mempool does what the relayer's own would have done, and pays nobody else.
    function test_a_trade_relayed_early_by_a_stranger_pays_the_owner_the_same() public {
        Trade memory trade = _trade();
        _relayAs(STRANGER, trade);
        expectEqual(output.balanceOf(OWNER), AMOUNT_OUT, "owner");
        expectEqual(output.balanceOf(STRANGER), 0, "stranger");
        vm.expectRevert(_reason(ITradeGuard.NonceUsed.selector, OWNER, uint256(0)));
        _relayAs(RECIPIENT, trade);
    }

    /// @dev The permit also stands behind the arguments, for a guard that would take it from there.
    function test_a_permit_sent_ahead_by_a_stranger_spoils_no_trade() public {
        PermitToken token = new PermitToken("PERMIT");
        token.mint(OWNER, AMOUNT_IN);
        Trade memory trade = _swap(address(token), address(output), AMOUNT_IN, AMOUNT_OUT);
        uint256 deadline = trade.intent.deadline;
        bytes32 permit = keccak256(
            abi.encode(
                keccak256(
                    "Permit(address owner,address spender,uint256 value,uint256 nonce,uint256 deadline)"
                ),
                OWNER,
                address(guard),
                AMOUNT_IN,
                token.nonces(OWNER),
                deadline
            )
        );
        bytes32 digest = keccak256(abi.encodePacked(hex"1901", token.DOMAIN_SEPARATOR(), permit));
        (uint8 v, bytes32 r, bytes32 s) = vm.sign(OWNER_KEY, digest);
        vm.prank(STRANGER);
        token.permit(OWNER, address(guard), AMOUNT_IN, deadline, v, r, s);

        (bool success, ) = _try(RECIPIENT, bytes.concat(_relayerCall(trade), abi.encode(v, r, s)));
        expect(success, "the allowance is there, whoever sent the permit");
    }

    function test_native_coin_sent_by_mistake_comes_back() public {
        bytes[4] memory calls = [
            bytes(""),
            _ownerCall(_trade()),
            abi.encodeCall(guard.invalidateNonces, (0, 1)),
            abi.encodeCall(RouteExecutor.clearAllowance, (address(input), STRANGER))
        ];
        vm.deal(OWNER, 1 ether);
        vm.startPrank(OWNER);
        for (uint256 i; i < calls.length; ++i) {
            (bool taken, ) = address(guard).call{value: 1}(calls[i]);
            expect(!taken, "the guard takes no coin");
            (taken, ) = executor.call{value: 1}(calls[i]);
            expect(!taken, "nor does the executor");
        }
        vm.stopPrank();
    }

    /*//////////////////////////////////////////////////////////////
                               REENTRANCY
    //////////////////////////////////////////////////////////////*/

    function test_a_hook_of_the_input_does_not_get_in() public {
        _expectLocked(_tradeWithHook(true, false));
    }

    function test_a_hook_of_the_output_does_not_get_in() public {
        _expectLocked(_tradeWithHook(false, false));
    }

    function test_a_hook_does_not_trade_the_running_trade_again() public {
        _expectLocked(_tradeWithHook(true, true));
    }

    function test_a_route_does_not_get_in() public {
        OneCall accomplice = new OneCall();
        accomplice.tell(address(guard), _relayerCall(_tradeWith(7)));
        _execute(_tradeAround(accomplice));
        _expectLocked(accomplice);
    }

    function test_a_route_does_not_run_the_executor() public {
        Trade memory inner = _trade();
        bytes memory nested = abi.encodeCall(RouteExecutor.run, (inner.intent, 0, inner.routeCallData));
        bytes memory refused = _reason(ITradeGuard.NotGuard.selector, address(hostile));
        _expectRefused(
            _hostile(abi.encodeCall(HostileRoute.callInside, (executor, nested))),
            _reason(
                ITradeGuard.RouteFailed.selector,
                address(hostile),
                _reason(HostileRoute.Nested.selector, refused)
            )
        );
    }

    /// @dev Read-only reentrancy: what the guard says of itself is true in the middle of a trade.
    function test_a_hook_reads_a_nonce_that_is_already_spent() public {
        (HookToken token, OneCall hook) = (new HookToken(), new OneCall());
        _fund(address(token), OWNER, AMOUNT_IN);
        token.setHook(hook);
        hook.tell(address(guard), abi.encodeCall(guard.isNonceUsed, (OWNER, 0)));
        _execute(_swap(address(token), address(output), AMOUNT_IN, AMOUNT_OUT));
        expect(abi.decode(hook.result(), (bool)), "spent");
    }

    /// @dev A trade of a token whose hook relays another trade, or the same one.
    function _tradeWithHook(bool onInput, bool same) private returns (OneCall hook) {
        HookToken token = new HookToken();
        hook = new OneCall();
        (address from, address to) = onInput
            ? (address(token), address(output))
            : (address(input), address(token));
        if (onInput) _fund(from, OWNER, AMOUNT_IN * 2);
        else token.mint(address(route), AMOUNT_OUT * 2);
        token.setHook(hook);
        Trade memory outer = _swap(from, to, AMOUNT_IN, AMOUNT_OUT);
        Trade memory inner = _swap(from, to, AMOUNT_IN, AMOUNT_OUT);
        if (!same) inner.intent.nonce = 7;
        _certifyAgain(inner);
        hook.tell(address(guard), _relayerCall(inner));
        _execute(outer);
        // The lock is open again in the same transaction.
        if (!same) _relay(inner);
    }

    function _expectLocked(OneCall accomplice) private view {
        expect(accomplice.tried() && !accomplice.succeeded(), "refused");
        bytes4 locked = ReentrancyGuardTransient.ReentrancyGuardReentrantCall.selector;
        expectEqual(bytes4(accomplice.result()), locked, "by the lock");
    }

    /*//////////////////////////////////////////////////////////////
                              RETURN BOMBS
    //////////////////////////////////////////////////////////////*/

    function test_a_megabyte_of_return_data_is_not_copied() public {
        bytes memory data = abi.encodeCall(
            HostileRoute.bombOnSuccess,
            (input, output, AMOUNT_IN, AMOUNT_OUT, 1 << 20)
        );
        bytes memory call = _ownerCall(_hostile(data));
        uint256 before = gasleft();
        (bool success, ) = _try(OWNER, call);
        // The route itself pays 2.2 million for so much memory.
        expect(success && before - gasleft() < 3_000_000, "gas");
    }

    function test_what_a_failing_route_returns_is_reported_up_to_a_bound() public {
        Trade memory trade = _hostile(abi.encodeCall(HostileRoute.bombOnFailure, (1 << 20)));
        (bool success, bytes memory reason) = _try(STRANGER, _relayerCall(trade));
        expect(!success, "refused");
        expectEqual(bytes4(reason), ITradeGuard.RouteFailed.selector, "by name");
        expectEqual(reason.length, 4 + 3 * 32 + 256, "bounded");
    }

    function _hostile(bytes memory data) private view returns (Trade memory) {
        return _tradeOn(address(hostile), data);
    }
}

/// @dev Admin key and attestation key are in one hostile hand; the victim signs nothing, or signs an honest trade.
contract HostileAdminTest is HostileAdmin {
    /// @dev An arbitrary call reaches the users' allowances.
    function test_a_listed_token_as_route_takes_nothing_of_those_who_approved_the_guard() public {
        _list(address(input), IERC20.transferFrom.selector);
        Trade memory trade = _hostileTrade(
            address(output),
            abi.encodeCall(IERC20.transferFrom, (OWNER, HOSTILE, AMOUNT_IN))
        );
        bytes memory reason = _reason(
            IERC20Errors.ERC20InsufficientAllowance.selector,
            executor,
            0,
            AMOUNT_IN
        );
        vm.expectRevert(_reason(ITradeGuard.RouteFailed.selector, address(input), reason));
        _execute(trade);
    }

    function testFuzz_no_call_data_to_a_token_moves_anything_of_the_victim(
        bytes4 selector,
        uint8 kind,
        uint256 amount
    ) public {
        bytes[4] memory calls = [
            abi.encodeCall(IERC20.transferFrom, (OWNER, HOSTILE, amount)),
            abi.encodeCall(IERC20.transfer, (HOSTILE, amount)),
            abi.encodeCall(IERC20.approve, (HOSTILE, amount)),
            abi.encodeWithSelector(selector, OWNER, HOSTILE, amount)
        ];
        bytes memory data = calls[kind % 4];
        vm.assume(bytes4(data) != 0 && bytes4(data) != input.mint.selector);
        _list(address(input), bytes4(data));
        uint256 held = input.balanceOf(OWNER);
        address fake = address(new FakeOutput(input, executor, HOSTILE));
        _try(HOSTILE, _ownerCall(_hostileTrade(fake, data)));

        expectEqual(input.balanceOf(OWNER), held, "the victim's balance");
        expectEqual(input.balanceOf(HOSTILE), 0, "the thief's balance");
    }

    function testFuzz_a_trade_of_the_victim_needs_the_victims_signature(uint256 key) public {
        key = between(key, 1, 2 ** 128);
        vm.assume(vm.addr(key) != OWNER);
        Trade memory trade = _trade();
        trade.intent.minAmountOut = 1;
        _certifyAgain(trade);
        _signCertificate(trade, HOSTILE_KEY);
        trade.ownerSignature = _sign(key, trade.certificate.intentHash);
        vm.expectRevert(_reason(ITradeGuard.OwnerSignatureInvalid.selector, OWNER));
        _relay(trade);
        vm.expectRevert(_reason(ITradeGuard.NotOwner.selector, HOSTILE, OWNER));
        _call(HOSTILE, _ownerCall(trade));
    }

    function test_no_restricted_call_moves_a_token() public {
        input.mint(executor, 5);
        input.mint(address(guard), 7);
        bytes[7] memory calls = _restrictedCalls(HOSTILE);
        for (uint256 i; i < calls.length; ++i) {
            (bool success, ) = _try(HOSTILE, calls[i]);
            expect(success, "the hostile hand may");
        }
        expectEqual(input.balanceOf(executor), 5, "executor");
        expectEqual(input.balanceOf(address(guard)), 7, "guard");
        expectEqual(input.balanceOf(HOSTILE), 0, "hostile hand");
    }

    function test_an_allowance_tricked_out_of_the_executor_takes_nothing_between_trades() public {
        _trickAllowance(HOSTILE);
        Trade memory honest = _trade();
        _signCertificate(honest, HOSTILE_KEY);
        _execute(honest);
        expectEqual(output.balanceOf(OWNER), AMOUNT_OUT, "the owner receives all");
        expectEqual(input.balanceOf(executor), 0, "and there is nothing to take");
    }

    /// @dev The worst case: the output has a hook in which the accomplice takes the input that the route left.
    function test_an_allowance_tricked_out_of_the_executor_keeps_to_the_bounds_of_an_honest_trade() public {
        Accomplice accomplice = new Accomplice(input, executor);
        HookToken hooked = new HookToken();
        hooked.mint(address(route), AMOUNT_OUT);
        _trickAllowance(address(accomplice));
        hooked.setHook(accomplice);
        uint256 held = input.balanceOf(OWNER);
        Trade memory trade = _swap(address(input), address(hooked), AMOUNT_IN - 100e18, AMOUNT_OUT);
        _signCertificate(trade, HOSTILE_KEY);
        _execute(trade);
        expect(held - input.balanceOf(OWNER) <= AMOUNT_IN, "at most the signed amount");
        expect(hooked.balanceOf(OWNER) >= MIN_OUT, "at least the signed minimum");
    }
}
