// SPDX-License-Identifier: MIT
pragma solidity 0.8.35;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {TradeIntent} from "../../contracts/ITradeGuard.sol";
import {RouteExecutor} from "../../contracts/RouteExecutor.sol";
import "../support/contracts/Attackers.sol";
import {GuardFixture, Trade} from "../support/contracts/GuardFixture.sol";
import {packTradeFor, upper} from "../support/contracts/Packing.sol";
import {vm} from "../support/contracts/Vm.sol";
import {HonestRoute} from "../support/contracts/routes/HonestRoute.sol";
import {Escrow, HostileRoute} from "../support/contracts/routes/HostileRoutes.sol";
import {FakeOutput, FreeToken} from "../support/contracts/tokens/FakeTokens.sol";
import {FalseReturningToken, FeeToken, HookToken} from "../support/contracts/tokens/OddTokens.sol";
import {ScriptedWallet} from "../support/contracts/wallets/Wallets.sol";

/// @dev Known attacks, each of which has to fail. workshop/mutate/defects.json takes the protections away one by one, and
/// names the attack that then succeeds.
contract AttacksTest is GuardFixture {
    uint256 private constant THIEF_KEY = uint256(keccak256("thief"));
    address private immutable THIEF = vm.addr(THIEF_KEY);
    bool private succeeds;

    /// @dev The attack is the body of the test, which tells in `succeeds` whether it did.
    modifier fails() {
        _;
        expect(!succeeds, "the guard withstands the attack");
    }

    /*//////////////////////////////////////////////////////////////
                        ALLOWANCES AND CUSTODY
    //////////////////////////////////////////////////////////////*/

    /// @dev Admin and signer are hostile: they list the victim's token and certify a trade of worthless ones.
    function test_a_listed_token_as_route_takes_nothing_of_those_who_approved_the_guard() public fails {
        _allow(address(input), IERC20.transferFrom.selector);
        TradeIntent memory intent = _intent(address(new FreeToken()), address(output));
        (intent.owner, intent.recipient, intent.route) = (THIEF, THIEF, address(input));
        _send(_certify(intent, abi.encodeCall(IERC20.transferFrom, (OWNER, THIEF, AMOUNT_IN))));
        succeeds = input.balanceOf(THIEF) != 0;
    }

    function test_a_stray_approval_of_the_executor_takes_nothing() public fails {
        vm.prank(OWNER);
        input.approve(executor, type(uint256).max);
        address free = address(new FreeToken());
        TradeIntent memory intent = _intent(free, free);
        (intent.owner, intent.recipient, intent.route) = (THIEF, THIEF, address(input));
        (intent.amountIn, intent.minAmountOut) = (0, 0);
        bytes memory theft = abi.encodeCall(IERC20.transferFrom, (OWNER, THIEF, AMOUNT_IN));
        vm.prank(THIEF);
        (bool taken, ) = executor.call(abi.encodeCall(RouteExecutor.run, (intent, 0, theft)));
        succeeds = taken && input.balanceOf(THIEF) != 0;
    }

    function test_an_allowance_that_a_route_did_not_use_is_gone() public fails {
        HostileRoute hostile = _hostile(HostileRoute.bombOnSuccess.selector);
        uint256 half = AMOUNT_IN / 2;
        _send(
            _tradeOn(
                address(hostile),
                abi.encodeCall(HostileRoute.bombOnSuccess, (input, output, half, AMOUNT_OUT, 0))
            )
        );
        // What somebody's next trade brings here.
        input.mint(executor, half);
        try hostile.takeLater(input, executor, half) {} catch {}
        succeeds = input.balanceOf(address(hostile)) > half;
    }

    function test_a_router_that_trusts_any_callback_risks_its_own_trade_alone() public fails {
        CarelessRouter careless = new CarelessRouter();
        output.mint(address(careless), AMOUNT_OUT);
        _allow(address(careless), CarelessRouter.swap.selector);
        uint256 take = AMOUNT_IN - 100e18;
        _send(
            _tradeOn(
                address(careless),
                abi.encodeCall(CarelessRouter.swap, (input, output, take, AMOUNT_OUT))
            )
        );

        // Another trade, on an honest route, whose output has a hook.
        HookToken hooked = new HookToken();
        hooked.mint(address(route), AMOUNT_OUT);
        FakePool pool = new FakePool(careless, input, executor);
        hooked.setHook(pool);
        TradeIntent memory intent = _intent(address(input), address(hooked));
        intent.nonce = 1;
        _send(_certify(intent, _swapData(address(input), address(hooked), take, AMOUNT_OUT)));
        succeeds = input.balanceOf(address(pool)) != 0;
    }

    function test_money_that_was_due_anyway_is_no_output() public fails {
        Escrow escrow = new Escrow(output, OWNER);
        output.mint(address(escrow), AMOUNT_OUT);
        HostileRoute hostile = _hostile(HostileRoute.releaseDeposit.selector);
        succeeds = _send(
            _tradeOn(
                address(hostile),
                abi.encodeCall(HostileRoute.releaseDeposit, (input, AMOUNT_IN, escrow))
            )
        );
    }

    /*//////////////////////////////////////////////////////////////
                          SIGNATURES AND REPLAY
    //////////////////////////////////////////////////////////////*/

    function test_a_relayer_cannot_change_the_call_data() public fails {
        Trade memory trade = _trade();
        trade.routeCallData = _swapData(AMOUNT_IN, MIN_OUT);
        succeeds = _relay(trade);
    }

    function test_a_trade_from_before_a_fork_is_not_replayed_after_it() public fails {
        Trade memory trade = _trade();
        vm.chainId(block.chainid + 1);
        succeeds = _relay(trade);
    }

    function test_another_form_of_a_signature_is_no_other_trade() public fails {
        Trade memory trade = _trade();
        expect(_relay(trade), "the first time");
        trade.ownerSignature = upper(trade.ownerSignature);
        succeeds = _relay(trade);
    }

    function test_a_trade_is_not_replayed() public fails {
        Trade memory trade = _trade();
        expect(_relay(trade), "the first time");
        succeeds = _relay(trade);
    }

    function test_a_signature_that_recovers_to_nobody_owns_nothing() public fails {
        _allowRecipient(THIEF);
        address free = address(new FreeToken());
        TradeIntent memory intent = _intent(free, address(output));
        (intent.owner, intent.recipient) = (address(0), THIEF);
        Trade memory trade = _certify(intent, _swapData(free, address(output), 0, AMOUNT_OUT));
        trade.ownerSignature = new bytes(65);
        succeeds = _relay(trade);
    }

    function test_a_wallet_has_to_answer_with_the_magic_value() public fails {
        ScriptedWallet wallet = new ScriptedWallet();
        wallet.script(abi.encode(true), false);
        succeeds = _relay(_tradeOf(address(wallet)));
    }

    function test_a_wallet_cannot_act_while_it_is_asked() public fails {
        AskedWallet wallet = new AskedWallet();
        _relay(_tradeOf(address(wallet)));
        succeeds = wallet.asked() != 0;
    }

    function test_a_certificate_of_another_trade_serves_no_other() public fails {
        Trade memory trade = _trade();
        trade.intent.minAmountOut = 1;
        trade.ownerSignature = _sign(OWNER_KEY, _hashIntent(trade.intent));
        succeeds = _relay(trade);
    }

    function test_a_rotated_signer_certifies_nothing_after_the_overlap() public fails {
        vm.prank(ADMIN);
        guard.rotateSigner(STRANGER, 1 hours);
        vm.warp(START + 1 hours + 1);
        succeeds = _relay(_trade());
    }

    function test_nobody_else_certifies() public fails {
        Trade memory trade = _trade();
        _signCertificate(trade, THIEF_KEY);
        succeeds = _relay(trade);
    }

    function test_nobody_else_signs_for_the_owner() public fails {
        Trade memory trade = _trade();
        trade.ownerSignature = _sign(THIEF_KEY, trade.certificate.intentHash);
        succeeds = _relay(trade);
    }

    function test_nobody_else_sends_for_the_owner() public fails {
        succeeds = _sendAs(THIEF, _trade());
    }

    function test_a_stranger_cannot_spend_a_nonce() public fails {
        Trade memory trade = _trade();
        trade.ownerSignature = new bytes(65);
        _relay(trade);
        succeeds = guard.isNonceUsed(OWNER, trade.intent.nonce);
    }

    /// @dev The permit is also behind the arguments, for a guard that would take it from there.
    function test_a_permit_sent_ahead_by_a_stranger_spoils_no_trade() public fails {
        PermitToken token = new PermitToken();
        token.mint(OWNER, 2 * AMOUNT_IN);
        bool servedAlone = _relayWithPermit(token, 0, false);
        bool servedAfterTheStranger = _relayWithPermit(token, 1, true);
        expect(servedAlone || servedAfterTheStranger, "the permit itself is good");
        succeeds = !servedAfterTheStranger;
    }

    function _relayWithPermit(PermitToken token, uint256 nonce, bool sentAhead) private returns (bool done) {
        TradeIntent memory intent = _intent(address(token), address(output));
        intent.nonce = nonce;
        bytes memory data = _swapData(address(token), address(output), AMOUNT_IN, AMOUNT_OUT);
        (uint8 v, bytes32 r, bytes32 s) = vm.sign(OWNER_KEY, _permitDigest(token, intent.deadline));
        Trade memory trade = _certify(intent, data);
        // Behind a packed trade without a header, nothing stands that is not of the trade.
        bytes memory call =
            _packs() ? abi.encodeCall(guard.executeForPacked, (packTradeFor(trade))) : _relayerCall(trade);
        call = bytes.concat(call, abi.encode(v, r, s));
        if (sentAhead) {
            vm.prank(THIEF);
            token.permit(OWNER, address(guard), AMOUNT_IN, intent.deadline, v, r, s);
        }
        (done, ) = address(guard).call(call);
    }

    function _permitDigest(PermitToken token, uint256 deadline) private view returns (bytes32) {
        bytes32 typeHash = keccak256(
            "Permit(address owner,address spender,uint256 value,uint256 nonce,uint256 deadline)"
        );
        bytes32 permit = keccak256(
            abi.encode(typeHash, OWNER, address(guard), AMOUNT_IN, token.nonces(OWNER), deadline)
        );
        return keccak256(abi.encodePacked(hex"1901", token.DOMAIN_SEPARATOR(), permit));
    }

    /// @dev There is no weakness to show: anybody may relay, and what they relay is what the owner signed. A copy from the
    /// mempool does what the relayer's own would have done, and pays nobody else.
    function test_a_trade_relayed_early_by_a_stranger_pays_the_owner_the_same() public {
        Trade memory trade = _trade();
        expect(_relayAs(THIEF, trade), "the copy");
        expectEqual(output.balanceOf(OWNER), AMOUNT_OUT, "owner");
        expectEqual(output.balanceOf(THIEF), 0, "thief");
        expect(!_relay(trade), "the original comes too late");
    }

    /*//////////////////////////////////////////////////////////////
                                 TOKENS
    //////////////////////////////////////////////////////////////*/

    function test_a_fee_of_the_output_does_not_cut_into_the_minimum() public fails {
        FeeToken token = new FeeToken(1_000);
        token.mint(address(route), 1_000e18);
        TradeIntent memory intent = _intent(address(input), address(token));
        // The executor gets 900, which is enough, and the owner 810, which is not.
        succeeds = _send(_certify(intent, _swapData(address(input), address(token), AMOUNT_IN, 1_000e18)));
    }

    function test_a_fee_of_the_input_is_not_paid_from_what_lies_in_the_executor() public fails {
        FeeToken token = new FeeToken(100);
        _fund(address(token), OWNER, AMOUNT_IN);
        token.mint(executor, AMOUNT_IN);
        _send(_swap(address(token), address(output), AMOUNT_IN, AMOUNT_OUT));
        succeeds = token.balanceOf(executor) < AMOUNT_IN;
    }

    function test_an_input_that_says_no_is_not_traded() public fails {
        FalseReturningToken token = new FalseReturningToken();
        _fund(address(token), OWNER, AMOUNT_IN);
        token.breakDown(true);
        succeeds = _send(_swap(address(token), address(output), 0, AMOUNT_OUT));
    }

    function test_an_address_without_code_is_no_token() public fails {
        succeeds = _send(_swap(STRANGER, address(output), 0, AMOUNT_OUT));
    }

    /*//////////////////////////////////////////////////////////////
                               REENTRANCY
    //////////////////////////////////////////////////////////////*/

    function test_a_hook_of_the_input_does_not_get_in() public fails {
        succeeds = _hooked(true, false).succeeded();
    }

    function test_a_hook_of_the_output_does_not_get_in() public fails {
        succeeds = _hooked(false, false).succeeded();
    }

    function test_a_hook_does_not_trade_the_running_trade_again() public fails {
        succeeds = _hooked(true, true).succeeded();
    }

    function test_a_route_does_not_get_in() public fails {
        Trade memory inner = _tradeWith(7);
        OneCall accomplice = new OneCall();
        accomplice.tell(address(guard), _relayerCall(inner));
        _send(_tradeAround(accomplice, 0));
        succeeds = accomplice.succeeded();
    }

    function test_a_hook_reads_a_nonce_that_is_already_spent() public fails {
        (HookToken token, OneCall hook) = (new HookToken(), new OneCall());
        _fund(address(token), OWNER, AMOUNT_IN);
        token.setHook(hook);
        hook.tell(address(guard), abi.encodeCall(guard.isNonceUsed, (OWNER, 0)));
        _send(_swap(address(token), address(output), AMOUNT_IN, AMOUNT_OUT));
        succeeds = !abi.decode(hook.result(), (bool));
    }

    /// @dev A trade of a token whose hook relays another trade, or the same one.
    function _hooked(bool onInput, bool same) private returns (OneCall hook) {
        HookToken token = new HookToken();
        hook = new OneCall();
        (address from, address to) = onInput
            ? (address(token), address(output))
            : (address(input), address(token));
        if (onInput) _fund(from, OWNER, AMOUNT_IN * 2);
        else token.mint(address(route), AMOUNT_OUT * 2);
        token.setHook(hook);
        bytes memory data = _swapData(from, to, AMOUNT_IN, AMOUNT_OUT);
        Trade memory outer = _certify(_intent(from, to), data);
        TradeIntent memory intent = _intent(from, to);
        intent.nonce = 7;
        hook.tell(address(guard), _relayerCall(same ? outer : _certify(intent, data)));
        _send(outer);
    }

    /*//////////////////////////////////////////////////////////////
                           ROUTES AND RECIPIENTS
    //////////////////////////////////////////////////////////////*/

    function test_a_route_has_to_be_listed() public fails {
        HonestRoute other = new HonestRoute();
        output.mint(address(other), AMOUNT_OUT);
        succeeds = _send(_tradeOn(address(other), _swapData(AMOUNT_IN, AMOUNT_OUT)));
    }

    function test_a_token_of_the_trade_as_route_leaves_no_allowance_behind() public fails {
        _fund(address(input), THIEF, AMOUNT_IN);
        _allow(address(input), IERC20.approve.selector);
        TradeIntent memory intent = _intent(address(input), address(new FakeOutput(input, executor, THIEF)));
        (intent.owner, intent.recipient, intent.route) = (THIEF, THIEF, address(input));
        _send(_certify(intent, abi.encodeCall(IERC20.approve, (THIEF, type(uint256).max))));
        succeeds = input.allowance(executor, THIEF) != 0;
    }

    function test_guard_executor_and_permit2_are_never_listed() public fails {
        address[3] memory targets = [address(guard), executor, 0x000000000022D473030F116dDEE9F6B43aC78BA3];
        for (uint256 i; i < targets.length; ++i) {
            vm.prank(ADMIN);
            try guard.allowRoute(targets[i], 0x12345678) {} catch {}
            succeeds = succeeds || guard.isRouteAllowed(targets[i], 0x12345678);
        }
    }

    function test_a_listed_function_does_not_stand_for_another() public fails {
        HostileRoute hostile = _hostile(HostileRoute.payElsewhere.selector);
        Trade memory trade = _tradeOn(
            address(hostile),
            abi.encodeCall(HostileRoute.bombOnSuccess, (input, output, AMOUNT_IN, AMOUNT_OUT, 0))
        );
        trade.intent.selector = HostileRoute.payElsewhere.selector;
        _certifyAgain(trade);
        succeeds = _send(trade);
    }

    function test_call_data_below_a_selector_reaches_no_fallback() public fails {
        FallbackRoute falling = new FallbackRoute(output);
        output.mint(address(falling), AMOUNT_OUT);
        _allow(address(falling), 0xaabbcc00);
        succeeds = _send(_tradeOn(address(falling), hex"aabbcc"));
    }

    function test_neither_guard_nor_executor_is_a_recipient() public fails {
        Trade memory trade = _tradeTo(address(guard));
        succeeds = _send(trade);
        expectEqual(output.balanceOf(executor), 0, "nor the executor");
    }

    function test_a_token_of_the_trade_is_no_recipient() public fails {
        _allowRecipient(address(output));
        Trade memory trade = _tradeTo(address(output));
        succeeds = _send(trade);
    }

    /// @dev The route pays its caller the minimum, and the rest to the one that was the executor when this was prepared.
    function test_a_trade_prepared_for_a_past_executor_leaves_nothing_there() public fails {
        HostileRoute hostile = _hostile(HostileRoute.payTwo.selector);
        Trade memory trade = _tradeOn(
            address(hostile),
            abi.encodeCall(
                HostileRoute.payTwo,
                (input, output, AMOUNT_IN, MIN_OUT, AMOUNT_OUT - MIN_OUT, executor)
            )
        );
        vm.prank(ADMIN);
        guard.renewExecutor(NO_SEEDS);
        _send(trade);
        succeeds = output.balanceOf(executor) != 0;
    }

    function test_a_megabyte_of_return_data_is_not_copied() public fails {
        HostileRoute hostile = _hostile(HostileRoute.bombOnSuccess.selector);
        Trade memory trade = _tradeOn(
            address(hostile),
            abi.encodeCall(HostileRoute.bombOnSuccess, (input, output, AMOUNT_IN, AMOUNT_OUT, 1 << 20))
        );
        uint256 before = gasleft();
        expect(_send(trade), "it trades");
        // The route itself pays 2.2 million for so much memory.
        succeeds = before - gasleft() > 3_000_000;
    }

    /*//////////////////////////////////////////////////////////////
                            BOUNDS AND SWITCHES
    //////////////////////////////////////////////////////////////*/

    function test_a_trade_without_a_minimum_is_refused() public fails {
        TradeIntent memory intent = _intent();
        intent.minAmountOut = 0;
        succeeds = _send(_certify(intent, _swapData(AMOUNT_IN, 0)));
    }

    function test_a_trade_after_its_deadline_is_refused() public fails {
        Trade memory trade = _trade();
        trade.intent.deadline = START + 100;
        _certifyAgain(trade);
        vm.warp(START + 101);
        succeeds = _relay(trade);
    }

    function test_an_expired_certificate_is_refused() public fails {
        Trade memory trade = _trade();
        vm.warp(trade.certificate.expiresAt + 1);
        succeeds = _relay(trade);
    }

    function test_a_certificate_before_its_time_is_refused() public fails {
        Trade memory trade = _trade();
        vm.warp(START - 1);
        succeeds = _relay(trade);
    }

    function test_nothing_trades_while_paused() public fails {
        vm.prank(PAUSER);
        guard.pause();
        succeeds = _relay(_trade());
    }

    function test_native_coin_sent_by_mistake_comes_back() public fails {
        vm.deal(OWNER, 1 ether);
        vm.prank(OWNER);
        (succeeds, ) = address(guard).call{value: 1 ether}("");
    }

    /*//////////////////////////////////////////////////////////////
                                 HELPERS
    //////////////////////////////////////////////////////////////*/

    function _hostile(bytes4 selector) private returns (HostileRoute hostile) {
        hostile = new HostileRoute();
        output.mint(address(hostile), 1_000_000e18);
        _allow(address(hostile), selector);
    }

    function _tradeOf(address owner) private returns (Trade memory) {
        _fund(address(input), owner, AMOUNT_IN);
        return _tradeOwnedBy(owner);
    }

    function _relay(Trade memory trade) private returns (bool) {
        return _relayAs(STRANGER, trade);
    }

    function _relayAs(address sender, Trade memory trade) private returns (bool success) {
        (success, ) = _try(sender, _relayerCall(trade));
    }

    function _send(Trade memory trade) private returns (bool) {
        return _sendAs(trade.intent.owner, trade);
    }

    function _sendAs(address sender, Trade memory t) private returns (bool success) {
        // The packed form names no owner: its sender is the owner.
        (success, ) = _try(sender, sender == t.intent.owner ? _ownerCall(t) : _readableCall(t));
    }
}
