// SPDX-License-Identifier: MIT
pragma solidity 0.8.35;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {TradeIntent} from "../../contracts/ITradeGuard.sol";
import {Assert} from "../support/contracts/Assert.sol";
import {GuardFixture, Trade} from "../support/contracts/GuardFixture.sol";
import {vm} from "../support/contracts/Vm.sol";
import {HonestRoute} from "../support/contracts/routes/HonestRoute.sol";
import {HostileRoute, ReenteringHook} from "../support/contracts/routes/HostileRoutes.sol";
import {
    ApprovalRaceToken,
    BlockingToken,
    FeeToken,
    HookToken,
    MissingReturnToken,
    RebasingToken
} from "../support/contracts/tokens/OddTokens.sol";
import {PlainToken} from "../support/contracts/tokens/PlainToken.sol";

// The handler is in the file of the invariants because the test runner only targets contracts of test files.

/// @dev Does to a guard what traders, strangers, admins and thieves do, in any order, and keeps its own account of
/// it. The invariants compare the guard with that account, never with the guard's own views.
contract GuardHandler is GuardFixture {
    uint256 private constant OTHER_ATTESTOR_KEY = uint256(keccak256("other attestor"));
    uint256 private constant NONCES = 300;
    uint256 private constant VICTIM_BALANCE = 1_000_000e18;

    address[] private tokens;
    address[] private routes;
    uint256[3] private _ownerKeys = [
        OWNER_KEY,
        uint256(keccak256("second owner")),
        uint256(keccak256("third owner"))
    ];
    BlockingToken private _blocking = new BlockingToken();
    RebasingToken private rebasing = new RebasingToken();
    ReenteringHook private hook = new ReenteringHook();
    /// @dev Submitted before, with the key of its certificate, to be submitted again.
    Trade[8] private _past;
    uint256[8] private _pastKeys;
    uint256 private _pastCount;
    uint256 private _victimShares;
    /// @dev Has approved the guard without limit and never signs or sends anything.
    address private VICTIM = vm.addr(uint256(keccak256("victim")));

    /*//////////////////////////////////////////////////////////////
                            OWN ACCOUNT OF IT
    //////////////////////////////////////////////////////////////*/

    bool private shouldBePaused;
    uint256 private currentKey = ATTESTOR_KEY;
    /// @dev Rotated away, and perhaps back since.
    uint256 private formerKey = uint256(keccak256("foreign"));
    mapping(address token => uint256) private strayInExecutor;
    mapping(address token => uint256) private strayInGuard;
    mapping(address owner => mapping(uint256 nonce => bool)) private spent;
    mapping(address owner => mapping(uint256 nonce => bool)) private invalidated;
    mapping(address target => mapping(bytes4 selector => bool)) private listed;
    mapping(address recipient => bool) private listedRecipient;
    /// @dev An owner's least balance of a token: the initial one, less what it signed away in nonces that traded, plus the
    /// minimums of trades that paid it.
    mapping(address owner => mapping(address token => uint256)) private atLeast;

    uint256 public tradesDone;
    uint256 public tradesRefused;
    /// @dev The first promise that was broken, in words; empty while all hold.
    string private broken;

    function setUp() public override {
        super.setUp();
        HostileRoute hostile = new HostileRoute();
        tokens = [
            address(input),
            address(output),
            address(new MissingReturnToken()),
            // So much that what the executor gets is often enough, and what the recipient gets is not.
            address(new FeeToken(300)),
            address(new ApprovalRaceToken()),
            address(new HookToken()),
            address(_blocking),
            address(rebasing)
        ];
        hook.tell(address(guard), "");
        HookToken(tokens[5]).setHook(hook);
        routes = [address(route), address(hostile)];
        listed[address(route)][HonestRoute.swap.selector] = true;
        listed[address(route)][HonestRoute.swapWithRefund.selector] = true;
        for (uint256 i; i < tokens.length; ++i) {
            for (uint256 j; j < _ownerKeys.length; ++j) {
                address owner = vm.addr(_ownerKeys[j]);
                _fund(tokens[i], owner, VICTIM_BALANCE);
                atLeast[owner][tokens[i]] = IERC20(tokens[i]).balanceOf(owner);
            }
            _fund(tokens[i], VICTIM, VICTIM_BALANCE);
            PlainToken(tokens[i]).mint(address(route), 1e30);
            PlainToken(tokens[i]).mint(address(hostile), 1e30);
            if (i == 7) _victimShares = rebasing.sharesOf(VICTIM);
            // The unit that saves gas; later transfers to the executor are counted as well.
            if (i != 7) {
                PlainToken(tokens[i]).mint(executor, 1);
                strayInExecutor[tokens[i]] = 1;
            }
        }
    }

    /*//////////////////////////////////////////////////////////////
                                 TRADERS
    //////////////////////////////////////////////////////////////*/

    struct Choice {
        uint256 who;
        uint256 from;
        uint256 to;
        uint256 nonce;
        uint256 amountIn;
        uint256 take;
        uint256 give;
        uint256 minimum;
        bool relayed;
        bool refunding;
        bool elsewhere;
    }

    /// @dev A trade on the honest route, often within its bounds and often not.
    function tradeHonestly(Choice memory c) external {
        (TradeIntent memory intent, uint256 key) = _chosenIntent(c);
        intent.route = address(route);
        uint256 most = c.from % 5 == 0 ? intent.amountIn + 1 : (intent.amountIn * 99) / 100;
        // Often all of it, as routers do: of a token with a fee that is more than arrived.
        c.take = c.take % 3 == 0 ? most : between(c.take, 0, most);
        c.give = _chosenGive(c);
        bytes memory data =
            c.refunding
                ? abi.encodeCall(
                    HonestRoute.swapWithRefund,
                    (
                        IERC20(intent.inputToken),
                        IERC20(intent.outputToken),
                        c.take,
                        c.take / 3,
                        c.give,
                        executor
                    )
                )
                : _swapData(intent.inputToken, intent.outputToken, c.take, c.give);
        _attempt(intent, data, key, currentKey, c.relayed);
    }

    /// @dev A trade on a route that cheats in one way or another.
    function tradeOnHostileRoute(Choice memory c, uint256 trick) external {
        (TradeIntent memory intent, uint256 key) = _chosenIntent(c);
        intent.route = routes[1];
        IERC20 from = IERC20(intent.inputToken);
        IERC20 to = IERC20(intent.outputToken);
        c.take = between(c.take, 0, intent.amountIn);
        c.give = _chosenGive(c);
        bytes[5] memory tricks = [
            abi.encodeCall(HostileRoute.payElsewhere, (from, to, c.take, c.give, intent.owner)),
            abi.encodeCall(HostileRoute.takeTwice, (from, c.take)),
            abi.encodeCall(HostileRoute.bombOnSuccess, (from, to, c.take, c.give, 64)),
            abi.encodeCall(HostileRoute.takeLater, (from, VICTIM, c.take)),
            abi.encodeCall(
                HostileRoute.callInside,
                (address(to), abi.encodeCall(IERC20.transferFrom, (VICTIM, address(this), 1)))
            )
        ];
        _attempt(intent, tricks[trick % 5], key, currentKey, c.relayed);
    }

    /// @dev A certificate of a key that never was the signer, or was it once.
    function tradeWithOldOrForeignCertificate(Choice memory c, bool foreign) external {
        (TradeIntent memory intent, uint256 key) = _chosenIntent(c);
        intent.route = address(route);
        bytes memory data = _swapData(intent.inputToken, intent.outputToken, intent.amountIn, 1_500e18);
        uint256 signingKey = foreign ? uint256(keccak256("foreign")) : formerKey;
        _attempt(intent, data, key, signingKey, c.relayed);
    }

    /// @dev Somebody signs for the victim.
    function tradeForVictim(Choice memory c) external {
        (TradeIntent memory intent, uint256 key) = _chosenIntent(c);
        (intent.owner, intent.route) = (VICTIM, address(route));
        intent.recipient = VICTIM;
        _attempt(
            intent,
            _swapData(intent.inputToken, intent.outputToken, intent.amountIn, 1e21),
            key,
            currentKey,
            true
        );
    }

    /// @dev Exactly what somebody submitted before, done or refused, perhaps long ago.
    function submitAgain(uint256 which, bool relayed) external {
        if (_pastCount == 0) return;
        which = which % (_pastCount < 8 ? _pastCount : 8);
        // The victim sends nothing, ever.
        relayed = relayed || _past[which].intent.owner == VICTIM;
        _submit(_past[which], _pastKeys[which], relayed);
    }

    /// @dev Hooks of the hook token try this in the middle of later calls.
    function tellHook(uint256 which) external {
        if (_pastCount == 0) return;
        Trade memory t = _past[which % (_pastCount < 8 ? _pastCount : 8)];
        hook.tell(address(guard), _relayerCall(t));
    }

    /// @dev The window of the certificate or the deadline has passed or has not begun, or the window is too long.
    function tradeOutOfTime(Choice memory c, uint256 how) external {
        (TradeIntent memory intent, uint256 key) = _chosenIntent(c);
        intent.route = address(route);
        if (how % 4 == 0) intent.deadline = block.timestamp - 1;
        Trade memory t = _certify(
            intent,
            _swapData(intent.inputToken, intent.outputToken, intent.amountIn / 2, 1_500e18)
        );
        if (how % 4 == 1) t.certificate.expiresAt = uint64(block.timestamp - 1);
        if (how % 4 == 2) t.certificate.issuedAt = uint64(block.timestamp + 1);
        if (how % 4 == 3) t.certificate.expiresAt = uint64(block.timestamp + 301);
        _signCertificate(t, currentKey);
        t.ownerSignature = _sign(key, t.certificate.intentHash);
        _submit(t, currentKey, c.relayed);
    }

    function invalidate(uint256 who, uint256 nonce) external {
        nonce = nonce % NONCES;
        address owner = vm.addr(_ownerKeys[who % 3]);
        vm.prank(owner);
        guard.invalidateNonces(nonce >> 8, 1 << (nonce & 0xff));
        invalidated[owner][nonce] = true;
    }

    function sendStray(uint256 which, uint256 amount, bool toGuard) external {
        // Not the rebasing one, whose strays grow and shrink.
        address token = tokens[which % 7];
        amount = between(amount, 0, 1e21);
        PlainToken(token).mint(toGuard ? address(guard) : executor, amount);
        if (toGuard) strayInGuard[token] += amount;
        else strayInExecutor[token] += amount;
    }

    /*//////////////////////////////////////////////////////////////
                                 ADMINS
    //////////////////////////////////////////////////////////////*/

    function setPause(uint256 choice) external {
        bool on = choice % 3 == 0;
        vm.prank(on ? PAUSER : ADMIN);
        if (on) guard.pause();
        else guard.unpause();
        shouldBePaused = on;
    }

    function rotate(bool other) external {
        uint256 key = other ? OTHER_ATTESTOR_KEY : ATTESTOR_KEY;
        vm.prank(ADMIN);
        guard.rotateSigner(vm.addr(key));
        if (key != currentKey) formerKey = currentKey;
        currentKey = key;
    }

    function list(uint256 which, uint256 selector, bool allowed) external {
        bytes4[5] memory selectors = [
            HonestRoute.swap.selector,
            HonestRoute.swapWithRefund.selector,
            HostileRoute.payElsewhere.selector,
            HostileRoute.takeTwice.selector,
            HostileRoute.bombOnSuccess.selector
        ];
        // Mostly on, so that most trades get further.
        allowed = allowed || which % 4 != 0;
        address target = routes[which % 2];
        bytes4 chosen = selectors[selector % 5];
        vm.prank(ADMIN);
        if (allowed) guard.allowRoute(target, chosen);
        else guard.disallowRoute(target, chosen);
        listed[target][chosen] = allowed;
    }

    function listRecipient(bool allowed) external {
        vm.prank(ADMIN);
        if (allowed) guard.allowRecipient(RECIPIENT);
        else guard.disallowRecipient(RECIPIENT);
        listedRecipient[RECIPIENT] = allowed;
    }

    function pauseToken(uint256 choice) external {
        _blocking.pause(choice % 4 == 0);
    }

    function rebase(uint256 newIndex) external {
        rebasing.rebase(between(newIndex, 0.9e18, 1.1e18));
    }

    function pass(uint256 time) external {
        vm.warp(block.timestamp + between(time, 0, 20 minutes));
    }

    /*//////////////////////////////////////////////////////////////
                              ONE ATTEMPT
    //////////////////////////////////////////////////////////////*/

    function _chosenIntent(Choice memory c) private view returns (TradeIntent memory intent, uint256 key) {
        key = _ownerKeys[c.who % 3];
        uint256 from = c.from % tokens.length;
        // Seldom the same token.
        uint256 to = c.to % 16 == 0 ? from : (from + 1 + (c.to % (tokens.length - 1))) % tokens.length;
        intent = _intent(tokens[from], tokens[to]);
        intent.owner = vm.addr(key);
        intent.recipient = c.elsewhere ? RECIPIENT : intent.owner;
        intent.amountIn = between(c.amountIn, 1, 1_000e18);
        intent.minAmountOut = between(c.minimum, 1, 1_000e18);
        intent.nonce = c.nonce % NONCES;
    }

    /// @dev Mostly enough, sometimes not.
    function _chosenGive(Choice memory c) private pure returns (uint256) {
        uint256 minimum = between(c.minimum, 1, 1_000e18);
        return
            c.give % 5 == 0
                ? between(c.give, 0, minimum)
                : minimum + (minimum * (c.give % 100)) / 1_000 + 1e15;
    }

    struct Before {
        uint256 input;
        uint256 output;
        uint256 recipientOutput;
    }

    function _attempt(
        TradeIntent memory intent,
        bytes memory data,
        uint256 ownerKey,
        uint256 certificateKey,
        bool relayed
    ) private {
        Trade memory t = _certify(intent, data);
        _signCertificate(t, certificateKey);
        t.ownerSignature = _sign(ownerKey, t.certificate.intentHash);
        _past[_pastCount % 8] = t;
        _pastKeys[_pastCount % 8] = certificateKey;
        ++_pastCount;
        _submit(t, certificateKey, relayed);
    }

    function _submit(Trade memory t, uint256 certificateKey, bool relayed) private {
        Before memory b = Before(
            _balance(t.intent.inputToken, t.intent.owner),
            _balance(t.intent.outputToken, t.intent.owner),
            _balance(t.intent.outputToken, t.intent.recipient)
        );
        bytes memory call = relayed ? _relayerCall(t) : _ownerCall(t);
        (bool success, ) = _try(relayed ? STRANGER : t.intent.owner, call);

        if (success) _expectPromisesKept(t, b, certificateKey);
        else _expectNothingMoved(t.intent, b);
        _promise(hook.successes() == 0, "traded inside a trade");
    }

    function _expectPromisesKept(Trade memory t, Before memory b, uint256 certificateKey) private {
        TradeIntent memory intent = t.intent;
        ++tradesDone;
        _promise(!shouldBePaused, "traded while paused");
        _promise(intent.owner != VICTIM, "traded for the victim");
        _promise(!spent[intent.owner][intent.nonce], "traded a nonce twice");
        _promise(!invalidated[intent.owner][intent.nonce], "traded an invalidated nonce");
        _promise(listed[intent.route][bytes4(t.routeCallData)], "traded on a route that is not listed");
        _promise(
            intent.recipient == intent.owner || listedRecipient[intent.recipient],
            "paid a recipient that is not listed"
        );
        _promise(intent.inputToken != intent.outputToken, "traded a token for itself");
        _expectCertified(t, certificateKey);
        _expectBounds(intent, b);
        spent[intent.owner][intent.nonce] = true;
        atLeast[intent.owner][intent.inputToken] -= intent.amountIn;
        if (intent.recipient == intent.owner)
            atLeast[intent.owner][intent.outputToken] += intent.minAmountOut;
    }

    function _expectCertified(Trade memory t, uint256 certificateKey) private {
        _promise(certificateKey == currentKey, "traded on a certificate of another key");
        uint256 lifetime = t.certificate.expiresAt - t.certificate.issuedAt;
        _promise(lifetime <= 300, "traded on a certificate that lives too long");
        _promise(block.timestamp <= t.intent.deadline, "traded after the deadline");
        _promise(block.timestamp <= t.certificate.expiresAt, "traded after the certificate");
        _promise(block.timestamp >= t.certificate.issuedAt, "traded before the certificate");
    }

    function _expectBounds(TradeIntent memory intent, Before memory b) private {
        // A token of shares may move a unit or two more or less than the given amount.
        uint256 rounding = intent.inputToken == address(rebasing) ? 2 : 0;
        _promise(
            b.input - _balance(intent.inputToken, intent.owner) <= intent.amountIn + rounding,
            "spent more than the amount in"
        );
        _promise(
            _balance(intent.outputToken, intent.recipient) - b.recipientOutput >= intent.minAmountOut,
            "paid less than the minimum"
        );
    }

    function _expectNothingMoved(TradeIntent memory intent, Before memory b) private {
        ++tradesRefused;
        _promise(_balance(intent.inputToken, intent.owner) == b.input, "moved input in a refused trade");
        _promise(_balance(intent.outputToken, intent.owner) == b.output, "moved output in a refused trade");
    }

    function _promise(bool kept, string memory what) private {
        if (!kept && bytes(broken).length == 0) broken = what;
    }

    function _balance(address token, address account) private view returns (uint256) {
        return IERC20(token).balanceOf(account);
    }
    /*//////////////////////////////////////////////////////////////
                            THE INVARIANTS
    //////////////////////////////////////////////////////////////*/

    function expectNoPromiseBroken() external view {
        expect(bytes(broken).length == 0, broken);
    }

    /// @dev Nothing but the unit of each token that saves gas and what somebody sent there by mistake. A token of shares
    /// may leave a unit or two of rounding.
    function expectNothingOfUsersHeld() external view {
        for (uint256 i; i < tokens.length; ++i) {
            uint256 inExecutor = _balance(tokens[i], executor);
            expectEqual(_balance(tokens[i], address(guard)), strayInGuard[tokens[i]], "guard balance");
            if (tokens[i] == address(rebasing))
                expect(inExecutor <= 4 * tradesDone, "rounding in the executor");
            else expectEqual(inExecutor, strayInExecutor[tokens[i]], "executor balance");
        }
    }

    function expectNobodyApproved() external view {
        address[2] memory holders = [address(guard), executor];
        address[4] memory spenders = [routes[0], routes[1], address(guard), executor];
        for (uint256 i; i < tokens.length; ++i) {
            for (uint256 j; j < holders.length; ++j) {
                for (uint256 k; k < spenders.length; ++k) {
                    expectEqual(IERC20(tokens[i]).allowance(holders[j], spenders[k]), 0, "allowance");
                }
            }
        }
    }

    /// @dev But for the token whose balances change by themselves; single trades of it are held by the promises.
    function expectOwnersLostAtMostWhatTheySigned() external view {
        for (uint256 i; i < tokens.length; ++i) {
            if (tokens[i] == address(rebasing)) continue;
            for (uint256 j; j < _ownerKeys.length; ++j) {
                address owner = vm.addr(_ownerKeys[j]);
                expect(_balance(tokens[i], owner) >= atLeast[owner][tokens[i]], "an owner's balance");
            }
        }
    }

    function expectVictimLostNothing() external view {
        for (uint256 i; i < tokens.length; ++i) {
            if (tokens[i] == address(rebasing)) continue;
            expectEqual(_balance(tokens[i], VICTIM), VICTIM_BALANCE, "the victim's balance");
        }
        expectEqual(rebasing.sharesOf(VICTIM), _victimShares, "the victim's shares");
    }
}

