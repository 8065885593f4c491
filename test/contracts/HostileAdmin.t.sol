// SPDX-License-Identifier: MIT
pragma solidity 0.8.35;

import {IERC20Errors} from "@openzeppelin/contracts/interfaces/draft-IERC6093.sol";
import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {ITradeGuard, TradeIntent} from "../../contracts/ITradeGuard.sol";
import {RouteExecutor} from "../../contracts/RouteExecutor.sol";
import {GuardFixture, Trade} from "../support/contracts/GuardFixture.sol";
import {ADMIN_ROLE, OPERATOR, PAUSER_ROLE} from "../support/contracts/Roles.sol";
import {vm} from "../support/contracts/Vm.sol";
import {FakeOutput, FreeToken} from "../support/contracts/tokens/FakeTokens.sol";
import {HookToken, ITransferHook} from "../support/contracts/tokens/OddTokens.sol";

/// @dev Takes what the executor holds, in the middle of somebody's trade, through an allowance got by a trick.
contract Accomplice is ITransferHook {
    IERC20 private immutable TOKEN;
    address private immutable EXECUTOR;

    constructor(IERC20 token, address executor) {
        (TOKEN, EXECUTOR) = (token, executor);
    }

    function onTransfer(address, address, uint256) external {
        TOKEN.transferFrom(EXECUTOR, address(this), TOKEN.balanceOf(EXECUTOR));
    }
}

/// @dev An output that appears in the executor as soon as a thief has real tokens. It makes a trade whose route is
/// `transferFrom` of that token look good.
contract MirrorOutput {
    IERC20 private immutable REAL;
    address private immutable EXECUTOR;
    address private immutable THIEF;
    bool private _sent;

    constructor(IERC20 real, address executor, address thief) {
        (REAL, EXECUTOR, THIEF) = (real, executor, thief);
    }

    function balanceOf(address account) external view returns (uint256) {
        return account == EXECUTOR || _sent ? REAL.balanceOf(THIEF) : 0;
    }

    function transfer(address, uint256) external returns (bool) {
        _sent = true;
        return true;
    }
}

