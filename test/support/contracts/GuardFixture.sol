// SPDX-License-Identifier: MIT
pragma solidity 0.8.35;

import {AccessManager} from "@openzeppelin/contracts/access/manager/AccessManager.sol";
import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {ITradeGuard, TradeIntent, VerificationCertificate} from "../../../contracts/ITradeGuard.sol";
import {TradeGuard} from "../../../contracts/TradeGuard.sol";
import {Assert} from "./Assert.sol";
import {OneCall, ReenteringRoute} from "./Attackers.sol";
import {vm} from "./Vm.sol";
import {Trade, hashCertificate, hashIntent} from "./Trades.sol";
import {HonestRoute} from "./routes/HonestRoute.sol";
import {PlainToken} from "./tokens/PlainToken.sol";

/// @dev A guard with one allowed route, an owner who has approved it, and everything to build certified trades. It
/// computes hashes and signatures without the guard's own code.
abstract contract GuardFixture is Assert {
    uint256 internal constant ATTESTOR_KEY = uint256(keccak256("attestor"));
    uint256 internal constant OWNER_KEY = uint256(keccak256("owner"));
    uint256 internal constant PERMITTING = 4;
    uint256 internal constant START = 1_700_000_000;
    uint256 internal constant AMOUNT_IN = 1_000e18;
    uint256 internal constant AMOUNT_OUT = 900e18;
    uint256 internal constant MIN_OUT = 890e18;

    address internal ADMIN = account("admin");
    address internal PAUSER = account("pauser");
    address internal STRANGER = account("stranger");
    address internal RECIPIENT = account("recipient");
    address internal ATTESTOR = vm.addr(ATTESTOR_KEY);
    address internal OWNER = vm.addr(OWNER_KEY);

    AccessManager internal manager;
    TradeGuard internal guard;
    address internal executor;
    HonestRoute internal route;
    PlainToken internal input;
    PlainToken internal output;

    function setUp() public virtual {
        // All roles are granted before any time that a test looks at.
        vm.warp(1);
        _deployGuard(0);
        vm.warp(START);
        route = new HonestRoute();
        input = new PlainToken("IN", 18);
        output = new PlainToken("OUT", 18);
        _fund(address(input), OWNER, 1_000_000e18);
        output.mint(address(route), 1_000_000e18);
        _allow(address(route), HonestRoute.swap.selector);
        _allow(address(route), HonestRoute.swapWithRefund.selector);
    }

    /// @dev As a guard is deployed for money, but for the delay. From the compiled artifact, so that no test embeds the
    /// guard: tests compile faster, and a guard with a planted defect takes its place without compiling them again.
    function _deployGuard(uint32 delay) internal {
        bytes memory arguments = abi.encode(ADMIN, PAUSER, ATTESTOR, delay);
        address deployment = _deploy("GuardDeployment.sol:GuardDeployment", arguments);
        manager = AccessManager(_createdBy(deployment, 1));
        guard = TradeGuard(_createdBy(deployment, 2));
        executor = guard.executor();
    }

    /// @dev The address of a contract's creation of this number, below 128.
    function _createdBy(address creator, uint8 number) internal pure returns (address) {
        return address(uint160(uint256(keccak256(abi.encodePacked(hex"d694", creator, number)))));
    }

    /// @dev Passes on what a constructor reverts with.
    function _deploy(string memory artifact, bytes memory arguments) internal returns (address deployed) {
        bytes memory code = bytes.concat(vm.getCode(artifact), arguments);
        assembly ("memory-safe") {
            deployed := create(0, add(code, 0x20), mload(code))
            if iszero(deployed) {
                returndatacopy(code, 0, returndatasize())
                revert(code, returndatasize())
            }
        }
    }

    function account(string memory name) internal pure returns (address) {
        return vm.addr(uint256(keccak256(bytes(name))));
    }

    /*//////////////////////////////////////////////////////////////
                            BUILDING A TRADE
    //////////////////////////////////////////////////////////////*/

    /// @dev Sells AMOUNT_IN for AMOUNT_OUT on the honest route.
    function _trade() internal view returns (Trade memory) {
        return _swap(AMOUNT_IN, AMOUNT_OUT);
    }

    function _swapData(uint256 take, uint256 give) internal view returns (bytes memory) {
        return _swapData(address(input), address(output), take, give);
    }

    function _swapData(
        address from,
        address to,
        uint256 take,
        uint256 give
    ) internal view returns (bytes memory) {
        return abi.encodeCall(HonestRoute.swap, (IERC20(from), IERC20(to), take, give, executor));
    }

    /// @dev The same between any tokens and of any amounts.
    function _swap(
        address from,
        address to,
        uint256 take,
        uint256 give
    ) internal view returns (Trade memory) {
        return _certify(_intent(from, to), _swapData(from, to, take, give));
    }

    function _swap(uint256 take, uint256 give) internal view returns (Trade memory) {
        return _certify(_intent(), _swapData(take, give));
    }

    function _tradeWith(uint256 nonce) internal view returns (Trade memory trade) {
        trade = _trade();
        trade.intent.nonce = nonce;
        _certifyAgain(trade);
    }

    function _tradeTo(address recipient) internal view returns (Trade memory trade) {
        trade = _trade();
        trade.intent.recipient = recipient;
        _certifyAgain(trade);
    }

    function _tradeOwnedBy(address owner) internal view returns (Trade memory trade) {
        trade = _trade();
        (trade.intent.owner, trade.intent.recipient) = (owner, owner);
        _certifyAgain(trade);
    }

    /// @dev On another route than the honest one.
    function _tradeOn(address target, bytes memory data) internal view returns (Trade memory) {
        TradeIntent memory intent = _intent();
        intent.route = target;
        return _certify(intent, data);
    }

    /// @dev On a listed route that lets an accomplice act before it trades.
    function _tradeAround(OneCall accomplice) internal returns (Trade memory) {
        ReenteringRoute around = new ReenteringRoute();
        output.mint(address(around), AMOUNT_OUT);
        _allow(address(around), ReenteringRoute.swap.selector);
        bytes memory data = abi.encodeCall(
            ReenteringRoute.swap,
            (accomplice, input, output, AMOUNT_IN, AMOUNT_OUT)
        );
        return _tradeOn(address(around), data);
    }

    function _intent() internal view returns (TradeIntent memory) {
        return _intent(address(input), address(output));
    }

    function _intent(address from, address to) internal view returns (TradeIntent memory) {
        return
            TradeIntent({
                owner: OWNER,
                recipient: OWNER,
                inputToken: from,
                outputToken: to,
                amountIn: AMOUNT_IN,
                minAmountOut: MIN_OUT,
                route: address(route),
                callDataHash: 0,
                policyHash: keccak256("policy"),
                nonce: 0,
                deadline: block.timestamp + 600
            });
    }

    /// @dev Completes the intent with its call data, certifies it and signs it as the owner.
    function _certify(
        TradeIntent memory intent,
        bytes memory data
    ) internal view returns (Trade memory trade) {
        trade.intent = intent;
        trade.intent.callDataHash = keccak256(data);
        trade.routeCallData = data;
        _certifyAgain(trade);
    }

    /// @dev Certifies and signs the intent as it stands, right or wrong.
    function _certifyAgain(Trade memory trade) internal view {
        trade.certificate = VerificationCertificate({
            intentHash: hashIntent(trade.intent),
            evidenceHash: keccak256("evidence"),
            jobId: keccak256("job"),
            reportVersion: 1,
            issuedAt: uint64(block.timestamp),
            expiresAt: uint64(block.timestamp + 300)
        });
        _signCertificate(trade, ATTESTOR_KEY);
        trade.ownerSignature = _sign(OWNER_KEY, trade.certificate.intentHash);
    }

    function _signCertificate(Trade memory trade, uint256 key) internal view {
        trade.certificateSignature = _sign(key, hashCertificate(trade.certificate));
    }

    function _sign(uint256 key, bytes32 structHash) internal view returns (bytes memory) {
        (uint8 v, bytes32 r, bytes32 s) = vm.sign(key, _digest(structHash));
        return abi.encodePacked(r, s, v);
    }

    function _digest(bytes32 structHash) internal view returns (bytes32) {
        bytes32 domain = keccak256(
            abi.encode(
                keccak256(
                    "EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)"
                ),
                keccak256("TradeGuard"),
                keccak256("1"),
                block.chainid,
                address(guard)
            )
        );
        return keccak256(abi.encodePacked(hex"1901", domain, structHash));
    }

    /*//////////////////////////////////////////////////////////////
                             ACTING ON IT
    //////////////////////////////////////////////////////////////*/

    function _execute(Trade memory t) internal returns (uint256) {
        return _call(t.intent.owner, _ownerCall(t));
    }

    function _relay(Trade memory t) internal returns (uint256) {
        return _relayAs(STRANGER, t);
    }

    function _relayAs(address relayer, Trade memory t) internal returns (uint256) {
        return _call(relayer, _relayerCall(t));
    }

    /// @dev What the owner sends, who needs no signature.
    function _ownerCall(Trade memory t) internal pure returns (bytes memory) {
        return _executeCall(t, "");
    }

    /// @dev What anyone sends, with the owner's signature.
    function _relayerCall(Trade memory t) internal pure returns (bytes memory) {
        return _executeCall(t, t.ownerSignature);
    }

    function _executeCall(Trade memory t, bytes memory ownerSignature) private pure returns (bytes memory) {
        return
            abi.encodeCall(
                ITradeGuard.execute,
                (t.intent, t.certificate, t.certificateSignature, ownerSignature, t.routeCallData)
            );
    }

    /// @dev A call of the guard that answers a number; what it reverts with is passed on.
    function _call(address sender, bytes memory data) internal returns (uint256) {
        (bool success, bytes memory answer) = _try(sender, data);
        if (success) return abi.decode(answer, (uint256));
        assembly ("memory-safe") {
            revert(add(answer, 0x20), mload(answer))
        }
    }

    /// @dev Any call of the guard, which may fail.
    function _try(address sender, bytes memory data) internal returns (bool, bytes memory) {
        vm.prank(sender);
        return address(guard).call(data);
    }

    /// @dev The guard refuses the trade for the same reason whether its owner or a relayer sends it.
    function _expectRefused(Trade memory trade, bytes memory reason) internal {
        vm.expectRevert(reason);
        _execute(trade);
        vm.expectRevert(reason);
        _relay(trade);
    }

    /// @dev Even though it is certified and signed as it stands.
    function _expectRefusedAsCertified(Trade memory trade, bytes memory reason) internal {
        _certifyAgain(trade);
        _expectRefused(trade, reason);
    }

    function _fund(address token, address owner, uint256 amount) internal {
        PlainToken(token).mint(owner, amount);
        vm.prank(owner);
        // Low level, because odd tokens return nothing.
        (bool success, ) = token.call(abi.encodeCall(IERC20.approve, (address(guard), type(uint96).max)));
        expect(success, "approval of the guard");
    }

    function _allow(address target, bytes4 selector) internal {
        vm.prank(ADMIN);
        guard.allowRoute(target, selector);
    }

    /// @dev Those of operators, `PERMITTING` of them, then those of pausers.
    function _restrictedCalls(address whom) internal view returns (bytes[7] memory) {
        return
            [
                abi.encodeCall(guard.unpause, ()),
                abi.encodeCall(guard.rotateSigner, (whom)),
                abi.encodeCall(guard.allowRoute, (whom, HonestRoute.swap.selector)),
                abi.encodeCall(guard.allowRecipient, (whom)),
                abi.encodeCall(guard.pause, ()),
                abi.encodeCall(guard.disallowRoute, (whom, HonestRoute.swap.selector)),
                abi.encodeCall(guard.disallowRecipient, (whom))
            ];
    }

    function _allowRecipient(address recipient) internal {
        vm.prank(ADMIN);
        guard.allowRecipient(recipient);
    }

    /// @dev The next call tells of this trade, by the guard.
    function _expectEvent(Trade memory t, uint256 spent, uint256 received) internal {
        VerificationCertificate memory c = t.certificate;
        vm.expectEmit(address(guard));
        emit ITradeGuard.TradeExecuted(
            c.jobId,
            t.intent.owner,
            c.evidenceHash,
            c.intentHash,
            spent,
            received
        );
    }

    /// @dev Neither contract holds a token, and no route holds an allowance.
    function _expectNothingLeft(address token, address spender, uint256 seed) internal view {
        expectEqual(IERC20(token).balanceOf(address(guard)), 0, "guard balance");
        expectEqual(IERC20(token).balanceOf(executor), seed, "executor balance");
        expectEqual(IERC20(token).allowance(executor, spender), 0, "allowance of the route");
    }

    /*//////////////////////////////////////////////////////////////
                        WHAT IS REVERTED WITH
    //////////////////////////////////////////////////////////////*/

    function _reason(bytes4 error_) internal pure returns (bytes memory) {
        return abi.encodeWithSelector(error_);
    }

    function _reason(bytes4 error_, address a) internal pure returns (bytes memory) {
        return abi.encodeWithSelector(error_, a);
    }

    function _reason(bytes4 error_, uint256 a) internal pure returns (bytes memory) {
        return abi.encodeWithSelector(error_, a);
    }

    function _reason(bytes4 error_, bytes32 a) internal pure returns (bytes memory) {
        return abi.encodeWithSelector(error_, a);
    }

    function _reason(bytes4 error_, address a, address b) internal pure returns (bytes memory) {
        return abi.encodeWithSelector(error_, a, b);
    }

    function _reason(bytes4 error_, address a, uint256 b) internal pure returns (bytes memory) {
        return abi.encodeWithSelector(error_, a, b);
    }

    function _reason(bytes4 error_, address a, bytes4 b) internal pure returns (bytes memory) {
        return abi.encodeWithSelector(error_, a, b);
    }

    function _reason(bytes4 error_, address a, bytes memory b) internal pure returns (bytes memory) {
        return abi.encodeWithSelector(error_, a, b);
    }

    function _reason(bytes4 error_, uint256 a, uint256 b) internal pure returns (bytes memory) {
        return abi.encodeWithSelector(error_, a, b);
    }

    function _reason(bytes4 error_, bytes32 a, bytes32 b) internal pure returns (bytes memory) {
        return abi.encodeWithSelector(error_, a, b);
    }

    function _reason(bytes4 error_, address a, address b, uint256 c) internal pure returns (bytes memory) {
        return abi.encodeWithSelector(error_, a, b, c);
    }

    function _reason(bytes4 error_, address a, uint256 b, uint256 c) internal pure returns (bytes memory) {
        return abi.encodeWithSelector(error_, a, b, c);
    }

    function _reason(bytes4 error_, bytes memory a) internal pure returns (bytes memory) {
        return abi.encodeWithSelector(error_, a);
    }
}
