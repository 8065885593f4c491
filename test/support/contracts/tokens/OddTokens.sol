// SPDX-License-Identifier: MIT
pragma solidity 0.8.35;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {PlainToken} from "./PlainToken.sol";

/// @dev Odd tokens as they exist, each written anew and as small as it can be. Anyone may mint.
abstract contract OddToken {
    mapping(address account => uint256) internal _units;
    mapping(address owner => mapping(address spender => uint256)) internal _allowances;

    function mint(address to, uint256 amount) external virtual {
        _units[to] += amount;
    }

    function balanceOf(address account) public view virtual returns (uint256) {
        return _units[account];
    }

    function allowance(address owner, address spender) public view virtual returns (uint256) {
        return _allowances[owner][spender];
    }

    function _approve(address spender, uint256 amount) internal virtual {
        _allowances[msg.sender][spender] = amount;
    }

    function _spend(address owner, uint256 amount) internal virtual {
        uint256 left = _allowances[owner][msg.sender];
        require(left >= amount, "allowance");
        _allowances[owner][msg.sender] = left - amount;
    }

    function _move(address from, address to, uint256 amount) internal virtual {
        require(_units[from] >= amount, "balance");
        _units[from] -= amount;
        _units[to] += amount;
    }
}

/// @dev The usual return values, for those that are odd elsewhere.
abstract contract ReturningToken is OddToken {
    function approve(address spender, uint256 amount) external virtual returns (bool) {
        _approve(spender, amount);
        return true;
    }

    function transfer(address to, uint256 amount) external virtual returns (bool) {
        _move(msg.sender, to, amount);
        return true;
    }

    function transferFrom(address from, address to, uint256 amount) external virtual returns (bool) {
        _spend(from, amount);
        _move(from, to, amount);
        return true;
    }
}

/// @dev Burns a part of every transfer.
contract FeeToken is ReturningToken {
    uint256 public immutable FEE_BPS;

    constructor(uint256 feeBps) {
        FEE_BPS = feeBps;
    }

    function _move(address from, address to, uint256 amount) internal override {
        super._move(from, to, amount);
        _units[to] -= (amount * FEE_BPS) / 10_000;
    }
}

/// @dev Keeps one unit of every transfer to anyone but one account.
contract OneUnitFeeToken is ReturningToken {
    address private immutable FREE;

    constructor(address free) {
        FREE = free;
    }

    function _move(address from, address to, uint256 amount) internal override {
        super._move(from, to, amount);
        if (to != FREE) --_units[to];
    }
}

/// @dev Returns nothing at all.
contract MissingReturnToken is OddToken {
    function approve(address spender, uint256 amount) external virtual {
        _approve(spender, amount);
    }

    function transfer(address to, uint256 amount) external {
        _move(msg.sender, to, amount);
    }

    function transferFrom(address from, address to, uint256 amount) external {
        _spend(from, amount);
        _move(from, to, amount);
    }
}

/// @dev Returns nothing, and wants allowances to go through zero.
contract ApprovalRaceToken is MissingReturnToken {
    function _approve(address spender, uint256 amount) internal override {
        require(amount == 0 || _allowances[msg.sender][spender] == 0, "approve from zero");
        super._approve(spender, amount);
    }
}

/// @dev Approves nothing for one account, and answers it with these bytes.
contract StubbornToken is ReturningToken {
    address private _to;
    bool private _reverts;
    bytes private _answer;

    function answer(address to, bool reverts, bytes calldata data) external {
        (_to, _reverts, _answer) = (to, reverts, data);
    }

    function approve(address spender, uint256 amount) external override returns (bool) {
        if (msg.sender == _to) {
            (bytes memory data, bool reverts) = (_answer, _reverts);
            assembly ("memory-safe") {
                if reverts {
                    revert(add(data, 0x20), mload(data))
                }
                return(add(data, 0x20), mload(data))
            }
        }
        _approve(spender, amount);
        return true;
    }
}

