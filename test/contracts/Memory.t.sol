// SPDX-License-Identifier: MIT
pragma solidity 0.8.35;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {TradeIntent} from "../../contracts/ITradeGuard.sol";
import {GuardFixture, Trade} from "../support/contracts/GuardFixture.sol";
import {packTrade} from "../support/contracts/Packing.sol";
import {RecordingRoute} from "../support/contracts/routes/HonestRoute.sol";
import {PickyWallet} from "../support/contracts/wallets/Wallets.sol";
import {vm} from "../support/contracts/Vm.sol";

/// @dev The guard has a place in memory for each member of a trade, from the first free byte on.
contract MemoryTest is GuardFixture {
    bytes4 private constant SELECTOR = 0xaabbccdd;

    /// @dev What the compiler keeps in memory for itself it keeps below what it calls free at the start. So nothing of its
    /// own lies among the places if that is 0x80, and where it would not be, the code would begin otherwise.
    function test_memory_is_free_from_the_first_place_on_and_the_compiler_keeps_nothing_there() public {
        expect(_beginsFreeAt80(address(guard).code), "the guard");
        // By its artifact, as the guard: both are compiled with the settings of the build, and tests are not.
        address crowded = address(_deploy("Crowded.sol:Crowded", ""));
        expect(!_beginsFreeAt80(crowded.code), "a contract whose variables do not fit");
    }

    function test_what_a_trade_puts_into_memory_on_its_way_lies_behind_it() public {
        // On another chain the domain is made anew in memory, and so is the question to a wallet.
        vm.chainId(block.chainid + 1);
        uint256[4] memory lengths = [uint256(4), 31, 33, 1_025];
        uint256[4] memory signatures = [uint256(0), 64, 65, 2_000];
        for (uint256 i; i < 16; ++i) _tradesWhole(i, lengths[i % 4], signatures[i / 4]);
    }

    function _tradesWhole(uint256 nonce, uint256 length, uint256 signatureLength) private {
        PickyWallet wallet = new PickyWallet();
        _fund(address(input), address(wallet), AMOUNT_IN);
        RecordingRoute recording = new RecordingRoute(IERC20(address(output)), AMOUNT_OUT);
        output.mint(address(recording), AMOUNT_OUT);
        _allow(address(recording), SELECTOR);

        TradeIntent memory intent = _intent();
        (intent.route, intent.nonce) = (address(recording), nonce);
        (intent.owner, intent.recipient) = (address(wallet), address(wallet));
        Trade memory trade = _certify(intent, bytes.concat(SELECTOR, _bytes(length - 4)));
        trade.ownerSignature = _bytes(signatureLength);
        wallet.accept(_digest(trade.certificate.intentHash), trade.ownerSignature);

        // The route takes nothing, so that all of the input comes back.
        _expectEvent(trade, 0, AMOUNT_OUT);
        _executeFor(trade);
        expectEqual(keccak256(recording.received()), trade.intent.callDataHash, "call data");
        if (signatureLength == 64) _tradesWholePacked(trade, recording);
    }

    function _tradesWholePacked(Trade memory trade, RecordingRoute recording) private {
        PickyWallet wallet = PickyWallet(trade.intent.owner);
        output.mint(address(recording), AMOUNT_OUT);
        trade.intent.nonce += 1_000;
        bytes memory signature = trade.ownerSignature;
        _certifyAgain(trade);
        wallet.accept(_digest(trade.certificate.intentHash), signature);
        bytes memory packed = bytes.concat(abi.encodePacked(address(wallet)), signature, packTrade(trade));

        _expectEvent(trade, 0, AMOUNT_OUT);
        _call(STRANGER, bytes.concat(guard.executeForPackedDirect.selector, packed));
        expectEqual(
            keccak256(recording.received()),
            trade.intent.callDataHash,
            "call data of the packed one"
        );
    }

    /// @dev None of them zero, so that a zero in their place shows.
    function _bytes(uint256 length) private pure returns (bytes memory filled) {
        filled = new bytes(length);
        for (uint256 i; i < length; ++i) filled[i] = bytes1(uint8(1 + (i % 255)));
    }

    /// @dev PUSH1 0x80 PUSH1 0x40 MSTORE; where 0x80 is needed again, there is a DUP1 behind it.
    function _beginsFreeAt80(bytes memory code) private pure returns (bool) {
        return bytes5(code) == hex"6080604052" || bytes6(code) == hex"608080604052";
    }
}
