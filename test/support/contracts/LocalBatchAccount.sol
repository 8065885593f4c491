// SPDX-License-Identifier: MIT
pragma solidity 0.8.35;

import {ERC7821} from "@openzeppelin/contracts/account/extensions/draft-ERC7821.sol";
import {IERC1271} from "@openzeppelin/contracts/interfaces/IERC1271.sol";
import {SignerEIP7702} from "@openzeppelin/contracts/utils/cryptography/signers/SignerEIP7702.sol";

/// @title Code that an account of the local chain delegates to (EIP-7702), to make several calls at once
/// @author Assay
/// @notice For the local chain alone, in place of the code that a wallet's maker would offer. The account itself sends
/// its batch to itself (ERC-7821, the single batch mode): either all of its calls succeed, or nothing happened.
contract LocalBatchAccount is ERC7821, SignerEIP7702, IERC1271 {
    /// @notice Takes native coin, as an account without code does.
    receive() external payable {}

    /// @notice Tokens that ask any account with code hear what they would have found without it.
    /// @param hash What was signed.
    /// @param signature By the account's own key.
    /// @return ERC-1271's magic value, or another for a signature of somebody else.
    function isValidSignature(bytes32 hash, bytes calldata signature) external view returns (bytes4) {
        return
            _rawSignatureValidation(hash, signature)
                ? IERC1271.isValidSignature.selector
                : bytes4(0xffffffff);
    }
}
