// SPDX-License-Identifier: MIT
pragma solidity 0.8.35;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {ITransferHook} from "./tokens/OddTokens.sol";

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

/// @dev Pays the caller for any call.
contract FallbackRoute {
    IERC20 private immutable OUTPUT;

    constructor(IERC20 output) {
        OUTPUT = output;
    }

    fallback() external {
        OUTPUT.transfer(msg.sender, OUTPUT.balanceOf(address(this)));
    }
}