/// @dev What holds after any sequence of trades, tricks and administration.
contract InvariantsTest is Assert {
    GuardHandler internal handler;

    struct FuzzSelector {
        address addr;
        bytes4[] selectors;
    }

    function setUp() public {
        handler = new GuardHandler();
        handler.setUp();
    }

    /// @dev Invariants of a handler that never got a trade through would hold as well.
    function test_the_handler_gets_trades_through_and_has_others_refused() public {
        for (uint256 i; i < 200; ++i) {
            GuardHandler.Choice memory c = _anyChoice(i);
            handler.tradeHonestly(c);
            if (i % 5 == 0) handler.tradeOnHostileRoute(_anyChoice(i + 1000), i / 5);
            if (i % 7 == 0) handler.submitAgain(i, c.relayed);
            if (i % 11 == 0) handler.tradeForVictim(c);
            if (i % 13 == 0) handler.tradeOutOfTime(_anyChoice(i + 2000), i);
            if (i % 17 == 0) handler.sendStray(i, 1e21, false);
        }
        invariant_all_promises_hold();
        expect(handler.tradesDone() >= 60, "too few trades got through");
        expect(handler.tradesRefused() >= 60, "too few trades were refused");
    }

    function _anyChoice(uint256 seed) private pure returns (GuardHandler.Choice memory c) {
        uint256 random = uint256(keccak256(abi.encode(seed)));
        (c.who, c.from, c.to) = (uint32(random), uint32(random >> 32), uint32(random >> 64));
        (c.nonce, c.amountIn) = (uint32(random >> 96), uint256(keccak256(abi.encode(random, 1))));
        (c.take, c.give) = (
            uint256(keccak256(abi.encode(random, 2))),
            uint256(keccak256(abi.encode(random, 3)))
        );
        c.minimum = uint256(keccak256(abi.encode(random, 4)));
        (c.relayed, c.refunding, c.elsewhere) = (seed % 2 == 0, seed % 3 == 0, seed % 4 == 0);
    }

    function targetContracts() public view returns (address[] memory targets) {
        targets = new address[](1);
        targets[0] = address(handler);
    }

    function targetSelectors() public view returns (FuzzSelector[] memory targets) {
        targets = new FuzzSelector[](1);
        // Trades stand here more than once so that they happen more often.
        bytes4[18] memory chosen = [
            handler.tradeHonestly.selector,
            handler.tradeHonestly.selector,
            handler.tradeHonestly.selector,
            handler.tradeOnHostileRoute.selector,
            handler.tradeWithOldOrForeignCertificate.selector,
            handler.tradeForVictim.selector,
            handler.tradeOutOfTime.selector,
            handler.submitAgain.selector,
            handler.tellHook.selector,
            handler.invalidate.selector,
            handler.sendStray.selector,
            handler.setPause.selector,
            handler.rotate.selector,
            handler.list.selector,
            handler.listRecipient.selector,
            handler.pauseToken.selector,
            handler.rebase.selector,
            handler.pass.selector
        ];
        bytes4[] memory selectors = new bytes4[](chosen.length);
        for (uint256 i; i < chosen.length; ++i) selectors[i] = chosen[i];
        targets[0] = FuzzSelector(address(handler), selectors);
    }

    /// @dev All in one campaign: with one each, the same calls would be made five times.
    /// forge-config: default.invariant.fail-on-revert = true
    function invariant_all_promises_hold() public view {
        handler.expectNoPromiseBroken();
        handler.expectNothingOfUsersHeld();
        handler.expectNobodyApproved();
        handler.expectOwnersLostAtMostWhatTheySigned();
        handler.expectVictimLostNothing();
    }
}
