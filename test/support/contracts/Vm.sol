// SPDX-License-Identifier: MIT
pragma solidity 0.8.35;

/// @dev A recorded event.
struct Log {
    bytes32[] topics;
    bytes data;
    address emitter;
}

/// @dev The part of the test runner's cheat codes that these tests use.
interface Vm {
    function addr(uint256 privateKey) external pure returns (address);
    function sign(uint256 privateKey, bytes32 digest) external pure returns (uint8 v, bytes32 r, bytes32 s);
    function prank(address sender) external;
    function prank(address sender, address origin) external;
    function startPrank(address sender) external;
    function stopPrank() external;
    function warp(uint256 timestamp) external;
    function chainId(uint256 id) external;
    function getCode(string calldata artifact) external view returns (bytes memory creationCode);
    function etch(address target, bytes calldata code) external;
    function deal(address account, uint256 balance) external;
    function load(address target, bytes32 slot) external view returns (bytes32);
    function assume(bool condition) external pure;
    function expectRevert() external;
    function expectRevert(bytes calldata revertData) external;
    function expectEmit() external;
    function expectEmit(address emitter) external;
    function record() external;
    function accesses(address target) external returns (bytes32[] memory read, bytes32[] memory written);
    function recordLogs() external;
    function getRecordedLogs() external returns (Log[] memory logs);
    function readFile(string calldata path) external view returns (string memory);
    function parseJsonBytes(
        string calldata json,
        string calldata key
    ) external pure returns (bytes memory value);
    function snapshotState() external returns (uint256 id);
    function revertToState(uint256 id) external returns (bool success);
}

Vm constant vm = Vm(address(uint160(uint256(keccak256("hevm cheat code")))));
