// SPDX-License-Identifier: MIT
pragma solidity 0.8.35;

import {LocalDollar} from "../../../../devnet/contracts/LocalDollar.sol";
import {LocalStock} from "../../../../devnet/contracts/LocalStock.sol";

/// @dev Tokens of the local world that refuse to change one allowance into another, as Tether on Ethereum does: it must
/// be taken back first.

contract OneWayDollar is LocalDollar {
    constructor(address issuer) LocalDollar(issuer) {}

    function approve(address spender, uint256 amount) public override returns (bool) {
        require(amount == 0 || allowance(msg.sender, spender) == 0, "take the allowance back first");
        return super.approve(spender, amount);
    }
}

contract OneWayStock is LocalStock {
    constructor(address issuer) LocalStock(issuer, "one way", "ONE", 1e18) {}

    function approve(address spender, uint256 amount) public override returns (bool) {
        require(amount == 0 || allowance(msg.sender, spender) == 0, "take the allowance back first");
        return super.approve(spender, amount);
    }
}