/// @dev Keeps something of every allowance that is taken back.
contract StickyToken is ReturningToken {
    uint256 private immutable KEPT;

    constructor(uint256 kept) {
        KEPT = kept;
    }

    function _approve(address spender, uint256 amount) internal override {
        super._approve(spender, amount == 0 ? KEPT : amount);
    }
}

/// @dev Refuses to approve zero.
contract ZeroApprovalRefusingToken is ReturningToken {
    function _approve(address spender, uint256 amount) internal override {
        require(amount != 0, "zero approval");
        super._approve(spender, amount);
    }
}

/// @dev Refuses to transfer zero.
contract ZeroTransferRefusingToken is ReturningToken {
    function _move(address from, address to, uint256 amount) internal override {
        require(amount != 0, "zero transfer");
        super._move(from, to, amount);
    }
}

/// @dev Does not revert when it cannot transfer: returns false.
contract FalseReturningToken is OddToken {
    bool public broken;

    function breakDown(bool isBroken) external {
        broken = isBroken;
    }

    function approve(address spender, uint256 amount) external returns (bool) {
        _approve(spender, amount);
        return true;
    }

    function transfer(address to, uint256 amount) external returns (bool) {
        if (broken || _units[msg.sender] < amount) return false;
        _move(msg.sender, to, amount);
        return true;
    }

    function transferFrom(address from, address to, uint256 amount) external returns (bool) {
        if (broken || _units[from] < amount || _allowances[from][msg.sender] < amount) return false;
        _spend(from, amount);
        _move(from, to, amount);
        return true;
    }
}

/// @dev Says yes and does nothing.
contract LyingToken is ReturningToken {
    function _move(address, address, uint256) internal override {}
}

/// @dev Keeps shares; a balance is shares times an index, rounded down, as tokenized stocks do for dividends.
contract RebasingToken is ReturningToken {
    uint256 public index = 1.037e18;

    function sharesOf(address account) external view returns (uint256) {
        return _units[account];
    }

    function rebase(uint256 newIndex) external {
        index = newIndex;
    }

    function mint(address to, uint256 amount) external override {
        _units[to] += (amount * 1e18) / index + 1;
    }

    function balanceOf(address account) public view override returns (uint256) {
        return (_units[account] * index) / 1e18;
    }

    function _move(address from, address to, uint256 amount) internal override {
        super._move(from, to, (amount * 1e18) / index);
    }
}

/// @dev Makes every balance of another token shrink when an allowance of its own is taken back.
contract ShrinkingApprovalToken is ReturningToken {
    RebasingToken private immutable OTHER;

    constructor(RebasingToken other) {
        OTHER = other;
    }

    function _approve(address spender, uint256 amount) internal override {
        super._approve(spender, amount);
        if (amount == 0) OTHER.rebase(0.5e18);
    }
}

/// @dev Can be paused and can block accounts.
contract BlockingToken is ReturningToken {
    bool public paused;
    mapping(address account => bool) public blocked;

    function pause(bool isPaused) external {
        paused = isPaused;
    }

    function blockAccount(address account, bool isBlocked) external {
        blocked[account] = isBlocked;
    }

    function _move(address from, address to, uint256 amount) internal override {
        require(!paused, "paused");
        require(!blocked[from] && !blocked[to], "blocked");
        super._move(from, to, amount);
    }
}

/// @dev Refuses calls that are longer than they have to be.
contract StrictToken is ReturningToken {
    modifier words(uint256 count) {
        require(msg.data.length == 4 + 32 * count, "length");
        _;
    }

    function balanceOf(address account) public view override words(1) returns (uint256) {
        return super.balanceOf(account);
    }

    function allowance(address owner, address spender) public view override words(2) returns (uint256) {
        return super.allowance(owner, spender);
    }
}