/// @dev The admin key and the attestation key are in one hostile hand, which lists what it likes and certifies what it
/// likes. The victim has approved the guard without limit and signs nothing, or signs an honest trade.
contract HostileAdminTest is GuardFixture {
    uint256 private constant HOSTILE_KEY = uint256(keccak256("hostile"));
    address private immutable HOSTILE = vm.addr(HOSTILE_KEY);
    FreeToken private free;

    function setUp() public override {
        super.setUp();
        free = new FreeToken();
        vm.prank(OWNER);
        input.approve(address(guard), type(uint256).max);
        vm.startPrank(ADMIN);
        guard.rotateSigner(HOSTILE, 0);
        _handOver(HOSTILE);
        vm.stopPrank();
    }

    function _handOver(address to) private {
        manager.grantRole(OPERATOR, to, 0);
        manager.grantRole(PAUSER_ROLE, to, 0);
        manager.grantRole(ADMIN_ROLE, to, 0);
    }

    function test_a_token_listed_as_a_route_moves_nothing_of_those_who_approved_the_guard() public {
        _list(address(input), IERC20.transferFrom.selector);
        Trade memory trade = _hostileTrade(
            address(free),
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
        bytes[4] memory datas = [
            abi.encodeCall(IERC20.transferFrom, (OWNER, HOSTILE, amount)),
            abi.encodeCall(IERC20.transfer, (HOSTILE, amount)),
            abi.encodeCall(IERC20.approve, (HOSTILE, amount)),
            abi.encodeWithSelector(selector, OWNER, HOSTILE, amount)
        ];
        bytes memory data = datas[kind % 4];
        vm.assume(bytes4(data) != 0 && bytes4(data) != input.mint.selector);
        _list(address(input), bytes4(data));
        uint256 held = input.balanceOf(OWNER);
        address fake = address(new FakeOutput(input, executor, HOSTILE));
        Trade memory trade = _hostileTrade(address(free), fake, data);

        bytes memory call = _ownerCall(trade);
        (bool success, ) = _try(HOSTILE, call);
        success;

        expectEqual(input.balanceOf(OWNER), held, "the victim's balance");
        expectEqual(input.balanceOf(HOSTILE), 0, "the thief's balance");
        vm.prank(HOSTILE);
        vm.expectRevert();
        input.transferFrom(OWNER, HOSTILE, 1);
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
        _executeFor(trade);

        vm.prank(HOSTILE);
        vm.expectRevert(_reason(ITradeGuard.NotOwner.selector, HOSTILE, OWNER));
        guard.execute(trade.intent, trade.certificate, trade.certificateSignature, trade.routeCallData);
    }

    function test_neither_the_guard_nor_the_executor_can_be_listed() public {
        address[2] memory targets = [address(guard), executor];
        for (uint256 i; i < 2; ++i) {
            vm.prank(HOSTILE);
            vm.expectRevert(_reason(ITradeGuard.InvalidRoute.selector, targets[i], guard.execute.selector));
            guard.allowRoute(targets[i], guard.execute.selector);
        }
    }

    function test_an_allowance_tricked_out_of_the_executor_takes_nothing_between_trades() public {
        _trickAllowance(input, HOSTILE);
        Trade memory honest = _honestTrade(AMOUNT_IN);
        _execute(honest);

        expectEqual(output.balanceOf(OWNER), AMOUNT_OUT, "the owner receives all");
        expectEqual(input.balanceOf(executor), 0, "and there is nothing to take");
    }

    function test_an_allowance_tricked_out_of_the_executor_stays_within_the_bounds_of_an_honest_trade()
        public
    {
        // The worst case: the output has a hook in which the accomplice takes the input that the route left.
        HookToken hooked = new HookToken();
        hooked.mint(address(route), AMOUNT_OUT);
        Accomplice accomplice = new Accomplice(input, executor);
        _trickAllowance(input, address(accomplice));
        hooked.setHook(accomplice);
        uint256 held = input.balanceOf(OWNER);
        Trade memory trade = _swap(address(input), address(hooked), AMOUNT_IN - 100e18, AMOUNT_OUT);
        _signCertificate(trade, HOSTILE_KEY);

        _execute(trade);

        expect(held - input.balanceOf(OWNER) <= AMOUNT_IN, "at most the signed amount");
        expect(hooked.balanceOf(OWNER) >= MIN_OUT, "at least the signed minimum");
    }

    /// @dev Property 7 is about everybody else: the holder of the admin key can list the token.
    function test_a_stray_approval_of_the_executor_is_drained_by_an_admin_who_lists_the_token() public {
        vm.prank(OWNER);
        input.approve(executor, 5e18);
        _list(address(input), IERC20.transferFrom.selector);
        address mirror = address(new MirrorOutput(input, executor, HOSTILE));
        Trade memory trade = _hostileTrade(
            address(free),
            mirror,
            abi.encodeCall(IERC20.transferFrom, (OWNER, HOSTILE, 5e18))
        );

        _execute(trade);

        expectEqual(input.balanceOf(HOSTILE), 5e18, "taken");
        expectEqual(input.allowance(OWNER, executor), 0, "the stray approval, and no more");
    }

    function test_a_poisoned_executor_outlives_the_thief_until_anyone_clears_the_allowance() public {
        HookToken hooked = new HookToken();
        hooked.mint(address(route), 2 * AMOUNT_OUT);
        Accomplice accomplice = new Accomplice(input, executor);
        _trickAllowance(input, address(accomplice));
        hooked.setHook(accomplice);
        // All else is put right again: nothing of it shows in what the guard tells of itself.
        vm.startPrank(HOSTILE);
        guard.disallowRoute(address(input), IERC20.approve.selector);
        guard.rotateSigner(ATTESTOR, 0);
        _handOver(ADMIN);
        vm.stopPrank();

        _execute(_partTrade(address(hooked), 0));
        expectEqual(input.balanceOf(address(accomplice)), 100e18, "the refund of an honest trade");

        vm.prank(STRANGER);
        RouteExecutor(executor).clearAllowance(address(input), address(accomplice));
        expectEqual(input.allowance(executor, address(accomplice)), 0, "cleared");
        hooked.setHook(ITransferHook(address(0)));
        uint256 held = input.balanceOf(OWNER);
        _execute(_partTrade(address(hooked), 1));
        expectEqual(held - input.balanceOf(OWNER), AMOUNT_IN - 100e18, "and the refund is the owner's again");
        input.mint(executor, 1);
        vm.expectRevert();
        accomplice.onTransfer(address(0), address(0), 0);
    }

    /// @dev It leaves a tenth of the input in the executor, to be refunded.
    function _partTrade(address to, uint256 nonce) private view returns (Trade memory) {
        TradeIntent memory intent = _intent(address(input), to);
        intent.nonce = nonce;
        return _certify(intent, _swapData(address(input), to, AMOUNT_IN - 100e18, AMOUNT_OUT));
    }

    function test_no_admin_function_is_left_that_moves_a_token() public {
        input.mint(executor, 5);
        input.mint(address(guard), 7);
        vm.startPrank(HOSTILE);
        guard.pause();
        guard.unpause();
        guard.endOverlap();
        guard.allowRecipient(HOSTILE);
        guard.allowRoute(HOSTILE, 0x12345678);
        guard.rotateSigner(HOSTILE, 1 hours);
        vm.stopPrank();

        expectEqual(input.balanceOf(executor), 5, "executor");
        expectEqual(input.balanceOf(address(guard)), 7, "guard");
        expectEqual(input.balanceOf(HOSTILE), 0, "admin");
    }

    /// @dev Makes the executor approve the accomplice, by a trade of the hostile admin with worthless tokens.
    function _trickAllowance(IERC20 token, address accomplice) private {
        _list(address(token), IERC20.approve.selector);
        address fake = address(new FakeOutput(token, executor, accomplice));
        Trade memory trade = _hostileTrade(
            address(free),
            fake,
            abi.encodeCall(IERC20.approve, (accomplice, type(uint256).max))
        );
        _execute(trade);
        expectEqual(token.allowance(executor, accomplice), type(uint256).max, "the trick works");
    }

    function _hostileTrade(
        address from,
        address to,
        bytes memory data
    ) private view returns (Trade memory trade) {
        TradeIntent memory intent = _intent(from, to);
        (intent.owner, intent.recipient, intent.minAmountOut) = (HOSTILE, HOSTILE, 1);
        intent.route = address(input);
        trade = _certify(intent, data);
        _signCertificate(trade, HOSTILE_KEY);
    }

    function _honestTrade(uint256 take) private view returns (Trade memory trade) {
        trade = _swap(take, AMOUNT_OUT);
        _signCertificate(trade, HOSTILE_KEY);
    }

    function _list(address target, bytes4 selector) private {
        vm.prank(HOSTILE);
        guard.allowRoute(target, selector);
    }
}
