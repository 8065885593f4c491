/**
 * Writes the weakened guard that the attack tests show their teeth on: the real sources, with a switch before each
 * protection. `node tools/mutate/weaken.ts` after a change of the guard; a test fails while the copy is another.
 */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { format, resolveConfig } from "prettier";

const ROOT = join(import.meta.dirname, "../..");
const FOLDER = "test/support/contracts/weakened";

/** What stands in the source exactly once, and what stands for it in the copy. */
type Edit = readonly [original: string, weakened: string];

/** A condition that does not count under a weakness. */
const unless = (weakness: string, condition: string): Edit => [
  `if (${condition})`,
  `if (!weakened(Weakness.${weakness}) && (${condition}))`,
];

const IMPORTS: readonly Edit[] = [
  [
    "import {ITradeGuard, TradeIntent",
    'import {Weakness, weakened} from "./Weakness.sol";\nimport {ITradeGuard, TradeIntent',
  ],
  ['"./ITradeGuard.sol"', '"../../../../contracts/ITradeGuard.sol"'],
];

const GUARD: readonly Edit[] = [
  ...IMPORTS,
  [
    'import {RouteExecutor, balanceOf} from "./RouteExecutor.sol"',
    'import {WeakenedExecutor, balanceOf} from "./WeakenedExecutor.sol"',
  ],
  [
    "import {SafeERC20} from",
    'import {IERC20Permit} from "@openzeppelin/contracts/token/ERC20/extensions/IERC20Permit.sol";\nimport {SafeERC20} from',
  ],
  ["contract TradeGuard is", "contract WeakenedGuard is"],
  ["RouteExecutor private immutable EXECUTOR", "WeakenedExecutor private immutable EXECUTOR"],
  ["new RouteExecutor()", "new WeakenedExecutor()"],
  ["RouteExecutor to = EXECUTOR", "WeakenedExecutor to = EXECUTOR"],
  ["RouteExecutor.run.selector", "WeakenedExecutor.run.selector"],
  unless("AnySender", "msg.sender != trade.owner"),
  unless("PauseIgnored", "isPaused"),
  unless("AnySigner", "recovered != currentSigner && !_isPreviousSigner(recovered)"),
  unless("CertificateOfAnother", "certificate.intentHash != intentHash"),
  unless("EarlyCertificate", "block.timestamp < certificate.issuedAt"),
  unless("ExpiredCertificate", "block.timestamp > certificate.expiresAt"),
  unless("LateTrade", "block.timestamp > intent.deadline"),
  unless("NoMinimum", "intent.minAmountOut == 0"),
  unless("RouteIsToken", "route == inputToken || route == outputToken"),
  unless("AnyRoute", "!_allowedRoutes[_routeKey(route, selector)]"),
  unless("ShortCallData", "routeCallData.length < 4"),
  unless("AnySelector", "bytes4(routeCallData) != selector"),
  unless("CallDataUnsigned", "callDataHash != intent.callDataHash"),
  unless("RecipientIsToken", "recipient == inputToken || recipient == outputToken"),
  unless("AnyRecipient", "recipient != intent.owner && !isRecipientAllowed[recipient]"),
  unless("NonceUnchecked", "flipped & bit == 0"),
  [
    ") revert InvalidRoute(route, selector);",
    ") if (!weakened(Weakness.AnythingListed)) revert InvalidRoute(route, selector);",
  ],
  // Replay keyed on the bytes of a signature that has more than one form.
  [
    "        _spendNonce(trade.owner, trade.nonce);\n        _checkOwnerSignature(",
    "        if (weakened(Weakness.SignatureAsNonce)) _spendSignature(ownerSignature);\n" +
      "        else _spendNonce(trade.owner, trade.nonce);\n        _checkOwnerSignature(",
  ],
  [
    "        _spendNonce(owner, intent.nonce);\n        _checkOwnerSignature(",
    "        if (weakened(Weakness.SignatureAsNonce)) _spendSignature(ownerSignature);\n" +
      "        else _spendNonce(owner, intent.nonce);\n        _checkOwnerSignature(",
  ],
  unless("SignatureAsNonce", "s > HALF_ORDER"),
  [
    "bytes calldata signature) private pure returns (address recovered)",
    "bytes calldata signature) private view returns (address recovered)",
  ],
  ["_hashTypedDataV4(_hashCertificate(certificate))", "_digest(_hashCertificate(certificate))"],
  [
    "bytes calldata signature) private view {\n        bytes32 digest = _hashTypedDataV4(intentHash);",
    "bytes calldata signature) private {\n        if (weakened(Weakness.OwnerUnsigned)) return;\n" +
      "        bytes32 digest = _digest(intentHash);",
  ],
  [
    "if (recovered != address(0) && recovered == owner) return;",
    "if ((recovered != address(0) || weakened(Weakness.ZeroOwner)) && recovered == owner) return;",
  ],
  ["!SignatureChecker.isValidERC1271SignatureNowCalldata(", "!_isValidERC1271("],
  [
    "            revert OwnerSignatureInvalid(owner);",
    '            if (weakened(Weakness.UnsignedSpendsNonce)) {\n                assembly ("memory-safe") {\n' +
      "                    return(0x60, 0x20)\n                }\n            }\n" +
      "            revert OwnerSignatureInvalid(owner);",
  ],
  [
    "block.timestamp <= _previousSignerValidUntil",
    "(weakened(Weakness.OldSignerKept) || block.timestamp <= _previousSignerValidUntil)",
  ],
  [
    "        uint256 bit = 1 << (nonce & 0xff);\n",
    "        uint256 bit = 1 << (nonce & 0xff);\n        if (weakened(Weakness.NonceSpentLate)) {\n" +
      "            if (_usedNonces[owner][nonce >> 8] & bit != 0) revert NonceUsed(owner, nonce);\n" +
      "            return;\n        }\n",
  ],
  [
    "        emit TradeExecuted(",
    "        if (weakened(Weakness.NonceSpentLate)) {\n" +
      "            _usedNonces[intent.owner][intent.nonce >> 8] |= 1 << (intent.nonce & 0xff);\n        }\n" +
      "        emit TradeExecuted(",
  ],
  [
    "        uint256 inputBefore = balanceOf(",
    "        if (weakened(Weakness.OneContract)) {\n" +
      "            // Whoever holds the allowances calls the route.\n" +
      "            (bool done, ) = intent.route.call(routeCallData);\n" +
      '            require(done, "route");\n            return 0;\n        }\n' +
      "        uint256 inputBefore = balanceOf(",
  ],
  [
    "        uint256 inputBefore = balanceOf(",
    "        if (weakened(Weakness.PermitDemanded)) {\n" +
      "            // It stands behind the arguments, and has to work.\n" +
      "            (uint8 v, bytes32 r, bytes32 s) = abi.decode(msg.data[msg.data.length - 96:], (uint8, bytes32, bytes32));\n" +
      "            IERC20Permit(intent.inputToken).permit(\n" +
      "                intent.owner, address(this), intent.amountIn, intent.deadline, v, r, s\n            );\n        }\n" +
      "        uint256 inputBefore = balanceOf(",
  ],
  [
    "        IERC20(intent.inputToken).safeTransferFrom(intent.owner, address(EXECUTOR), intent.amountIn);",
    "        if (weakened(Weakness.AnswerOfTokenIgnored) || weakened(Weakness.CodeUnchecked)) {\n" +
      "            (bool ignored, ) = intent.inputToken.call(\n" +
      "                abi.encodeCall(IERC20.transferFrom, (intent.owner, address(EXECUTOR), intent.amountIn))\n" +
      "            );\n            ignored;\n        } else {\n" +
      "            IERC20(intent.inputToken).safeTransferFrom(intent.owner, address(EXECUTOR), intent.amountIn);\n" +
      "        }",
  ],
  [
    "    /// @dev Neither key is ever zero while it counts.",
    `    bytes32 private immutable _FIRST_DOMAIN = _domainSeparatorV4();
    mapping(bytes32 signatureHash => bool) private _usedSignatures;

    receive() external payable {
        require(weakened(Weakness.NativeCoinTaken), "no native coin");
    }

    function _digest(bytes32 structHash) private view returns (bytes32) {
        if (!weakened(Weakness.ChainForgotten)) return _hashTypedDataV4(structHash);
        return keccak256(abi.encodePacked(hex"1901", _FIRST_DOMAIN, structHash));
    }

    function _spendSignature(bytes calldata signature) private {
        require(!_usedSignatures[keccak256(signature)], "used");
        _usedSignatures[keccak256(signature)] = true;
    }

    function _isValidERC1271(address owner, bytes32 digest, bytes calldata signature) private returns (bool valid) {
        bytes memory question = abi.encodeWithSignature("isValidSignature(bytes32,bytes)", digest, signature);
        if (weakened(Weakness.AnyAnswerOfWallet)) {
            (valid, ) = owner.staticcall(question);
        } else if (weakened(Weakness.WalletMayWrite)) {
            (valid, ) = owner.call(question);
        } else {
            valid = SignatureChecker.isValidERC1271SignatureNowCalldata(owner, digest, signature);
        }
    }

    modifier lockedUnlessWeakened() {
        bool locking = !weakened(Weakness.Unlocked) && !weakened(Weakness.NonceSpentLate);
        if (locking && _reentrancyGuardEntered()) revert ReentrancyGuardReentrantCall();
        if (locking) _setLock(1);
        _;
        if (locking) _setLock(0);
    }

    function _setLock(uint256 value) private {
        bytes32 slot = _reentrancyGuardStorageSlot();
        assembly ("memory-safe") {
            tstore(slot, value)
        }
    }

    /// @dev Neither key is ever zero while it counts.`,
  ],
];

