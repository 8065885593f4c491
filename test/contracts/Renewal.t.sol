// SPDX-License-Identifier: MIT
pragma solidity 0.8.35;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {ITradeGuard, TradeIntent} from "../../contracts/ITradeGuard.sol";
import {RouteExecutor} from "../../contracts/RouteExecutor.sol";
import {ReentrancyGuardTransient} from "@openzeppelin/contracts/utils/ReentrancyGuardTransient.sol";
import {OPERATOR} from "../support/contracts/Roles.sol";
import {executorAt} from "../support/contracts/Executors.sol";
import {GuardFixture, Trade} from "../support/contracts/GuardFixture.sol";
import {vm} from "../support/contracts/Vm.sol";
import {TradeGuard} from "../../contracts/TradeGuard.sol";
import {BlockingToken} from "../support/contracts/tokens/OddTokens.sol";

/// @dev An operator that is a route as well: in the middle of a trade it renews the executor.
contract RenewingRoute {
    TradeGuard private immutable GUARD;

    constructor(TradeGuard guard) {
        GUARD = guard;
    }

    function swap(IERC20 input, IERC20 output, uint256 take, uint256 give) external {
        GUARD.renewExecutor(new address[](0));
        input.transferFrom(msg.sender, address(this), take);
        output.transfer(msg.sender, give);
    }
}

