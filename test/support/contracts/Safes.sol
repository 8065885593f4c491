// SPDX-License-Identifier: MIT
pragma solidity 0.8.35;

import {vm} from "./Vm.sol";

/// @dev What these tests call of a Safe 1.4.1.
interface IWallet {
    function setup(
        address[] calldata owners,
        uint256 threshold,
        address to,
        bytes calldata data,
        address fallbackHandler,
        address paymentToken,
        uint256 payment,
        address payable paymentReceiver
    ) external;
    function execTransaction(
        address to,
        uint256 value,
        bytes calldata data,
        uint8 operation,
        uint256 safeTxGas,
        uint256 baseGas,
        uint256 gasPrice,
        address gasToken,
        address payable refundReceiver,
        bytes calldata signatures
    ) external payable returns (bool success);
    function execTransactionFromModule(
        address to,
        uint256 value,
        bytes calldata data,
        uint8 operation
    ) external returns (bool success);
    function enableModule(address module) external;
    function disableModule(address previous, address module) external;
    function setGuard(address guard) external;
    function setFallbackHandler(address handler) external;
    function addOwnerWithThreshold(address owner, uint256 threshold) external;
    function isModuleEnabled(address module) external view returns (bool);
    function getOwners() external view returns (address[] memory);
}

interface IWalletFactory {
    function createProxyWithNonce(
        address singleton,
        bytes calldata initializer,
        uint256 saltNonce
    ) external returns (IWallet proxy);
}

/// @dev Makes Safes of the published bytecode.
abstract contract Safes {
    string private constant BUILD = "node_modules/@safe-global/safe-contracts/build/artifacts/contracts/";
    address internal constant SENTINEL = address(1);

    address private _singleton;
    address private _handler;
    IWalletFactory private _factory;

    function _publishSafes() internal {
        _singleton = _published("Safe.sol/Safe.json");
        _handler = _published("handler/CompatibilityFallbackHandler.sol/CompatibilityFallbackHandler.json");
        _factory = IWalletFactory(_published("proxies/SafeProxyFactory.sol/SafeProxyFactory.json"));
    }

    function _published(string memory path) private returns (address deployed) {
        bytes memory code = vm.parseJsonBytes(vm.readFile(string.concat(BUILD, path)), ".bytecode");
        assembly ("memory-safe") {
            deployed := create(0, add(code, 0x20), mload(code))
        }
    }

    /// @dev Of one owner, in one transaction that delegates a call to a setup.
    function _createSafe(
        address owner,
        address setup,
        bytes memory data,
        uint256 salt
    ) internal returns (IWallet) {
        address[] memory owners = new address[](1);
        owners[0] = owner;
        bytes memory initializer = abi.encodeCall(
            IWallet.setup,
            (owners, 1, setup, data, _handler, address(0), 0, payable(0))
        );
        return _factory.createProxyWithNonce(_singleton, initializer, salt);
    }

    /// @dev What its only owner sends, who needs no signature.
    function _walletCall(address owner, address to, bytes memory data) internal pure returns (bytes memory) {
        bytes memory byOwner = abi.encodePacked(uint256(uint160(owner)), uint256(0), uint8(1));
        return
            abi.encodeCall(
                IWallet.execTransaction,
                (to, 0, data, 0, 0, 0, 0, address(0), payable(0), byOwner)
            );
    }
}