/// @dev Says more than it was asked.
contract TalkativeToken is ReturningToken {
    function balanceOf(address account) public view override returns (uint256) {
        _answer(super.balanceOf(account));
    }

    function allowance(address owner, address spender) public view override returns (uint256) {
        _answer(super.allowance(owner, spender));
    }

    function _answer(uint256 units) private pure {
        assembly ("memory-safe") {
            mstore(0x00, units)
            mstore(0x20, not(0))
            return(0x00, 0x40)
        }
    }
}

/// @dev Falls silent in the middle of a trade: about one account's balance once it has been moved so often, or about
/// allowances once it has approved so often.
contract FallingSilentToken is ReturningToken {
    uint256 private constant NEVER = type(uint256).max;

    address private _account;
    uint256 private _movesLeft = NEVER;
    uint256 private _approvalsLeft = NEVER;

    function silenceBalance(address account, uint256 afterMoves) external {
        (_account, _movesLeft, _approvalsLeft) = (account, afterMoves, NEVER);
    }

    function silenceAllowances(uint256 afterApprovals) external {
        (_movesLeft, _approvalsLeft) = (NEVER, afterApprovals);
    }

    function balanceOf(address account) public view override returns (uint256) {
        require(_movesLeft != 0 || account != _account, "silent");
        return super.balanceOf(account);
    }

    function allowance(address owner, address spender) public view override returns (uint256) {
        require(_approvalsLeft != 0, "silent");
        return super.allowance(owner, spender);
    }

    function _move(address from, address to, uint256 amount) internal override {
        super._move(from, to, amount);
        if (_movesLeft != NEVER && _movesLeft != 0) --_movesLeft;
    }

    function _approve(address spender, uint256 amount) internal override {
        super._approve(spender, amount);
        if (_approvalsLeft != NEVER && _approvalsLeft != 0) --_approvalsLeft;
    }
}

/// @dev Takes no amount above 96 bits.
contract Uint96Token is ReturningToken {
    function _approve(address spender, uint256 amount) internal override {
        require(amount <= type(uint96).max, "96 bits");
        super._approve(spender, amount);
    }

    function _move(address from, address to, uint256 amount) internal override {
        require(amount <= type(uint96).max, "96 bits");
        super._move(from, to, amount);
    }
}

/// @dev Wants no allowance for moving one's own tokens with transferFrom.
contract SelfTransferToken is ReturningToken {
    function _spend(address owner, uint256 amount) internal override {
        if (owner != msg.sender) super._spend(owner, amount);
    }
}

/// @dev Keeps an allowance of the highest amount as it is, and takes that amount to mean everything.
contract MaxMeansAllToken is ReturningToken {
    function _spend(address owner, uint256 amount) internal override {
        if (_allowances[owner][msg.sender] != type(uint256).max) super._spend(owner, amount);
    }

    function _move(address from, address to, uint256 amount) internal override {
        super._move(from, to, amount == type(uint256).max ? _units[from] : amount);
    }
}

interface ITransferHook {
    function onTransfer(address from, address to, uint256 amount) external;
}

/// @dev Calls a hook after every transfer, as tokens with sender and receiver hooks do.
contract HookToken is ReturningToken {
    ITransferHook public hook;

    function setHook(ITransferHook newHook) external {
        hook = newHook;
    }

    function _move(address from, address to, uint256 amount) internal override {
        super._move(from, to, amount);
        if (address(hook) != address(0)) hook.onTransfer(from, to, amount);
    }
}

/// @dev Gives an account something of its own while it is paid.
contract Benefactor is ITransferHook {
    PlainToken private immutable TOKEN;
    address private immutable WHOM;

    constructor(PlainToken token, address whom) {
        (TOKEN, WHOM) = (token, whom);
    }

    function onTransfer(address, address to, uint256) external {
        if (to == WHOM) TOKEN.mint(WHOM, 5);
    }
}

