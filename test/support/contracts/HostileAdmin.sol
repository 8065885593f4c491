// SPDX-License-Identifier: MIT
pragma solidity 0.8.35;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {OPERATOR, PAUSER as PAUSERS} from "../../../contracts/GuardDeployment.sol";
import {TradeIntent} from "../../../contracts/ITradeGuard.sol";
import {GuardFixture, Trade} from "./GuardFixture.sol";
import {vm} from "./Vm.sol";
import {FakeOutput, FreeToken} from "./tokens/FakeTokens.sol";

/// @dev The admin key and the attestation key are in one hostile hand, which lists what it likes and certifies what it
/// likes. The victim has approved the guard without limit.
abstract contract HostileAdmin is GuardFixture {
    uint256 internal constant HOSTILE_KEY = uint256(keccak256("hostile"));
    address internal immutable HOSTILE = vm.addr(HOSTILE_KEY);
    FreeToken private _free;

    function setUp() public virtual override {
        super.setUp();
        _free = new FreeToken();
        vm.prank(OWNER);
        input.approve(address(guard), type(uint256).max);
        vm.startPrank(ADMIN);
        guard.rotateSigner(HOSTILE);
        manager.grantRole(OPERATOR, HOSTILE, 0);
        manager.grantRole(PAUSERS, HOSTILE, 0);
        manager.grantRole(manager.ADMIN_ROLE(), HOSTILE, 0);
        vm.stopPrank();
    }

    function _list(address target, bytes4 selector) internal {
        vm.prank(HOSTILE);
        guard.allowRoute(target, selector);
    }

    /// @dev Buys a worthless output with a worthless input; the route is the victim's token.
    function _hostileTrade(address to, bytes memory data) internal view returns (Trade memory trade) {
        TradeIntent memory intent = _intent(address(_free), to);
        (intent.owner, intent.recipient, intent.minAmountOut) = (HOSTILE, HOSTILE, 1);
        intent.route = address(input);
        trade = _certify(intent, data);
        _signCertificate(trade, HOSTILE_KEY);
    }

    /// @dev Makes the executor approve the accomplice for the victim's token.
    function _trickAllowance(address accomplice) internal {
        _list(address(input), IERC20.approve.selector);
        address fake = address(new FakeOutput(input, executor, accomplice));
        _execute(_hostileTrade(fake, abi.encodeCall(IERC20.approve, (accomplice, type(uint256).max))));
        expectEqual(input.allowance(executor, accomplice), type(uint256).max, "the trick works");
    }
}
