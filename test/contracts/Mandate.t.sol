// SPDX-License-Identifier: MIT
pragma solidity 0.8.35;

import {Errors} from "@openzeppelin/contracts/utils/Errors.sol";
import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {ITradeGuard} from "../../contracts/ITradeGuard.sol";
import {IMandateModule, Mandate, Stock} from "../../contracts/IMandateModule.sol";
import {MandateFixture} from "../support/contracts/MandateFixture.sol";
import {IWallet} from "../support/contracts/Safes.sol";
import {Trade} from "../support/contracts/Trades.sol";
import {vm} from "../support/contracts/Vm.sol";
import {
    FalseReturningToken,
    ReturningToken,
    StickyToken,
    ZeroApprovalRefusingToken
} from "../support/contracts/tokens/OddTokens.sol";

/// @dev Refuses every approval without giving a reason.
contract MuteToken is ReturningToken {
    function _approve(address, uint256) internal pure override {
        revert();
    }
}

/// @dev Every rule of a mandate and every error with its values, on a Safe 1.4.1 of the published bytecode.
contract MandateTest is MandateFixture {
    /*//////////////////////////////////////////////////////////////
                          GRANTING AND REVOKING
    //////////////////////////////////////////////////////////////*/

    function test_one_transaction_makes_a_safe_that_has_granted_a_mandate() public {
        uint256 before = vm.snapshotState();
        IWallet made = _createSafeFor(AGENT, _mandate(), 1);
        vm.revertToState(before);
        vm.expectEmit(address(module));
        emit IMandateModule.MandateGranted(address(made), AGENT, _mandate());
        expectEqual(address(_createSafeFor(AGENT, _mandate(), 1)), address(made), "the Safe");
        expect(made.isModuleEnabled(address(module)), "the module is enabled");
        expectEqual(made.getOwners().length, 1, "owners");
        expectEqual(made.getOwners()[0], OWNER, "owner");
        _expectMandate(made, _mandate());
        expectEqual(address(module.GUARD()), address(guard), "the guard");
    }

    function test_the_setup_does_nothing_but_enable_and_grant() public {
        Mandate memory mandate = _mandate();
        vm.expectRevert("");
        mandateSetup.enableAndGrant(module, AGENT, mandate);
        expectEqual(module.mandateOf(address(mandateSetup), AGENT).expiresAt, 0, "nothing granted");
    }

    function test_a_safe_grants_by_its_owners_transaction_in_place_of_the_mandate_before() public {
        Mandate memory next = _mandate();
        (next.perTrade, next.perDay, next.budget, next.revoker) = (1, 2, 3, STRANGER);
        next.settlementToken = address(otherStock);
        next.stocks = new Stock[](1);
        next.stocks[0] = Stock(address(output), 4);
        next.policies = new bytes32[](0);
        vm.expectEmit(address(module));
        emit IMandateModule.MandateGranted(address(safe), AGENT, next);
        _fromSafe(address(module), abi.encodeCall(module.grant, (AGENT, next)));
        _expectMandate(safe, next);
    }

    function _expectMandate(IWallet wallet, Mandate memory expected) private view {
        Mandate memory granted = module.mandateOf(address(wallet), AGENT);
        expectEqual(keccak256(abi.encode(granted)), keccak256(abi.encode(expected)), "the mandate");
    }

    function test_neither_nobody_nor_the_safe_itself_is_an_agent() public {
        address[2] memory agents = [address(0), address(safe)];
        for (uint256 i; i < 2; ++i) {
            vm.expectRevert(_reason(IMandateModule.InvalidAgent.selector, agents[i]));
            _grantTo(agents[i], _mandate());
        }
    }

    function test_a_mandate_that_has_ended_is_not_granted() public {
        Mandate memory mandate = _mandate();
        uint256[3] memory ends = [uint256(0), 1, block.timestamp - 1];
        for (uint256 i; i < 3; ++i) {
            mandate.expiresAt = uint64(ends[i]);
            vm.expectRevert(_reason(IMandateModule.MandateExpired.selector, ends[i]));
            _grant(mandate);
        }
        mandate.expiresAt = uint64(block.timestamp);
        _grant(mandate);
        _send(_buy(1e18));
    }

    function test_a_mandate_names_64_stocks_and_16_policies_at_most_and_the_last_of_them_count() public {
        uint256[2][2] memory tooLong = [[uint256(65), 16], [uint256(64), 17]];
        for (uint256 i; i < 2; ++i) {
            Mandate memory refused = _mandateWith(tooLong[i][0], tooLong[i][1]);
            vm.expectRevert(_reason(IMandateModule.ListTooLong.selector, tooLong[i][0], tooLong[i][1]));
            _grant(refused);
        }
        _grant(_mandateWith(64, 16));
        _send(_buy(1e18));
        // A shorter list leaves nothing of the longer one behind.
        _grant(_mandateWith(1, 1));
        _grant(_mandateWith(2, 0));
        _refused(_buy(1e18), _reason(IMandateModule.PolicyNotGranted.selector, POLICY));
    }

    /// @dev What trades stands last in each list.
    function _mandateWith(uint256 stocks, uint256 policies) private view returns (Mandate memory mandate) {
        mandate = _mandate();
        mandate.stocks = new Stock[](stocks);
        mandate.stocks[stocks - 1] = Stock(address(output), SELLABLE);
        mandate.policies = new bytes32[](policies);
        if (policies != 0) mandate.policies[policies - 1] = POLICY;
    }

    function test_the_safe_and_the_revoker_revoke_at_once_and_nobody_else() public {
        address[2] memory revokers = [address(safe), REVOKER];
        for (uint256 i; i < 2; ++i) {
            _grant(_mandate());
            _send(_buy(1e18));
            vm.expectEmit(address(module));
            emit IMandateModule.MandateRevoked(address(safe), AGENT, revokers[i]);
            _revokeBy(revokers[i]);
            _refused(_buy(1e18), _noMandate(AGENT));
            expectEqual(module.mandateOf(address(safe), AGENT).expiresAt, 0, "there is none");
        }
        _grant(_mandate());
        address[6] memory others = [AGENT, OWNER, STRANGER, ATTESTOR, ADMIN, address(guard)];
        for (uint256 i; i < 6; ++i) _expectNotRevoker(others[i]);
        _send(_buy(1e18));
    }

    function test_without_a_revoker_the_safe_alone_revokes() public {
        Mandate memory mandate = _mandate();
        mandate.revoker = address(0);
        _grant(mandate);
        _expectNotRevoker(REVOKER);
        _fromSafe(address(module), abi.encodeCall(module.revoke, (address(safe), AGENT)));
        _refused(_buy(1e18), _noMandate(AGENT));
    }

    function _expectNotRevoker(address caller) private {
        vm.expectRevert(_reason(IMandateModule.NotRevoker.selector, caller));
        _revokeBy(caller);
    }

    function test_mandates_of_other_agents_and_safes_are_others() public {
        IWallet other = _createSafeFor(STRANGER, _mandate(), 1);
        Trade memory t = _buy(1e18);
        _refusedAs(STRANGER, t, _noMandate(STRANGER));
        vm.prank(address(other));
        module.revoke(address(other), STRANGER);
        _grantTo(STRANGER, _mandate());
        for (uint256 i; i < 2; ++i) _send(_buy(PER_TRADE));
        _sendAs(STRANGER, t);
        expectEqual(_spent(), 2 * PER_TRADE, "of the agent");
        expectEqual(_spentBy(STRANGER), 1e18, "of the other");
        vm.prank(REVOKER);
        module.revoke(address(safe), STRANGER);
        _send(_buy(1e18));
    }

    /*//////////////////////////////////////////////////////////////
                         WHO MAY TRADE, AND WHAT
    //////////////////////////////////////////////////////////////*/

    function test_either_policy_serves() public {
        _send(_buyBy(OTHER_POLICY));
        bytes32 third = keccak256("a third");
        _refused(_buyBy(third), _reason(IMandateModule.PolicyNotGranted.selector, third));
    }

    function _buyBy(bytes32 policyHash) private returns (Trade memory t) {
        t = _buy(1e18);
        t.intent.policyHash = policyHash;
        _certifyAgain(t);
    }

    function test_the_last_second_of_a_mandate_trades_and_the_next_does_not() public {
        vm.warp(EXPIRES_AT);
        _send(_buy(1e18));
        vm.warp(EXPIRES_AT + 1);
        _refused(_buy(1e18), _reason(IMandateModule.MandateExpired.selector, EXPIRES_AT));
    }

    function test_the_output_goes_to_the_safe_alone() public {
        address[6] memory recipients = [AGENT, OWNER, address(module), address(guard), executor, address(0)];
        for (uint256 i; i < recipients.length; ++i) {
            // On the guard's own list or not.
            if (i < 3) _allowRecipient(recipients[i]);
            Trade memory t = _buy(1e18);
            t.intent.recipient = recipients[i];
            _certifyAgain(t);
            _refused(t, _reason(IMandateModule.RecipientNotSafe.selector, recipients[i]));
        }
    }

    function test_one_token_is_the_settlement_token_and_the_other_one_of_the_stocks() public {
        (address dollar, address stock, address other) = (address(input), address(output), address(0xbad));
        bytes4 unsettled = IMandateModule.NotForSettlementToken.selector;
        bytes4 foreign = IMandateModule.StockNotGranted.selector;
        address second = address(otherStock);
        _refused(_tradeOf(stock, other, 1, 1, 1), _reason(unsettled, stock, other));
        _refused(_tradeOf(stock, second, 1, 1, 1), _reason(unsettled, stock, second));
        _refused(_tradeOf(dollar, other, 1, 1, 1), _reason(foreign, other));
        _refused(_tradeOf(other, dollar, 1, 1, 1), _reason(foreign, other));
        _refused(_tradeOf(dollar, dollar, 1, 1, 1), _reason(foreign, dollar));
    }

    function test_a_safe_that_has_not_enabled_the_module_does_not_trade() public {
        _fromSafe(address(safe), abi.encodeCall(safe.disableModule, (SENTINEL, address(module))));
        _refused(_buy(1e18), _text("GS104"));
        // An account without code may grant what it likes.
        vm.prank(STRANGER);
        module.grant(AGENT, _mandate());
        Trade memory t = _buy(1e18);
        (t.intent.owner, t.intent.recipient) = (STRANGER, STRANGER);
        _certifyAgain(t);
        _refused(t, "");
    }

    function test_the_guard_is_approved_for_just_the_amount_and_for_the_trade_alone() public {
        Trade[2] memory trades = [_buy(600e18), _sell(30e18, 1, 1)];
        for (uint256 i; i < 2; ++i) {
            address sold = trades[i].intent.inputToken;
            vm.expectEmit(sold);
            emit IERC20.Approval(address(safe), address(guard), trades[i].intent.amountIn);
            vm.expectEmit(sold);
            emit IERC20.Approval(address(safe), address(guard), 0);
            _send(trades[i]);
            _expectNoAllowance(sold);
        }
    }

    function test_a_safe_that_has_approved_the_guard_does_not_trade() public {
        address[2] memory tokens = [address(input), address(output)];
        bytes4 stands = IMandateModule.AllowanceStands.selector;
        for (uint256 i; i < 2; ++i) {
            Trade memory t = i == 0 ? _buy(5) : _sell(5, 1, 1);
            for (uint256 bit; bit < 256; bit += 51) {
                _fromSafe(tokens[i], abi.encodeCall(IERC20.approve, (address(guard), 1 << bit)));
                _refused(t, _reason(stands, tokens[i], uint256(1 << bit)));
            }
            // An allowance of the token that is bought does no harm.
            _send(i == 0 ? _sell(5, 1, 1) : _buy(5));
            _fromSafe(tokens[i], abi.encodeCall(IERC20.approve, (address(guard), 0)));
            _send(t);
        }
    }

    function test_a_token_that_keeps_the_allowance_is_not_traded() public {
        address sticky = address(new StickyToken(1));
        _grantOver(address(input), sticky);
        bytes4 stands = IMandateModule.AllowanceStands.selector;
        _refused(_tradeOf(sticky, address(input), 5, 1, 1), _reason(stands, sticky, uint256(1)));
        address refusing = address(new ZeroApprovalRefusingToken());
        _grantOver(address(input), refusing);
        _refused(_tradeOf(refusing, address(input), 5, 1, 1), _text("zero approval"));
    }

    function test_the_guards_own_error_reaches_the_agent() public {
        Trade memory t = _buy(1e18);
        t.certificateSignature = "";
        _refused(t, _reason(ITradeGuard.CertificateSignerUnknown.selector, address(0)));
        t = _tradeOf(address(input), address(output), 5, 10, 9);
        _refused(t, _reason(ITradeGuard.OutputBelowMinimum.selector, 9, 10));
        _refused(_buy(0), _reason(ITradeGuard.ZeroAmountIn.selector));
        _refused(_sell(1, 0, 0), _reason(ITradeGuard.ZeroMinAmountOut.selector));
    }

    function test_a_tokens_own_error_reaches_the_agent_and_one_without_words_has_a_name() public {
        FalseReturningToken no = new FalseReturningToken();
        _grantOver(address(no), address(output));
        no.breakDown(true);
        Trade memory t = _tradeOf(address(no), address(output), 5, 1, 1);
        _refused(t, _reason(ITradeGuard.TokenCallFailed.selector, address(no), abi.encode(false)));
        address mute = address(new MuteToken());
        _grantOver(mute, address(output));
        _refused(_tradeOf(mute, address(output), 5, 1, 1), _reason(Errors.FailedCall.selector));
    }

    /*//////////////////////////////////////////////////////////////
                                THE CAPS
    //////////////////////////////////////////////////////////////*/

    function test_a_buy_counts_with_the_amount_that_it_puts_in() public {
        (uint256 dollars, uint256 stocks) = (input.balanceOf(address(safe)), output.balanceOf(address(safe)));
        Trade memory t = _buy(600e18);
        _expectSpent(true, 600e18, BUDGET - 600e18);
        expectEqual(_send(t), 300e18 + 2, "amount out");
        expectEqual(dollars - input.balanceOf(address(safe)), 600e18, "what the Safe paid");
        expectEqual(output.balanceOf(address(safe)) - stocks, 300e18 + 2, "what the Safe received");
        _expectCounted(600e18, 0);
    }

    function test_a_sell_counts_with_what_it_earns_and_refills_nothing() public {
        _send(_buy(100e18));
        Trade memory t = _sell(900e18, 400e18, 430e18);
        _expectSpent(false, 430e18, BUDGET - 530e18);
        expectEqual(_send(t), 430e18, "amount out");
        _expectCounted(530e18, 900e18);
        // A sell that earns its minimum and no more.
        _send(_sell(1e18, 20e18, 20e18));
        _expectCounted(550e18, 901e18);
    }

    /// @dev The next call tells of this trade, by the module.
    function _expectSpent(bool isBuy, uint256 spent, uint256 budget) private {
        bytes32 jobId = keccak256("job");
        vm.expectEmit(address(module));
        emit IMandateModule.MandateSpent(address(safe), AGENT, jobId, address(output), isBuy, spent, budget);
    }

    /// @dev All trades so far, in this hour.
    function _expectCounted(uint256 spent, uint256 sold) private view {
        (uint256 budget, uint256 sellable) = _left();
        expectEqual(budget, BUDGET - spent, "budget");
        expectEqual(sellable, SELLABLE - sold, "sellable");
        expectEqual(_spent(), spent, "spent within the day");
        uint256 hour = block.timestamp / 1 hours;
        (uint256 sum, uint256 firstHour) = module.windowOf(address(safe), AGENT, address(input));
        expectEqual(sum, spent, "sum of the window");
        expectEqual(firstHour, hour - 24, "first hour of the window");
        uint256 within = module.spentInHour(address(safe), AGENT, address(input), hour);
        expectEqual(within, spent, "spent in this hour");
        expectEqual(module.mandateOf(address(safe), AGENT).stocks[0].sellable, 7, "of the other stock");
        _expectNoAllowance(address(input));
        _expectNoAllowance(address(output));
    }

    function test_each_stock_of_the_list_is_traded_within_its_own_cap() public {
        address other = address(otherStock);
        otherStock.mint(address(safe), 100e18);
        otherStock.mint(address(route), 100e18);
        _send(_tradeOf(address(input), other, 10e18, 1, 5e18));
        bytes4 exceeded = IMandateModule.SellableExceeded.selector;
        _refused(_tradeOf(other, address(input), 8, 1, 1), _reason(exceeded, other, 8, 7));
        _send(_tradeOf(other, address(input), 7, 1, 1));
        (, uint256 sellable) = _left();
        expectEqual(sellable, SELLABLE, "sellable of the second");
        expectEqual(module.mandateOf(address(safe), AGENT).stocks[0].sellable, 0, "of the first");
    }

    function test_no_trade_spends_or_earns_more_than_one_trade_can() public {
        bytes4 exceeded = IMandateModule.PerTradeExceeded.selector;
        _refused(_buy(PER_TRADE + 1), _reason(exceeded, PER_TRADE + 1, PER_TRADE));
        // Of any size: no bit of an amount is left out.
        for (uint256 bit = 100; bit < 256; ++bit) {
            uint256 amount = 1 + (1 << bit);
            _refused(_buy(amount), _reason(exceeded, amount, PER_TRADE));
        }
        _refused(_sell(1, PER_TRADE + 1, PER_TRADE + 1), _reason(exceeded, PER_TRADE + 1, PER_TRADE));
        // What a sell earns beyond its minimum is known after the trade, which is then undone.
        _refused(_sell(1, PER_TRADE, PER_TRADE + 1), _reason(exceeded, PER_TRADE + 1, PER_TRADE));
        uint256 windfall = 5 + (1 << 128);
        input.mint(address(route), windfall);
        _refused(_sell(1, 5, windfall), _reason(exceeded, windfall, PER_TRADE));
        _send(_buy(PER_TRADE));
        _send(_sell(1, PER_TRADE - 1, PER_TRADE));
    }

    function test_all_trades_of_a_day_spend_and_earn_no_more_than_a_day_can() public {
        bytes memory exceeded = _reason(IMandateModule.PerDayExceeded.selector, PER_DAY + 1, PER_DAY);
        for (uint256 i; i < 2; ++i) _send(_buy(PER_TRADE));
        _refused(_buy(500e18 + 1), exceeded);
        _refused(_sell(1, 500e18 + 1, 500e18 + 1), exceeded);
        _refused(_sell(1, 1, 500e18 + 1), exceeded);
        _send(_sell(1, 1, 500e18));
        _refused(_buy(1), exceeded);
        expectEqual(_spent(), PER_DAY, "spent within the day");
    }

    function test_all_trades_spend_and_earn_no_more_than_the_budget() public {
        bytes4 exceeded = IMandateModule.BudgetExceeded.selector;
        Mandate memory mandate = _mandate();
        mandate.budget = 100;
        _grant(mandate);
        _refused(_buy(101), _reason(exceeded, 101, 100));
        _refused(_sell(1, 101, 101), _reason(exceeded, 101, 100));
        _refused(_sell(1, 60, 101), _reason(exceeded, 41, 40));
        _send(_sell(1, 60, 61));
        _refused(_buy(40), _reason(exceeded, 40, 39));
        _send(_buy(39));
        _refused(_buy(1), _reason(exceeded, 1, 0));
    }

    function test_a_cap_of_zero_lets_nothing_through_and_the_highest_one_no_more_than_it_says() public {
        bytes4 perDayExceeded = IMandateModule.PerDayExceeded.selector;
        Mandate memory mandate = _mandate();
        mandate.perTrade = 0;
        _grant(mandate);
        _refused(_buy(1), _reason(IMandateModule.PerTradeExceeded.selector, 1, 0));
        (mandate.perTrade, mandate.budget) = (PER_TRADE, 0);
        _grant(mandate);
        _refused(_buy(1), _reason(IMandateModule.BudgetExceeded.selector, 1, 0));
        (mandate.perDay, mandate.budget) = (0, BUDGET);
        _grant(mandate);
        _refused(_buy(1), _reason(perDayExceeded, 1, 0));

        uint128 most = type(uint128).max;
        (mandate.perTrade, mandate.perDay, mandate.budget) = (most, most, most);
        input.mint(address(safe), most);
        uint256 half = uint256(most) / 2 + 1;
        _grant(mandate);
        _send(_tradeOf(address(input), address(output), half, 1, 1));
        _grant(mandate);
        Trade memory second = _tradeOf(address(input), address(output), half, 1, 1);
        _refused(second, _reason(perDayExceeded, 2 * half, most));
    }

    function test_no_more_of_a_stock_is_sold_than_granted() public {
        bytes4 exceeded = IMandateModule.SellableExceeded.selector;
        address stock = address(output);
        _send(_sell(SELLABLE - 1, 1, 1));
        _refused(_sell(2, 1, 1), _reason(exceeded, stock, 2, 1));
        _send(_sell(1, 1, 1));
        _refused(_sell(1, 1, 1), _reason(exceeded, stock, 1, 0));
        for (uint256 bit = 96; bit < 256; ++bit) {
            _refused(_sell(1 << bit, 1, 1), _reason(exceeded, stock, 1 << bit, 0));
        }
        // What is bought cannot be sold for that.
        _send(_buy(1e18));
        _refused(_sell(1, 1, 1), _reason(exceeded, stock, 1, 0));
    }

    /*//////////////////////////////////////////////////////////////
                              THE WINDOW
    //////////////////////////////////////////////////////////////*/

    function test_a_trade_counts_through_the_24_hours_after_its_own() public {
        // The third is far beyond 2106, where 32 bits of seconds end.
        uint256[3] memory hours_ = [START / 1 hours + 30, START / 1 hours + 60, uint256(1 << 40) / 1 hours];
        uint256[3] memory seconds_ = [uint256(0), 3599, 0];
        Mandate memory mandate = _mandate();
        mandate.expiresAt = uint64((hours_[2] + 30) * 1 hours);
        _grant(mandate);
        for (uint256 i; i < 3; ++i) {
            vm.warp(hours_[i] * 1 hours + seconds_[i]);
            _send(_buy(700e18));
            vm.warp((hours_[i] + 25) * 1 hours - 1);
            expectEqual(_spent(), 700e18, "in its last second");
            vm.warp((hours_[i] + 25) * 1 hours);
            expectEqual(_spent(), 0, "in the next");
        }
        vm.warp(mandate.expiresAt + 1);
        _refused(_buy(1), _reason(IMandateModule.MandateExpired.selector, uint256(mandate.expiresAt)));
    }

    function test_hours_fall_out_one_by_one_however_long_nobody_trades() public {
        uint256 hour = START / 1 hours + 1;
        for (uint256 i; i < 24; ++i) {
            vm.warp((hour + i) * 1 hours);
            _send(_buy(10e18 + i));
        }
        uint256 rest = 240e18 + 276;
        expectEqual(_spent(), rest, "all");
        for (uint256 i; i < 24; ++i) {
            vm.warp((hour + i + 25) * 1 hours);
            rest -= 10e18 + i;
            expectEqual(_spent(), rest, "the later ones");
        }
        _send(_buy(1e18));
        vm.warp(EXPIRES_AT);
        expectEqual(_spent(), 0, "long after");
        _send(_buy(2e18));
        expectEqual(_spent(), 2e18, "the last");
    }

    function test_a_mandate_in_place_of_another_goes_on_with_the_window() public {
        bytes4 exceeded = IMandateModule.PerDayExceeded.selector;
        for (uint256 i; i < 2; ++i) _send(_buy(PER_TRADE));
        _grant(_mandate());
        (uint256 budget, ) = _left();
        expectEqual(budget, BUDGET, "a new budget");
        _refused(_buy(500e18 + 1), _reason(exceeded, PER_DAY + 1, PER_DAY));
        _revokeBy(REVOKER);
        Mandate memory mandate = _mandate();
        mandate.perDay = PER_DAY - 1;
        _grant(mandate);
        _refused(_buy(500e18), _reason(exceeded, PER_DAY, PER_DAY - 1));
        _send(_buy(500e18 - 1));
        // Another settlement token has a window of its own.
        _grantOver(address(otherStock), address(output));
        _send(_tradeOf(address(otherStock), address(output), PER_TRADE, 1, 1));
        expectEqual(_spent(), PER_DAY - 1, "of the first token");
    }
}