const EXECUTOR: readonly Edit[] = [
  ...IMPORTS,
  ["contract RouteExecutor {", "contract WeakenedExecutor {"],
  unless("AnyoneRunsExecutor", "msg.sender != GUARD"),
  unless("AllowanceKept", "_allowance(inputToken, route) != 0"),
  unless("FeeOfOutputIgnored", "received < minAmountOut"),
  [
    "if (balance < inputBefore) revert",
    "if (balance < inputBefore && weakened(Weakness.FeeOfInputIgnored)) return amountIn;\n" +
      "        if (balance < inputBefore) revert",
  ],
  [
    "    if (!success) revert ITradeGuard.BalanceUnreadable(token);",
    "    if (!success && !weakened(Weakness.CodeUnchecked)) revert ITradeGuard.BalanceUnreadable(token);",
  ],
  [
    "        if (!success) revert ITradeGuard.AllowanceUnreadable(token);",
    "        if (weakened(Weakness.CodeUnchecked)) return 0;\n" +
      "        if (!success) revert ITradeGuard.AllowanceUnreadable(token);",
  ],
  [
    "IERC20(inputToken).forceApprove(route, amountIn);",
    "if (!weakened(Weakness.CodeUnchecked)) IERC20(inputToken).forceApprove(route, amountIn);",
  ],
  [
    "uint256 outputBefore = balanceOf(outputToken, address(this));",
    "address custodian = weakened(Weakness.NoCustody) ? intent.recipient : address(this);\n" +
      "        uint256 outputBefore = balanceOf(outputToken, custodian);",
  ],
  ["_gain(outputToken, address(this), outputBefore)", "_gain(outputToken, custodian, outputBefore)"],
  [
    "amountOut = _pay(outputToken, intent.recipient, delivered, minAmountOut);",
    "amountOut = weakened(Weakness.NoCustody)\n            ? delivered\n" +
      "            : _pay(outputToken, intent.recipient, delivered, minAmountOut);",
  ],
  [
    "        if (!success) _revertWithReason(route);",
    '        if (weakened(Weakness.ReturnCopied)) {\n            assembly ("memory-safe") {\n' +
      "                returndatacopy(mload(0x40), 0, returndatasize())\n            }\n        }\n" +
      "        if (!success) _revertWithReason(route);",
  ],
];

