// SPDX-License-Identifier: MIT
pragma solidity 0.8.35;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {ITradeGuard, TradeIntent, VerificationCertificate} from "../../contracts/ITradeGuard.sol";
import {balanceOf, startOfReturnData} from "../../contracts/RouteExecutor.sol";
import {GuardFixture} from "../support/contracts/GuardFixture.sol";
import {compacted, firstBytes} from "../support/contracts/Packing.sol";
import {vm} from "../support/contracts/Vm.sol";
import {BombToken, ShortAnswerToken} from "../support/contracts/tokens/OddTokens.sol";

/// @dev Each block of assembly against the Solidity that says the same, and what the two that bound data are there for.
contract AssemblyTest is GuardFixture {
    function testFuzz_an_intent_is_hashed_where_it_lies_as_its_encoding(
        TradeIntent memory intent
    ) public view {
        expectEqual(guard.hashIntent(intent), _hashIntent(intent), "struct hash");
    }

    function testFuzz_a_certificate_is_hashed_as_its_encoding(
        VerificationCertificate memory certificate
    ) public view {
        expectEqual(guard.hashCertificate(certificate), _hashCertificate(certificate), "struct hash");
    }

    function testFuzz_a_balance_is_read_as_solidity_reads_it(address holder, uint256 amount) public {
        vm.assume(holder != address(0) && input.balanceOf(holder) == 0);
        input.mint(holder, amount / 2);
        expectEqual(balanceOf(address(input), holder), IERC20(input).balanceOf(holder), "balance");
    }

    function test_what_is_no_balance_is_refused_by_either() public {
        address[3] memory tokens = [STRANGER, address(new ShortAnswerToken()), address(route)];
        for (uint256 i; i < tokens.length; ++i) {
            try this.readTwin(tokens[i]) {
                expect(false, "no balance");
            } catch {}
            vm.expectRevert(_reason(ITradeGuard.BalanceUnreadable.selector, tokens[i]));
            this.read(tokens[i]);
        }
    }

    function read(address token) external view returns (uint256) {
        return balanceOf(token, OWNER);
    }

    function readTwin(address token) external view returns (uint256) {
        return IERC20(token).balanceOf(OWNER);
    }

    function testFuzz_the_start_of_what_was_returned_is_that_of_all_of_it(bytes memory data) public {
        uint256[6] memory lengths = [uint256(0), 31, 255, 256, 257, 1000];
        for (uint256 i; i < lengths.length; ++i) {
            bytes memory said = firstBytes(data, lengths[i]);
            (bool success, bytes memory all) = address(this).call(abi.encodeCall(this.say, (said)));
            bytes memory start = startOfReturnData();
            expect(!success && keccak256(all) == keccak256(said), "all of it");
            expectEqual(start.length, all.length < 256 ? all.length : 256, "length");
            expectEqual(keccak256(start), keccak256(firstBytes(all, start.length)), "the same bytes");
        }
    }

    function say(bytes memory data) external pure {
        assembly ("memory-safe") {
            revert(add(data, 0x20), mload(data))
        }
    }

    /// @dev The certificate is for what the slices say, so another reading would be another trade, which nobody certified.
    function testFuzz_a_packed_trade_is_read_as_slices_of_it(
        bytes32[7] memory random,
        bytes memory data
    ) public {
        data = bytes.concat(bytes4(0x12345678), data);
        bytes memory packed = firstBytes(abi.encode(random), 216);
        bytes memory signature = this.certify(packed, data, OWNER);
        bytes memory whole = bytes.concat(packed, signature, data);
        (bool success, bytes4 reason) = _outcome(OWNER, abi.encodeCall(guard.executePacked, (whole)));
        expect(!success && reason != ITradeGuard.CertificateSignerUnknown.selector, "certified");
        (success, reason) = _outcome(STRANGER, abi.encodeCall(guard.executePacked, (whole)));
        expect(!success && reason == ITradeGuard.CertificateSignerUnknown.selector, "for its owner alone");
    }

    function certify(
        bytes calldata packed,
        bytes calldata data,
        address owner
    ) external view returns (bytes memory) {
        TradeIntent memory intent = TradeIntent({
            owner: owner,
            recipient: owner,
            inputToken: address(bytes20(packed[0:20])),
            outputToken: address(bytes20(packed[20:40])),
            amountIn: uint128(bytes16(packed[60:76])),
            minAmountOut: uint128(bytes16(packed[76:92])),
            route: address(bytes20(packed[40:60])),
            selector: bytes4(data[0:4]),
            callDataHash: keccak256(data),
            nonce: uint96(bytes12(packed[92:104])),
            deadline: uint32(bytes4(packed[104:108]))
        });
        VerificationCertificate memory certificate = VerificationCertificate({
            intentHash: _hashIntent(intent),
            evidenceHash: bytes32(packed[120:152]),
            policyHash: bytes32(packed[152:184]),
            jobId: bytes32(packed[184:216]),
            reportVersion: uint32(bytes4(packed[108:112])),
            issuedAt: uint32(bytes4(packed[112:116])),
            expiresAt: uint32(bytes4(packed[116:120]))
        });
        return compacted(_sign(ATTESTOR_KEY, _hashCertificate(certificate)));
    }

    /*//////////////////////////////////////////////////////////////
                       A MEGABYTE OF A TOKEN'S FAILURE
    //////////////////////////////////////////////////////////////*/

    /// @dev The token itself pays 2.2 million for so much memory; each copy would cost as much again.
    function test_a_megabyte_with_which_a_token_fails_is_not_copied() public {
        bytes4[5] memory bombs = [
            IERC20.balanceOf.selector,
            IERC20.transferFrom.selector,
            IERC20.approve.selector,
            IERC20.allowance.selector,
            IERC20.transfer.selector
        ];
        for (uint256 i; i < bombs.length; ++i) {
            BombToken token = new BombToken();
            _fund(address(token), OWNER, AMOUNT_IN);
            token.arm(bombs[i]);
            bytes memory data = _ownerCall(_swap(address(token), address(output), AMOUNT_IN - 1, AMOUNT_OUT));
            uint256 before = gasleft();
            (bool success, bytes memory reason) = _try(OWNER, data);
            // An approval is tried again from zero.
            expect(before - gasleft() < (bombs[i] == IERC20.approve.selector ? 5e6 : 2.9e6), "gas");
            expect(!success && reason.length <= 4 + 3 * 32 + 256, "bounded");
        }
    }
}