/// @dev A fresh executor: which it is, what ends with the one before, and what can never be listed because of it.
contract RenewalTest is GuardFixture {
    bytes32 private constant SIGNER_SLOT = bytes32(uint256(3));
    bytes4 private constant SELECTOR = 0x12345678;
    uint256 private constant EXECUTORS = 256;

    function _renew() private returns (address renewed) {
        vm.prank(ADMIN);
        guard.renewExecutor(NO_SEEDS);
        renewed = guard.executor();
    }

    /*//////////////////////////////////////////////////////////////
                              THE EXECUTORS
    //////////////////////////////////////////////////////////////*/

    function test_the_first_executor_stands_where_its_number_puts_it() public view {
        expectEqual(executor, executorAt(address(guard), 0), "number 0");
    }

    function test_a_renewal_deploys_a_fresh_copy_of_the_same_code_and_uses_it() public {
        for (uint256 number = 1; number < 4; ++number) {
            address renewed = _renew();
            expectEqual(renewed, executorAt(address(guard), number), "the next number");
            expectEqual(keccak256(renewed.code), keccak256(executor.code), "the same code");
        }
        address latest = guard.executor();
        vm.warp(START + 1);
        executor = latest;
        _execute(_trade());
        expectEqual(output.balanceOf(OWNER), AMOUNT_OUT, "received");
        _expectNothingLeft(address(input), address(route), 0);
    }

    function test_a_renewal_tells_both_executors_and_the_number() public {
        for (uint256 number = 1; number < 3; ++number) {
            vm.expectEmit(address(guard));
            emit ITradeGuard.ExecutorRenewed(
                executorAt(address(guard), number - 1),
                executorAt(address(guard), number),
                number
            );
            vm.prank(ADMIN);
            guard.renewExecutor(NO_SEEDS);
        }
    }

    function test_a_renewal_hands_a_unit_of_each_token_on_and_no_more() public {
        BlockingToken blocking = new BlockingToken();
        address[4] memory tokens = [address(input), address(blocking), address(output), STRANGER];
        address[] memory seeds = new address[](tokens.length);
        for (uint256 i; i < tokens.length; ++i) seeds[i] = tokens[i];
        input.mint(executor, 5);
        blocking.mint(executor, 5);
        blocking.blockAccount(executor, true);
        vm.prank(ADMIN);
        guard.renewExecutor(seeds);

        address renewed = guard.executor();
        expectEqual(input.balanceOf(renewed), 1, "a unit");
        expectEqual(input.balanceOf(executor), 4, "and no more");
        expectEqual(blocking.balanceOf(executor), 5, "what is blocked stays");
        expectEqual(output.balanceOf(renewed), 0, "what is not there, too");
    }

    function test_nobody_but_the_guard_has_a_past_executor_hand_anything_on() public {
        input.mint(executor, 5);
        address[] memory seeds = new address[](1);
        seeds[0] = address(input);
        address[3] memory callers = [ADMIN, PAUSER, STRANGER];
        for (uint256 i; i < callers.length; ++i) {
            vm.prank(callers[i]);
            vm.expectRevert(_reason(ITradeGuard.NotGuard.selector, callers[i]));
            RouteExecutor(executor).seed(seeds, callers[i]);
        }
        expectEqual(input.balanceOf(executor), 5, "all of it");
    }

    function testFuzz_nobody_but_the_admin_renews(address caller) public {
        vm.assume(caller != ADMIN);
        vm.prank(caller);
        vm.expectRevert(_unauthorized(caller));
        guard.renewExecutor(NO_SEEDS);
        expectEqual(guard.executor(), executor, "the same");
    }

    function test_there_are_256_executors_and_no_more() public {
        // As after 254 renewals.
        bytes32 slot = vm.load(address(guard), SIGNER_SLOT);
        vm.store(address(guard), SIGNER_SLOT, slot | bytes32(uint256(254) << 168));
        expectEqual(guard.executor(), executorAt(address(guard), 254), "the last but one");
        vm.etch(guard.executor(), executor.code);
        expectEqual(_renew(), executorAt(address(guard), 255), "the last");
        vm.prank(ADMIN);
        vm.expectRevert(_reason(ITradeGuard.NoExecutorLeft.selector));
        guard.renewExecutor(NO_SEEDS);
        expectEqual(guard.executor(), executorAt(address(guard), 255), "which stays");
    }

    /*//////////////////////////////////////////////////////////////
                         TRADES FOR THE ONE BEFORE
    //////////////////////////////////////////////////////////////*/

    function test_a_trade_prepared_for_the_executor_before_is_refused_by_name_and_loses_nothing() public {
        Trade memory trade = _trade();
        uint256 held = input.balanceOf(OWNER);
        vm.warp(START + 5);
        _renew();
        vm.warp(START + 60);

        bytes memory refused = _reason(ITradeGuard.CertificateBeforeExecutor.selector, START, START + 6);
        _expectBothRevert(trade, refused);
        expectEqual(input.balanceOf(OWNER), held, "nothing was sold");
        expect(!guard.isNonceUsed(OWNER, 0), "the nonce is free");
    }

    function test_whoever_sends_it_a_trade_from_before_a_renewal_is_refused() public {
        Trade memory trade = _trade();
        address pending = account("pending");
        vm.startPrank(ADMIN);
        guard.renewExecutor(NO_SEEDS);
        manager.grantRole(OPERATOR, pending, 1 days);
        guard.rotateSigner(STRANGER, 1 hours);
        vm.stopPrank();
        address[6] memory senders = [ADMIN, PAUSER, ATTESTOR, STRANGER, pending, OWNER];
        for (uint256 i; i < senders.length; ++i) {
            vm.expectRevert(_reason(ITradeGuard.CertificateBeforeExecutor.selector, START, START + 1));
            _executeForAs(senders[i], trade);
        }
    }

    function test_certificates_count_from_the_second_after_a_renewal() public {
        vm.warp(START + 5);
        executor = _renew();
        for (uint64 issuedAt = uint64(START); issuedAt < START + 10; ++issuedAt) {
            vm.warp(START + 10);
            Trade memory trade = _tradeWith(issuedAt);
            trade.certificate.issuedAt = issuedAt;
            _signCertificate(trade, ATTESTOR_KEY);
            if (issuedAt < START + 6)
                vm.expectRevert(
                    _reason(ITradeGuard.CertificateBeforeExecutor.selector, uint256(issuedAt), START + 6)
                );
            _execute(trade);
        }
        expectEqual(output.balanceOf(OWNER), 4 * AMOUNT_OUT, "those of the last four seconds");
    }

    function test_without_a_renewal_every_beginning_of_a_window_counts() public {
        Trade memory trade = _trade();
        trade.certificate.issuedAt = 0;
        _signCertificate(trade, ATTESTOR_KEY);
        _execute(trade);
        expectEqual(output.balanceOf(OWNER), AMOUNT_OUT, "received");
    }

    function test_a_late_certificate_for_the_executor_before_brings_no_output() public {
        _renew();
        vm.warp(START + 1);
        // The route data names the one before still.
        _expectBothRevert(_trade(), _reason(ITradeGuard.OutputBelowMinimum.selector, 0, MIN_OUT));
    }

    function test_no_executor_is_renewed_inside_of_a_trade() public {
        RenewingRoute renewing = new RenewingRoute(guard);
        _allow(address(renewing), RenewingRoute.swap.selector);
        vm.prank(ADMIN);
        manager.grantRole(OPERATOR, address(renewing), 0);
        bytes memory reason = _reason(ReentrancyGuardTransient.ReentrancyGuardReentrantCall.selector);
        _expectBothRevert(
            _tradeOn(
                address(renewing),
                abi.encodeCall(RenewingRoute.swap, (input, output, AMOUNT_IN, AMOUNT_OUT))
            ),
            _reason(ITradeGuard.RouteFailed.selector, address(renewing), reason)
        );
    }

    /*//////////////////////////////////////////////////////////////
                       WHAT IS NEVER ON A LIST
    //////////////////////////////////////////////////////////////*/

    function test_no_executor_past_present_or_future_is_ever_a_route_or_recipient() public {
        _renew();
        vm.startPrank(ADMIN);
        for (uint256 number; number < EXECUTORS; ++number) {
            address account = executorAt(address(guard), number);
            vm.expectRevert(_reason(ITradeGuard.InvalidRoute.selector, account, SELECTOR));
            guard.allowRoute(account, SELECTOR);
            vm.expectRevert(_reason(ITradeGuard.InvalidRecipient.selector, account));
            guard.allowRecipient(account);
        }
        // What can never become one may be listed.
        guard.allowRecipient(executorAt(address(guard), EXECUTORS));
        guard.allowRoute(executorAt(address(guard), EXECUTORS), SELECTOR);
        vm.stopPrank();
    }

    /*//////////////////////////////////////////////////////////////
                          WHAT IT IS GOOD FOR
    //////////////////////////////////////////////////////////////*/

    function test_a_renewal_leaves_an_issuers_block_behind() public {
        BlockingToken token = new BlockingToken();
        _fund(address(token), OWNER, AMOUNT_IN);
        token.blockAccount(executor, true);
        executor = _renew();
        vm.warp(START + 1);
        _execute(_swap(address(token), address(output), AMOUNT_IN, AMOUNT_OUT));
        expectEqual(output.balanceOf(OWNER), AMOUNT_OUT, "received");
    }

    function test_a_past_executor_trades_for_nobody_and_its_allowances_can_be_cleared() public {
        vm.prank(executor);
        input.approve(STRANGER, 7);
        address renewed = _renew();
        expectEqual(input.allowance(renewed, STRANGER), 0, "the fresh one allows nothing");

        TradeIntent memory intent = _intent();
        vm.prank(renewed);
        vm.expectRevert(_reason(ITradeGuard.NotGuard.selector, renewed));
        RouteExecutor(executor).run(intent, 0, "");

        vm.prank(STRANGER);
        RouteExecutor(executor).clearAllowance(address(input), STRANGER);
        expectEqual(input.allowance(executor, STRANGER), 0, "cleared");
    }
}
