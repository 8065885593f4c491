// SPDX-License-Identifier: MIT
pragma solidity 0.8.35;

import {IERC20Permit} from "@openzeppelin/contracts/token/ERC20/extensions/IERC20Permit.sol";
import {ReentrancyGuardTransient} from "@openzeppelin/contracts/utils/ReentrancyGuardTransient.sol";

/// @title What of Permit2 the proxy needs
/// @author Assay
/// @notice Transfers by signature that bind further data.
interface ISignatureTransfers {
    /// @notice A token and how much of it may move.
    struct TokenPermissions {
        address token;
        uint256 amount;
    }

    /// @notice What an owner signs, beside spender and witness.
    struct PermitTransferFrom {
        TokenPermissions permitted;
        uint256 nonce;
        uint256 deadline;
    }

    /// @notice Where the token goes, and how much of it.
    struct SignatureTransferDetails {
        address to;
        uint256 requestedAmount;
    }

    /// @notice Moves an owner's token by a signature that binds further data, the witness.
    /// @param permit What the owner signed.
    /// @param transferDetails What is done with it.
    /// @param owner Who signed.
    /// @param witness EIP-712 hash of the further data.
    /// @param witnessTypeString The rest of the EIP-712 type, from the witness on.
    /// @param signature The owner's, by ECDSA or ERC-1271.
    function permitWitnessTransferFrom(
        PermitTransferFrom calldata permit,
        SignatureTransferDetails calldata transferDetails,
        address owner,
        bytes32 witness,
        string calldata witnessTypeString,
        bytes calldata signature
    ) external;
}

/// @title A stand-in for x402ExactPermit2Proxy, for the local world alone
/// @author Assay
/// @notice NOT the contract of public chains: no package publishes that one's bytecode. This one implements its published
/// interface, at its address on the local chain. It moves exactly what was permitted, only to the payee whom the payer
/// signed, and keeps nothing.
contract LocalExactPermit2Proxy is ReentrancyGuardTransient {
    /// @notice The further data that a payer signs.
    struct Witness {
        address to;
        uint256 validAfter;
    }

    /// @notice An EIP-2612 permit for Permit2.
    struct EIP2612Permit {
        uint256 value;
        uint256 deadline;
        bytes32 r;
        bytes32 s;
        uint8 v;
    }

    /// @notice Permit2, at its address on every chain.
    ISignatureTransfers public constant PERMIT2 = ISignatureTransfers(
        0x000000000022D473030F116dDEE9F6B43aC78BA3
    );
    /// @notice The witness in EIP-712's words, as Permit2 wants it.
    string public constant WITNESS_TYPE_STRING =
        "Witness witness)TokenPermissions(address token,uint256 amount)Witness(address to,uint256 validAfter)";
    /// @notice EIP-712 type hash of the witness.
    bytes32 public constant WITNESS_TYPEHASH = keccak256("Witness(address to,uint256 validAfter)");

    /// @notice A payment was made.
    event Settled();
    /// @notice A payment was made, with a permit before it.
    event SettledWithPermit();
    /// @notice The token did not take the permit; the allowance may be there all the same.
    /// @param token The token.
    /// @param owner Whose permit it was.
    /// @param data What the token said.
    event EIP2612PermitFailedWithData(address indexed token, address indexed owner, bytes data);

    error InvalidAmount();
    error InvalidDestination();
    error InvalidOwner();
    error PaymentTooEarly();
    error Permit2612AmountMismatch();

    /// @notice Makes a payment whose payer lets Permit2 take the token already.
    /// @param permit What the payer signed.
    /// @param owner The payer.
    /// @param witness The payee and the time from which on the payment is valid.
    /// @param signature The payer's, over all of it.
    function settle(
        ISignatureTransfers.PermitTransferFrom calldata permit,
        address owner,
        Witness calldata witness,
        bytes calldata signature
    ) external nonReentrant {
        _pay(permit, owner, witness, signature);
        emit Settled();
    }

    /// @notice The same, with an EIP-2612 permit before it, for exactly the amount. A permit that fails does not matter
    /// where the allowance is there.
    /// @param permit2612 The permit for Permit2.
    /// @param permit What the payer signed.
    /// @param owner The payer.
    /// @param witness The payee and the time from which on the payment is valid.
    /// @param signature The payer's, over all but the first permit.
    function settleWithPermit(
        EIP2612Permit calldata permit2612,
        ISignatureTransfers.PermitTransferFrom calldata permit,
        address owner,
        Witness calldata witness,
        bytes calldata signature
    ) external nonReentrant {
        address token = permit.permitted.token;
        if (permit2612.value != permit.permitted.amount) revert Permit2612AmountMismatch();
        // solhint-disable-next-line avoid-low-level-calls
        (bool taken, bytes memory data) = token.call(
            abi.encodeCall(
                IERC20Permit.permit,
                (
                    owner,
                    address(PERMIT2),
                    permit2612.value,
                    permit2612.deadline,
                    permit2612.v,
                    permit2612.r,
                    permit2612.s
                )
            )
        );
        if (!taken) emit EIP2612PermitFailedWithData(token, owner, data);
        _pay(permit, owner, witness, signature);
        emit SettledWithPermit();
    }

    function _pay(
        ISignatureTransfers.PermitTransferFrom calldata permit,
        address owner,
        Witness calldata witness,
        bytes calldata signature
    ) private {
        uint256 amount = permit.permitted.amount;
        if (amount == 0) revert InvalidAmount();
        if (owner == address(0)) revert InvalidOwner();
        if (witness.to == address(0)) revert InvalidDestination();
        if (block.timestamp < witness.validAfter) revert PaymentTooEarly();
        PERMIT2.permitWitnessTransferFrom(
            permit,
            ISignatureTransfers.SignatureTransferDetails({to: witness.to, requestedAmount: amount}),
            owner,
            keccak256(abi.encode(WITNESS_TYPEHASH, witness.to, witness.validAfter)),
            WITNESS_TYPE_STRING,
            signature
        );
    }
}
