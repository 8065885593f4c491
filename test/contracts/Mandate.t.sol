// SPDX-License-Identifier: MIT
pragma solidity 0.8.35;

import {Errors} from "@openzeppelin/contracts/utils/Errors.sol";
import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {ITradeGuard} from "../../contracts/ITradeGuard.sol";
import {IMandateModule, Mandate, Stock} from "../../contracts/IMandateModule.sol";
import {Trade} from "../support/contracts/GuardFixture.sol";
import {MandateFixture} from "../support/contracts/MandateFixture.sol";
import {IWallet} from "../support/contracts/Safes.sol";
import {vm} from "../support/contracts/Vm.sol";
import {
    FalseReturningToken,
    ReturningToken,
    ZeroApprovalRefusingToken
} from "../support/contracts/tokens/OddTokens.sol";

/// @dev Once it has approved, it reports an allowance forever.
contract StickyToken is ReturningToken {
    bool private _stuck;

    function allowance(address owner, address spender) public view override returns (uint256) {
        return _stuck ? 1 : super.allowance(owner, spender);
    }

    function _approve(address spender, uint256 amount) internal override {
        if (amount == 0) _stuck = true;
        super._approve(spender, amount);
    }
}

/// @dev Approves nothing, and says nothing about it.
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
        expectEqual(_hash(module.mandateOf(address(made), AGENT)), _hash(_mandate()), "the mandate");
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
        expectEqual(_hash(module.mandateOf(address(safe), AGENT)), _hash(next), "the mandate");
    }

    function test_neither_nobody_nor_the_safe_itself_is_an_agent() public {
        address[2] memory agents = [address(0), address(safe)];
        for (uint256 i; i < 2; ++i) {
            vm.prank(address(safe));
            vm.expectRevert(_reason(IMandateModule.InvalidAgent.selector, agents[i]));
            module.grant(agents[i], _mandate());
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
            vm.expectRevert(
                abi.encodeWithSelector(IMandateModule.ListTooLong.selector, tooLong[i][0], tooLong[i][1])
            );
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
        address[2] memory by = [address(safe), REVOKER];
        for (uint256 i; i < 2; ++i) {
            _grant(_mandate());
            _send(_buy(1e18));
            vm.expectEmit(address(module));
            emit IMandateModule.MandateRevoked(address(safe), AGENT, by[i]);
            vm.prank(by[i]);
            module.revoke(address(safe), AGENT);
            _refused(_buy(1e18), _noMandate(address(safe), AGENT));
            expectEqual(module.mandateOf(address(safe), AGENT).expiresAt, 0, "there is none");
        }
        _grant(_mandate());
        address[6] memory others = [AGENT, OWNER, STRANGER, ATTESTOR, ADMIN, address(guard)];
        for (uint256 i; i < 6; ++i) {
            vm.prank(others[i]);
            vm.expectRevert(_reason(IMandateModule.NotRevoker.selector, others[i]));
            module.revoke(address(safe), AGENT);
        }
        _send(_buy(1e18));
    }

    function test_without_a_revoker_the_safe_alone_revokes() public {
        Mandate memory mandate = _mandate();
        mandate.revoker = address(0);
        _grant(mandate);
        vm.prank(REVOKER);
        vm.expectRevert(_reason(IMandateModule.NotRevoker.selector, REVOKER));
        module.revoke(address(safe), AGENT);
        _fromSafe(address(module), abi.encodeCall(module.revoke, (address(safe), AGENT)));
        _refused(_buy(1e18), _noMandate(address(safe), AGENT));
    }

    function test_mandates_of_other_agents_and_safes_are_others() public {
        IWallet other = _createSafeFor(STRANGER, _mandate(), 1);
        Trade memory t = _buy(1e18);
        _refusedAs(STRANGER, t, _noMandate(address(safe), STRANGER));
        vm.prank(address(other));
        module.revoke(address(other), STRANGER);
        vm.prank(address(safe));
        module.grant(STRANGER, _mandate());
        for (uint256 i; i < 2; ++i) _send(_buy(PER_TRADE));
        _sendAs(STRANGER, t);
        expectEqual(_spent(), 2 * PER_TRADE, "of the agent");
        expectEqual(
            module.spentWithinDay{gas: GAS}(address(safe), STRANGER, address(input)),
            1e18,
            "of the other"
        );
        vm.prank(REVOKER);
        module.revoke(address(safe), STRANGER);
        _send(_buy(1e18));
    }

    /*//////////////////////////////////////////////////////////////
                             WHAT COUNTS
    //////////////////////////////////////////////////////////////*/

    function test_a_buy_counts_with_the_amount_that_it_puts_in() public {
        Trade memory t = _buy(600e18);
        (uint256 dollars, uint256 stocks) = (input.balanceOf(address(safe)), output.balanceOf(address(safe)));
        vm.expectEmit(address(module));
        emit IMandateModule.MandateSpent(
            address(safe),
            AGENT,
            keccak256("job"),
            address(output),
            true,
            600e18,
            BUDGET - 600e18
        );
        expectEqual(_send(t), 300e18 + 2, "amount out");
        expectEqual(dollars - input.balanceOf(address(safe)), 600e18, "what the Safe paid");
        expectEqual(output.balanceOf(address(safe)) - stocks, 300e18 + 2, "what the Safe received");
        _expectCounted(600e18, 0);
    }

    function test_a_sell_counts_with_what_it_earns_and_refills_nothing() public {
        _send(_buy(100e18));
        vm.expectEmit(address(module));
        emit IMandateModule.MandateSpent(
            address(safe),
            AGENT,
            keccak256("job"),
            address(output),
            false,
            430e18,
            BUDGET - 530e18
        );
        expectEqual(_send(_sell(900e18, 400e18, 430e18)), 430e18, "amount out");
        _expectCounted(530e18, 900e18);
        // A sell that earns its minimum and no more.
        _send(_sell(1e18, 20e18, 20e18));
        _expectCounted(550e18, 901e18);
    }

    /// @dev In this hour.
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
        otherStock.mint(address(safe), 100e18);
        otherStock.mint(address(route), 100e18);
        _send(_tradeOf(address(input), address(otherStock), 10e18, 1, 5e18));
        bytes memory tooMany = abi.encodeWithSelector(
            IMandateModule.SellableExceeded.selector,
            address(otherStock),
            8,
            7
        );
        _refused(_tradeOf(address(otherStock), address(input), 8, 1, 1), tooMany);
        _send(_tradeOf(address(otherStock), address(input), 7, 1, 1));
        (, uint256 sellable) = _left();
        expectEqual(sellable, SELLABLE, "sellable of the second");
        expectEqual(module.mandateOf(address(safe), AGENT).stocks[0].sellable, 0, "of the first");
    }

    function test_either_policy_serves() public {
        Trade memory t = _buy(1e18);
        t.certificate.policyHash = OTHER_POLICY;
        _signCertificate(t, ATTESTOR_KEY);
        _send(t);
        t = _buy(1e18);
        t.certificate.policyHash = keccak256("a third");
        _signCertificate(t, ATTESTOR_KEY);
        _refused(t, _reason(IMandateModule.PolicyNotGranted.selector, t.certificate.policyHash));
    }

    /*//////////////////////////////////////////////////////////////
                               REFUSALS
    //////////////////////////////////////////////////////////////*/

    function test_the_last_second_of_a_mandate_trades_and_the_next_does_not() public {
        vm.warp(EXPIRES_AT);
        _send(_buy(1e18));
        vm.warp(EXPIRES_AT + 1);
        _refused(_buy(1e18), _reason(IMandateModule.MandateExpired.selector, EXPIRES_AT));
    }

    function test_the_output_goes_to_the_safe_alone() public {
        _allowRecipient(RECIPIENT);
        Trade memory t = _buy(1e18);
        t.intent.recipient = RECIPIENT;
        _certifyAgain(t);
        _refused(t, _reason(IMandateModule.RecipientNotSafe.selector, RECIPIENT));
    }

    function test_one_token_is_the_settlement_token_and_the_other_one_of_the_stocks() public {
        (address dollar, address stock, address other) = (address(input), address(output), address(0xbad));
        bytes4 unsettled = IMandateModule.NotForSettlementToken.selector;
        _refused(_tradeOf(stock, other, 1, 1, 1), _reason(unsettled, stock, other));
        _refused(
            _tradeOf(stock, address(otherStock), 1, 1, 1),
            _reason(unsettled, stock, address(otherStock))
        );
        bytes memory foreign = _reason(IMandateModule.StockNotGranted.selector, other);
        _refused(_tradeOf(dollar, other, 1, 1, 1), foreign);
        _refused(_tradeOf(other, dollar, 1, 1, 1), foreign);
        _refused(_tradeOf(dollar, dollar, 1, 1, 1), _reason(IMandateModule.StockNotGranted.selector, dollar));
    }

    function test_no_trade_spends_or_earns_more_than_one_trade_can() public {
        bytes4 error_ = IMandateModule.PerTradeExceeded.selector;
        _refused(_buy(PER_TRADE + 1), _reason(error_, PER_TRADE + 1, PER_TRADE));
        // Of any size: no bit of an amount is left out.
        for (uint256 bit = 100; bit < 256; ++bit)
            _refused(_buy(1 + (1 << bit)), _reason(error_, 1 + (1 << bit), PER_TRADE));
        _refused(_sell(1, PER_TRADE + 1, PER_TRADE + 1), _reason(error_, PER_TRADE + 1, PER_TRADE));
        // Above what was asked for, it shows after the trade, which then did not happen.
        _refused(_sell(1, PER_TRADE, PER_TRADE + 1), _reason(error_, PER_TRADE + 1, PER_TRADE));
        uint256 windfall = 5 + (1 << 128);
        input.mint(address(route), windfall);
        _refused(_sell(1, 5, windfall), _reason(error_, windfall, PER_TRADE));
        _send(_buy(PER_TRADE));
        _send(_sell(1, PER_TRADE - 1, PER_TRADE));
    }

    function test_all_trades_of_a_day_spend_and_earn_no_more_than_a_day_can() public {
        bytes4 error_ = IMandateModule.PerDayExceeded.selector;
        for (uint256 i; i < 2; ++i) _send(_buy(PER_TRADE));
        _refused(_buy(500e18 + 1), _reason(error_, PER_DAY + 1, PER_DAY));
        _refused(_sell(1, 500e18 + 1, 500e18 + 1), _reason(error_, PER_DAY + 1, PER_DAY));
        _refused(_sell(1, 1, 500e18 + 1), _reason(error_, PER_DAY + 1, PER_DAY));
        _send(_sell(1, 1, 500e18));
        _refused(_buy(1), _reason(error_, PER_DAY + 1, PER_DAY));
        expectEqual(_spent(), PER_DAY, "spent within the day");
    }

    function test_all_trades_spend_and_earn_no_more_than_the_budget() public {
        bytes4 error_ = IMandateModule.BudgetExceeded.selector;
        Mandate memory mandate = _mandate();
        mandate.budget = 100;
        _grant(mandate);
        _refused(_buy(101), _reason(error_, 101, 100));
        _refused(_sell(1, 101, 101), _reason(error_, 101, 100));
        _refused(_sell(1, 60, 101), _reason(error_, 41, 40));
        _send(_sell(1, 60, 61));
        _refused(_buy(40), _reason(error_, 40, 39));
        _send(_buy(39));
        _refused(_buy(1), _reason(error_, 1, 0));
    }

    function test_a_cap_of_zero_lets_nothing_through_and_the_highest_one_no_more_than_it_says() public {
        Mandate memory mandate = _mandate();
        mandate.perTrade = 0;
        _grant(mandate);
        _refused(_buy(1), _reason(IMandateModule.PerTradeExceeded.selector, 1, 0));
        (mandate.perTrade, mandate.budget) = (PER_TRADE, 0);
        _grant(mandate);
        _refused(_buy(1), _reason(IMandateModule.BudgetExceeded.selector, 1, 0));
        (mandate.perDay, mandate.budget) = (0, BUDGET);
        _grant(mandate);
        bytes4 error_ = IMandateModule.PerDayExceeded.selector;
        _refused(_buy(1), _reason(error_, 1, 0));

        uint128 most = type(uint128).max;
        (mandate.perTrade, mandate.perDay, mandate.budget) = (most, most, most);
        input.mint(address(safe), most);
        uint256 half = uint256(most) / 2 + 1;
        _grant(mandate);
        _send(_tradeOf(address(input), address(output), half, 1, 1));
        _grant(mandate);
        Trade memory second = _tradeOf(address(input), address(output), half, 1, 1);
        _refused(second, _reason(error_, 2 * half, most));
    }

    function test_no_more_of_a_stock_is_sold_than_granted() public {
        bytes4 error_ = IMandateModule.SellableExceeded.selector;
        _send(_sell(SELLABLE - 1, 1, 1));
        _refused(_sell(2, 1, 1), abi.encodeWithSelector(error_, address(output), 2, 1));
        _send(_sell(1, 1, 1));
        _refused(_sell(1, 1, 1), abi.encodeWithSelector(error_, address(output), 1, 0));
        for (uint256 bit = 96; bit < 256; ++bit) {
            bytes memory exceeded = abi.encodeWithSelector(error_, address(output), 1 << bit, 0);
            _refused(_sell(1 << bit, 1, 1), exceeded);
        }
        // What is bought cannot be sold for that.
        _send(_buy(1e18));
        _refused(_sell(1, 1, 1), abi.encodeWithSelector(error_, address(output), 1, 0));
    }

    function test_a_safe_that_has_approved_the_guard_does_not_trade() public {
        address[2] memory tokens = [address(input), address(output)];
        for (uint256 i; i < 2; ++i) {
            Trade memory t = i == 0 ? _buy(5) : _sell(5, 1, 1);
            for (uint256 bit; bit < 256; bit += 51) {
                _fromSafe(tokens[i], abi.encodeCall(IERC20.approve, (address(guard), 1 << bit)));
                _refused(
                    t,
                    abi.encodeWithSelector(IMandateModule.AllowanceStands.selector, tokens[i], 1 << bit)
                );
            }
            // That of the token which comes in is nobody's matter.
            _send(i == 0 ? _sell(5, 1, 1) : _buy(5));
            _fromSafe(tokens[i], abi.encodeCall(IERC20.approve, (address(guard), 0)));
            _send(t);
        }
    }

    function test_a_token_that_keeps_the_allowance_is_not_traded() public {
        address sticky = address(new StickyToken());
        _mandateOver(address(input), sticky);
        bytes memory stands = abi.encodeWithSelector(IMandateModule.AllowanceStands.selector, sticky, 1);
        _refused(_tradeOf(sticky, address(input), 5, 1, 1), stands);
        address refusing = address(new ZeroApprovalRefusingToken());
        _mandateOver(address(input), refusing);
        _refused(_tradeOf(refusing, address(input), 5, 1, 1), _text("zero approval"));
    }

    function test_the_guards_own_error_reaches_the_agent() public {
        Trade memory t = _buy(1e18);
        t.certificateSignature = "";
        _refused(t, _reason(ITradeGuard.CertificateSignerUnknown.selector, address(0)));
        _refused(
            _tradeOf(address(input), address(output), 5, 10, 9),
            _reason(ITradeGuard.OutputBelowMinimum.selector, 9, 10)
        );
        _refused(_buy(0), _reason(ITradeGuard.ZeroAmountIn.selector));
        t = _sell(1, 0, 0);
        _refused(t, _reason(ITradeGuard.ZeroMinAmountOut.selector));
    }

    function test_a_tokens_own_error_reaches_the_agent_and_one_without_words_has_a_name() public {
        FalseReturningToken no = new FalseReturningToken();
        _mandateOver(address(no), address(output));
        no.breakDown(true);
        Trade memory t = _tradeOf(address(no), address(output), 5, 1, 1);
        bytes4 failed = ITradeGuard.TokenCallFailed.selector;
        _refused(t, abi.encodeWithSelector(failed, address(no), abi.encode(false)));
        address mute = address(new MuteToken());
        _mandateOver(mute, address(output));
        _refused(_tradeOf(mute, address(output), 5, 1, 1), _reason(Errors.FailedCall.selector));
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
        vm.expectRevert("");
        _send(t);
    }

    /*//////////////////////////////////////////////////////////////
                              THE WINDOW
    //////////////////////////////////////////////////////////////*/

    function test_a_trade_counts_through_the_24_hours_after_its_own() public {
        uint256[2] memory seconds_ = [uint256(0), 3599];
        for (uint256 i; i < 2; ++i) {
            uint256 hour = block.timestamp / 1 hours + 30;
            vm.warp(hour * 1 hours + seconds_[i]);
            _send(_buy(700e18));
            vm.warp((hour + 25) * 1 hours - 1);
            expectEqual(_spent(), 700e18, "in its last second");
            vm.warp((hour + 25) * 1 hours);
            expectEqual(_spent(), 0, "in the next");
        }
    }

    function test_mandates_and_windows_hold_after_2106_too() public {
        Mandate memory mandate = _mandate();
        uint256 hour = (uint256(1) << 40) / 1 hours;
        mandate.expiresAt = uint64((hour + 30) * 1 hours);
        vm.warp(hour * 1 hours);
        _grant(mandate);
        _send(_buy(PER_TRADE));
        vm.warp((hour + 25) * 1 hours - 1);
        expectEqual(_spent(), PER_TRADE, "counts");
        vm.warp((hour + 25) * 1 hours);
        expectEqual(_spent(), 0, "counts no more");
        _send(_buy(PER_TRADE));
        expectEqual(_spent(), PER_TRADE, "the last alone");
        vm.warp(mandate.expiresAt + 1);
        _refused(_buy(1), _reason(IMandateModule.MandateExpired.selector, uint256(mandate.expiresAt)));
        vm.expectRevert(_reason(IMandateModule.MandateExpired.selector, uint256(mandate.expiresAt)));
        _grant(mandate);
    }

    function test_hours_fall_out_one_by_one_however_long_nobody_trades() public {
        uint256 hour = START / 1 hours + 1;
        for (uint256 i; i < 24; ++i) {
            vm.warp((hour + i) * 1 hours);
            _send(_buy(10e18 + i));
        }
        expectEqual(_spent(), 240e18 + 276, "all");
        uint256 rest = 240e18 + 276;
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
        for (uint256 i; i < 2; ++i) _send(_buy(PER_TRADE));
        _grant(_mandate());
        (uint256 budget, ) = _left();
        expectEqual(budget, BUDGET, "a new budget");
        bytes4 error_ = IMandateModule.PerDayExceeded.selector;
        _refused(_buy(500e18 + 1), _reason(error_, PER_DAY + 1, PER_DAY));
        vm.prank(REVOKER);
        module.revoke(address(safe), AGENT);
        Mandate memory mandate = _mandate();
        mandate.perDay = PER_DAY - 1;
        _grant(mandate);
        _refused(_buy(500e18), _reason(error_, PER_DAY, PER_DAY - 1));
        _send(_buy(500e18 - 1));
        // Another settlement token has a window of its own.
        _mandateOver(address(otherStock), address(output));
        _send(_tradeOf(address(otherStock), address(output), PER_TRADE, 1, 1));
        expectEqual(_spent(), PER_DAY - 1, "of the first token");
    }

    /// @dev Any 24 hours, as a list of all trades says.
    function testFuzz_no_24_hours_spend_more_than_a_day_can(uint256[16] memory waits, uint256 seed) public {
        uint256[16] memory times;
        uint256[16] memory amounts;
        Mandate memory mandate = _mandate();
        mandate.budget = type(uint128).max;
        _grant(mandate);
        for (uint256 i; i < 16; ++i) {
            vm.warp(block.timestamp + between(waits[i], 0, 12 hours));
            uint256 amount = between(uint256(keccak256(abi.encode(seed, i))), 1, PER_TRADE);
            (uint256 within, uint256 counted) = (amount, amount);
            for (uint256 j; j < i; ++j) {
                if (times[j] + 24 hours >= block.timestamp) within += amounts[j];
                if (times[j] / 1 hours + 24 >= block.timestamp / 1 hours) counted += amounts[j];
            }
            Trade memory t = i % 3 == 0 ? _sell(1, amount, amount) : _buy(amount);
            if (counted > PER_DAY) {
                _refused(t, _reason(IMandateModule.PerDayExceeded.selector, counted, PER_DAY));
                continue;
            }
            _send(t);
            (times[i], amounts[i]) = (block.timestamp, amount);
            expectEqual(_spent(), counted, "spent within the day");
            expect(within <= PER_DAY, "within any 24 hours");
        }
    }

    /*//////////////////////////////////////////////////////////////
                                 TOOLS
    //////////////////////////////////////////////////////////////*/

    function _noMandate(address wallet, address agent) private pure returns (bytes memory) {
        return _reason(IMandateModule.NoMandate.selector, wallet, agent);
    }

    function _text(string memory words) private pure returns (bytes memory) {
        return abi.encodeWithSignature("Error(string)", words);
    }

    function _hash(Mandate memory mandate) private pure returns (bytes32) {
        return keccak256(abi.encode(mandate));
    }
}
