// SPDX-License-Identifier: MIT
pragma solidity 0.8.35;

import {vm} from "./Vm.sol";

/// @dev Where CREATE2 puts the executor of a number, computed apart from the guard's own code.
function executorAt(address guard, uint256 number) view returns (address) {
    bytes32 codeHash = keccak256(vm.getCode("RouteExecutor.sol:RouteExecutor"));
    bytes32 hash = keccak256(abi.encodePacked(bytes1(0xff), guard, bytes32(number), codeHash));
    return address(uint160(uint256(hash)));
}
