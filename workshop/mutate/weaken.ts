/**
 * Writes the weakened guard that the attack tests show their teeth on: the real sources, with a switch before each
 * protection. It is made with each build and not kept, so that it cannot be a copy of another guard. A change of the
 * guard that this script cannot follow fails the build, and says which fragment is missing.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Build, ROOT } from "../../build/buildOnce.ts";

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
  ['from "./RouteExecutor.sol"', 'from "./WeakenedExecutor.sol"'],
  [
    "import {SafeERC20} from",
    'import {IERC20Permit} from "@openzeppelin/contracts/token/ERC20/extensions/IERC20Permit.sol";\nimport {SafeERC20} from',
  ],
  ["contract TradeGuard is", "contract WeakenedGuard is"],
  unless("AnySender", "msg.sender != owner"),
  unless("PauseIgnored", "isPaused"),
  unless("AnySigner", "recovered != currentSigner"),
  unless("CertificateOfAnother", "certified != intentHash"),
  unless("CertificateOfOldExecutor", "issuedAt < since"),
  unless("EarlyCertificate", "block.timestamp < issuedAt"),
  unless("ExpiredCertificate", "block.timestamp > expiresAt"),
  unless("LateTrade", "block.timestamp > _at(DEADLINE)"),
  unless("NoMinimum", "_at(MIN_AMOUNT_OUT) == 0"),
  unless("RouteIsToken", "_or(route == inputToken, route == outputToken)"),
  unless("AnyRoute", "!_allowedRoutes[_routeKey(_accountAt(ROUTE), _selector())]"),
  [
    "function _checkCallData(bytes calldata routeCallData) private pure",
    "function _checkCallData(bytes calldata routeCallData) private view",
  ],
  unless("ShortCallData", "routeCallData.length < 4"),
  unless("AnySelector", "bytes4(routeCallData) != _selector()"),
  unless("CallDataUnsigned", "callDataHash != bytes32(_at(CALL_DATA_HASH))"),
  unless("RecipientIsToken", "_or(recipient == _at(INPUT_TOKEN), recipient == _at(OUTPUT_TOKEN))"),
  unless("AnyRecipient", "!isRecipientAllowed[_accountAt(RECIPIENT)]"),
  unless("NonceUnchecked", "flipped & bit == 0"),
  [
    ") revert InvalidRoute(route, selector);",
    ") if (!weakened(Weakness.AnythingListed)) revert InvalidRoute(route, selector);",
  ],
  // Replay keyed on the bytes of a signature that has more than one form.
  [
    "        _spendNonce(owner, _at(NONCE));",
    "        if (!weakened(Weakness.SignatureAsNonce)) _spendNonce(owner, _at(NONCE));",
  ],
  [
    "        if (recovered != address(0) && recovered == owner) return;",
    "        if (weakened(Weakness.SignatureAsNonce)) _spendSignature(signature);\n" +
      "        if (weakened(Weakness.OwnerUnsigned)) return;\n" +
      "        if ((recovered != address(0) || weakened(Weakness.ZeroOwner)) && recovered == owner) return;",
  ],
  [
    "        bytes32 digest,\n        bytes calldata signature\n    ) private view {",
    "        bytes32 digest,\n        bytes calldata signature\n    ) private {",
  ],
  unless("SignatureAsNonce", "s > HALF_ORDER"),
  ["block.chainid == CHAIN_ID ?", "block.chainid == CHAIN_ID || weakened(Weakness.ChainForgotten) ?"],
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
      "            _usedNonces[owner][_at(NONCE) >> 8] |= 1 << (_at(NONCE) & 0xff);\n        }\n" +
      "        emit TradeExecuted(",
  ],
  [
    "        address to = _executorAt(executorNumber);",
    "        if (weakened(Weakness.OneContract)) {\n" +
      "            // Whoever holds the allowances calls the route.\n" +
      "            address route = _accountAt(ROUTE);\n            bool done;\n" +
      '            assembly ("memory-safe") {\n' +
      "                done := call(gas(), route, 0, ROUTE_CALL_DATA, callDataLength, 0, 0)\n            }\n" +
      '            require(done, "route");\n            return 0;\n        }\n' +
      "        if (weakened(Weakness.PermitDemanded)) _permit();\n" +
      "        address to = _executorAt(executorNumber);",
  ],
  [
    "        IERC20(inputToken).safeTransferFrom(owner, to, _at(AMOUNT_IN));",
    "        if (weakened(Weakness.AnswerOfTokenIgnored) || weakened(Weakness.CodeUnchecked)) {\n" +
      "            (bool ignored, ) = inputToken.call(\n" +
      "                abi.encodeCall(IERC20.transferFrom, (owner, to, _at(AMOUNT_IN)))\n" +
      "            );\n            ignored;\n        } else {\n" +
      "            IERC20(inputToken).safeTransferFrom(owner, to, _at(AMOUNT_IN));\n" +
      "        }",
  ],
  [
    "    /// @dev Neither key is ever zero while it counts.",
    `    mapping(bytes32 signatureHash => bool) private _usedSignatures;

    receive() external payable {
        require(weakened(Weakness.NativeCoinTaken), "no native coin");
    }

    /// @dev It stands behind the arguments, and has to work.
    function _permit() private {
        (uint8 v, bytes32 r, bytes32 s) = abi.decode(msg.data[msg.data.length - 96:], (uint8, bytes32, bytes32));
        (address owner, uint256 amountIn) = (_accountAt(OWNER), _at(AMOUNT_IN));
        IERC20Permit(_accountAt(INPUT_TOKEN)).permit(owner, address(this), amountIn, _at(DEADLINE), v, r, s);
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
  unless("AnyoneRunsExecutor", "msg.sender != GUARD"),
  [
    "if (answer() != 0) _clearAllowance(inputToken, route);",
    "if (!weakened(Weakness.AllowanceKept) && !weakened(Weakness.CodeUnchecked) && answer() != 0)\n" +
      "            _clearAllowance(inputToken, route);",
  ],
  unless("FeeOfOutputIgnored", "received < minAmountOut"),
  [
    "if (balance < inputBefore) revert",
    "if (balance < inputBefore && weakened(Weakness.FeeOfInputIgnored)) return amountIn;\n" +
      "        if (balance < inputBefore) revert",
  ],
  ["    return success;", "    return success || weakened(Weakness.CodeUnchecked);"],
  [
    "IERC20(inputToken).forceApprove(route, amountIn);\n        if (!answers(outputToken, askBalance(address(this)), 0x24))",
    "if (!weakened(Weakness.CodeUnchecked)) IERC20(inputToken).forceApprove(route, amountIn);\n" +
      "        address custodian = weakened(Weakness.NoCustody) ? recipient : address(this);\n" +
      "        if (!answers(outputToken, askBalance(custodian), 0x24))",
  ],
  [
    "what it was due anyway.\n        if (!answers(outputToken, askBalance(address(this)), 0x24))",
    "what it was due anyway.\n        if (!answers(outputToken, askBalance(custodian), 0x24))",
  ],
  [
    "amountOut = _pay(outputToken, recipient, delivered, minAmountOut);",
    "amountOut = weakened(Weakness.NoCustody)\n            ? delivered\n" +
      "            : _pay(outputToken, recipient, delivered, minAmountOut);",
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
    if (parts.length !== 7) throw new Error(`${file} has ${parts.length - 1} locked functions instead of 6.`);
    source = parts.join("external lockedUnlessWeakened returns");
  }
  for (const [original, weakened] of edits) {
    const parts = source.split(original);
    if (parts.length !== 2)
      throw new Error(`${file} holds ${parts.length - 1} times instead of once:\n${original}`);
    source = parts.join(weakened);
  }
  const copy = source
    .replaceAll(/\bRouteExecutor\b(?!\.sol)/g, "WeakenedExecutor")
    .replace(
      "pragma solidity 0.8.35;",
      `pragma solidity 0.8.35;\n\n// Written by workshop/mutate/weaken.ts from ${file}. Do not edit.`,
    );
  const target = join(ROOT, path);
  // Loaded where it is needed alone: most starts make nothing.
  const { format, resolveConfig } = await import("prettier");
  return format(copy, { ...(await resolveConfig(target)), filepath: target });
}

/** By the copy's path, what it is a copy of and with which edits. */
const COPIES: Readonly<Record<string, readonly [source: string, edits: readonly Edit[]]>> = {
  [`${FOLDER}/WeakenedGuard.sol`]: ["contracts/TradeGuard.sol", GUARD],
  [`${FOLDER}/WeakenedExecutor.sol`]: ["contracts/RouteExecutor.sol", EXECUTOR],
};

/** @returns the copies by their paths. @throws Error as `weakenedCopy` */
export async function weakenedSources(): Promise<Record<string, string>> {
  const sources: Record<string, string> = {};
  for (const [path, [file, edits]] of Object.entries(COPIES))
    sources[path] = await weakenedCopy(file, edits, path);
  return sources;
}

/** Made before the contracts are compiled. */
export const WEAKENED: Build = {
  name: "weakened",
  sources: ["contracts/*.sol", "workshop/mutate/weaken.ts", "package-lock.json"],
  results: Object.keys(COPIES),
  async make() {
    try {
      for (const [path, source] of Object.entries(await weakenedSources()))
        writeFileSync(join(ROOT, path), source);
      return true;
    } catch (error) {
      console.error(
        `The weakened guard of the attack tests: ${error instanceof Error ? error.message : error}`,
      );
      return false;
    }
  },
};