/// @dev Remembers a spender's allowance at the holder's last transfer that called this hook.
contract AllowanceAtTransfer is ITransferHook {
    IERC20 private immutable TOKEN;
    address private immutable HOLDER;
    address private immutable SPENDER;
    uint256 public last = type(uint256).max;

    constructor(IERC20 token, address holder, address spender) {
        (TOKEN, HOLDER, SPENDER) = (token, holder, spender);
    }

    function onTransfer(address from, address, uint256) external {
        if (from == HOLDER) last = TOKEN.allowance(HOLDER, SPENDER);
    }
}

/// @dev A second address of another token: what moves here moves there.
contract SecondAddress {
    TwoAddressToken private immutable TOKEN;

    constructor(TwoAddressToken token) {
        TOKEN = token;
    }

    function balanceOf(address account) external view returns (uint256) {
        return TOKEN.balanceOf(account);
    }

    function allowance(address owner, address spender) external view returns (uint256) {
        return TOKEN.allowance(owner, spender);
    }

    function approve(address spender, uint256 amount) external returns (bool) {
        return TOKEN.approveAs(msg.sender, spender, amount);
    }

    function transfer(address to, uint256 amount) external returns (bool) {
        return TOKEN.transferAs(msg.sender, to, amount);
    }

    function transferFrom(address from, address to, uint256 amount) external returns (bool) {
        return TOKEN.transferFromAs(msg.sender, from, to, amount);
    }
}

contract TwoAddressToken is ReturningToken {
    SecondAddress public immutable SECOND = new SecondAddress(this);

    modifier onlySecond() {
        require(msg.sender == address(SECOND), "second address only");
        _;
    }

    function approveAs(address owner, address spender, uint256 amount) external onlySecond returns (bool) {
        _allowances[owner][spender] = amount;
        return true;
    }

    function transferAs(address from, address to, uint256 amount) external onlySecond returns (bool) {
        _move(from, to, amount);
        return true;
    }

    function transferFromAs(
        address spender,
        address from,
        address to,
        uint256 amount
    ) external onlySecond returns (bool) {
        require(_allowances[from][spender] >= amount, "allowance");
        _allowances[from][spender] -= amount;
        _move(from, to, amount);
        return true;
    }
}

/// @dev Tells balances in too few bytes.
contract ShortAnswerToken {
    fallback() external {
        assembly ("memory-safe") {
            mstore(0x00, not(0))
            return(0x00, 0x1f)
        }
    }
}

/// @dev Reverts with a message at everything.
contract RevertingToken {
    fallback() external {
        revert("closed");
    }
}

/// @dev Answers a transfer, which only a refund of it is, as scripted.
contract MuteRefundToken is ReturningToken {
    bytes private _answer;
    bool private _reverts;

    function set(bytes calldata answer, bool reverts) external {
        (_answer, _reverts) = (answer, reverts);
    }

    function transfer(address, uint256) external view override returns (bool) {
        (bytes memory answer, bool reverts) = (_answer, _reverts);
        assembly ("memory-safe") {
            if reverts {
                revert(add(answer, 0x20), mload(answer))
            }
            return(add(answer, 0x20), mload(answer))
        }
    }
}

/// @dev Fails with a megabyte where it is armed.
contract BombToken is ReturningToken {
    bytes4 private _armed;

    modifier bombs() {
        if (msg.sig == _armed) {
            assembly ("memory-safe") {
                revert(0x00, 0x100000)
            }
        }
        _;
    }

    function arm(bytes4 selector) external {
        _armed = selector;
    }

    function balanceOf(address account) public view override bombs returns (uint256) {
        return super.balanceOf(account);
    }

    function allowance(address owner, address spender) public view override bombs returns (uint256) {
        return super.allowance(owner, spender);
    }

    function _approve(address spender, uint256 amount) internal override bombs {
        super._approve(spender, amount);
    }

    function _move(address from, address to, uint256 amount) internal override bombs {
        super._move(from, to, amount);
    }
}
