// SPDX-License-Identifier: MIT
pragma solidity 0.8.35;

import {IERC1271} from "@openzeppelin/contracts/interfaces/IERC1271.sol";
import {ECDSA} from "@openzeppelin/contracts/utils/cryptography/ECDSA.sol";
import {ITradeGuard} from "../../../../contracts/ITradeGuard.sol";

/// @dev A contract wallet with one key.
contract KeyWallet is IERC1271 {
    address private immutable KEY;

    constructor(address key) {
        KEY = key;
    }

    function isValidSignature(bytes32 hash, bytes calldata signature) external view returns (bytes4) {
        (uint8 v, bytes32 r, bytes32 s) = ECDSA.parseCalldata(signature);
        return ECDSA.recover(hash, v, r, s) == KEY ? IERC1271.isValidSignature.selector : bytes4(0);
    }

    function call(address target, bytes calldata data) external returns (bytes memory result) {
        bool success;
        (success, result) = target.call(data);
        if (!success) {
            assembly ("memory-safe") {
                revert(add(result, 0x20), mload(result))
            }
        }
    }
}

/// @dev Answers as scripted.
contract ScriptedWallet {
    bytes public answer;
    bool public reverts;

    function script(bytes calldata newAnswer, bool newReverts) external {
        (answer, reverts) = (newAnswer, newReverts);
    }

    function isValidSignature(bytes32, bytes calldata) external view returns (bytes4) {
        bytes memory data = answer;
        bool failing = reverts;
        assembly ("memory-safe") {
            if failing {
                revert(add(data, 0x20), mload(data))
            }
            return(add(data, 0x20), mload(data))
        }
    }
}

/// @dev Writes when it is asked for a signature, and agrees to all.
contract WritingWallet {
    uint256 public asked;

    function isValidSignature(bytes32, bytes calldata) external returns (bytes4) {
        ++asked;
        return IERC1271.isValidSignature.selector;
    }
}

/// @dev Signs only what cannot be traded again.
contract AfterNonceWallet is IERC1271 {
    ITradeGuard private immutable GUARD;

    constructor(ITradeGuard guard) {
        GUARD = guard;
    }

    function isValidSignature(bytes32, bytes calldata) external view returns (bytes4) {
        return GUARD.isNonceUsed(address(this), 0) ? IERC1271.isValidSignature.selector : bytes4(0);
    }
}

/// @dev Says yes to one signature of one hash.
contract PickyWallet is IERC1271 {
    bytes32 private _accepted;

    function accept(bytes32 hash, bytes calldata signature) external {
        _accepted = keccak256(bytes.concat(hash, signature));
    }

    function isValidSignature(bytes32 hash, bytes calldata signature) external view returns (bytes4) {
        bool isAccepted = keccak256(bytes.concat(hash, signature)) == _accepted;
        return isAccepted ? IERC1271.isValidSignature.selector : bytes4(0);
    }
}

/// @dev Takes an empty signature for a hash that it approved before, as a Safe does.
contract ApprovingWallet is IERC1271 {
    mapping(bytes32 hash => bool) public approved;

    function approveHash(bytes32 hash) external {
        approved[hash] = true;
    }

    function isValidSignature(bytes32 hash, bytes calldata signature) external view returns (bytes4) {
        return signature.length == 0 && approved[hash] ? IERC1271.isValidSignature.selector : bytes4(0);
    }
}
