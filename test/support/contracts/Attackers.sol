// SPDX-License-Identifier: MIT
pragma solidity 0.8.35;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {ITransferHook, RebasingToken} from "./tokens/OddTokens.sol";

/// @dev A router that lets anyone play the pool that calls back.
contract CarelessRouter {
    function swap(IERC20 input, IERC20 output, uint256 take, uint256 give) external {
        input.transferFrom(msg.sender, address(this), take);
        output.transfer(msg.sender, give);
    }

    function onSwap(IERC20 token, address payer, uint256 amount) external {
        token.transferFrom(payer, msg.sender, amount);
    }
}

/// @dev Plays the pool of a careless router in the middle of somebody's trade.
contract FakePool is ITransferHook {
    CarelessRouter private immutable ROUTER;
    IERC20 private immutable TOKEN;
    address private immutable EXECUTOR;

    constructor(CarelessRouter router, IERC20 token, address executor) {
        (ROUTER, TOKEN, EXECUTOR) = (router, token, executor);
    }

    function onTransfer(address, address, uint256) external {
        try ROUTER.onSwap(TOKEN, EXECUTOR, TOKEN.balanceOf(EXECUTOR)) {} catch {}
    }
}

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

/// @dev In whose hands every balance of a token grows.
contract GrowingRoute {
    function swap(RebasingToken token, uint256 newIndex) external {
        token.rebase(newIndex);
    }
}

/// @dev Makes one call in the middle of a trade, the first time that it gets the chance.
contract OneCall is ITransferHook {
    address private _target;
    bytes private _data;
    bool public tried;
    bool public succeeded;
    bytes public result;

    function tell(address target, bytes calldata data) external {
        (_target, _data) = (target, data);
    }

    function onTransfer(address, address, uint256) external {
        act();
    }

    function act() public {
        if (tried) return;
        tried = true;
        (succeeded, result) = _target.call(_data);
    }
}

/// @dev A route that trades rightly, after it has let an accomplice act.
contract ReenteringRoute {
    function swap(OneCall accomplice, IERC20 input, IERC20 output, uint256 take, uint256 give) external {
        accomplice.act();
        input.transferFrom(msg.sender, address(this), take);
        output.transfer(msg.sender, give);
    }
}