/** @throws Error where the source does not hold a fragment exactly once: then this script has to follow the source */
async function weakenedCopy(file: string, edits: readonly Edit[], path: string): Promise<string> {
  let source = readFileSync(join(ROOT, file), "utf8");
  if (file.endsWith("TradeGuard.sol")) {
    const parts = source.split("external nonReentrant returns");
    if (parts.length !== 5) throw new Error(`${file} has ${parts.length - 1} locked functions instead of 4.`);
    source = parts.join("external lockedUnlessWeakened returns");
  }
  for (const [original, weakened] of edits) {
    const parts = source.split(original);
    if (parts.length !== 2)
      throw new Error(`${file} holds ${parts.length - 1} times instead of once:\n${original}`);
    source = parts.join(weakened);
  }
  const copy = source.replace(
    "pragma solidity 0.8.35;",
    `pragma solidity 0.8.35;\n\n// Written by tools/mutate/weaken.ts from ${file}. Do not edit.`,
  );
  const target = join(ROOT, path);
  return format(copy, { ...(await resolveConfig(target)), filepath: target });
}

export async function weakenedSources(): Promise<Record<string, string>> {
  const [guard, executor] = [`${FOLDER}/WeakenedGuard.sol`, `${FOLDER}/WeakenedExecutor.sol`];
  return {
    [guard]: await weakenedCopy("contracts/TradeGuard.sol", GUARD, guard),
    [executor]: await weakenedCopy("contracts/RouteExecutor.sol", EXECUTOR, executor),
  };
}

if (import.meta.main)
  for (const [path, source] of Object.entries(await weakenedSources())) {
    mkdirSync(join(ROOT, FOLDER), { recursive: true });
    writeFileSync(join(ROOT, path), source);
  }
