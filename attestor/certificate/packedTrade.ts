/**
 * Trades as the guard's packed entry points take them: byte after byte, without what follows from the rest. The recipient
 * is the owner, selector and hash are those of the route call data, and the certificate is for this very intent.
 */

import { checksumAddress } from "../evm/address.ts";
import { concat, fromHex, id, keccak256, toHex } from "../evm/hash.ts";
import { encodeCall, uintWord } from "../evm/words.ts";
import type { TradeIntent } from "../intent.ts";
import type { Report } from "../report.ts";
import { hashIntent, type VerificationCertificate } from "./certificate.ts";

/** A trade with all that its execution needs, but for the owner's signature. */
export interface CertifiedTrade {
  readonly intent: TradeIntent;
  readonly certificate: VerificationCertificate;
  /** The attestation key's: 65 bytes with v 27 or 28, or the 64 bytes of ERC-2098. */
  readonly certificateSignature: string;
  readonly routeCallData: string;
}

/** The fields before the route call data, in order, with the length of each in bytes. */
const HEAD = [
  ["inputToken", 20],
  ["outputToken", 20],
  ["route", 20],
  ["amountIn", 16],
  ["minAmountOut", 16],
  ["nonce", 12],
  ["deadline", 4],
  ["reportVersion", 4],
  ["issuedAt", 4],
  ["expiresAt", 4],
  ["evidenceHash", 32],
  ["policyHash", 32],
  ["jobId", 32],
  ["certificateSignature", 64],
] as const;
type Member = (typeof HEAD)[number][0];

/** Bytes of a packed trade without its route call data. */
export const PACKED_LENGTH = HEAD.reduce((sum, [, size]) => sum + size, 0);
const SELECTOR_LENGTH = 4;

const ADDRESSES = new Set<string>(["inputToken", "outputToken", "route"]);
const BYTES = new Set<string>(["evidenceHash", "policyHash", "jobId", "certificateSignature"]);

const HIGHEST_BIT = 1n << 255n;
const HALF_ORDER = 0x7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0n;

/**
 * The 64 bytes of ERC-2098 for a signature of 65 bytes, or for one of 64, which stays.
 * @returns null for what has no such form: another length or v, or a high s, which the guard refuses
 */
export function compactSignature(signature: string): string | null {
  const text = signature.toLowerCase();
  if (/^0x[0-9a-f]{128}$/.test(text)) return lowS(text) ? text : null;
  if (!/^0x[0-9a-f]{128}(1b|1c)$/.test(text)) return null;
  const s = BigInt(`0x${text.slice(66, 130)}`);
  if (s > HALF_ORDER) return null;
  const parity = text.endsWith("1c") ? HIGHEST_BIT : 0n;
  return `${text.slice(0, 66)}${uintWord(s | parity).slice(2)}`;
}

/** The same signature in 65 bytes: r, s and 27 or 28. @param compact 64 bytes */
export function fullSignature(compact: string): string {
  const vs = BigInt(`0x${compact.slice(66)}`);
  const isOdd = vs >= HIGHEST_BIT;
  return `${compact.slice(0, 66)}${uintWord(isOdd ? vs - HIGHEST_BIT : vs).slice(2)}${isOdd ? "1c" : "1b"}`;
}

function lowS(compact: string): boolean {
  const vs = BigInt(`0x${compact.slice(66)}`);
  return (vs >= HIGHEST_BIT ? vs - HIGHEST_BIT : vs) <= HALF_ORDER;
}

/**
 * @returns the packed trade as the guard takes it from the owner; null where only the readable form fits. That is so
 *   for a recipient other than the owner, a number too large, call data without a selector, or members that do not
 *   follow from the rest
 */
export function packTrade(trade: CertifiedTrade): string | null {
  const { intent, certificate, routeCallData } = trade;
  const certificateSignature = compactSignature(trade.certificateSignature);
  if (certificateSignature === null || !/^0x(?:[0-9a-f]{2}){4,}$/.test(routeCallData)) return null;
  const follows =
    intent.recipient === intent.owner &&
    intent.selector === routeCallData.slice(0, 10) &&
    intent.callDataHash === keccak256(routeCallData) &&
    certificate.intentHash === hashIntent(intent);
  if (!follows) return null;
  const members: Record<Member, string> = { ...intent, ...certificate, certificateSignature };
  const parts: string[] = [];
  for (const [name, size] of HEAD) {
    const digits =
      ADDRESSES.has(name) || BYTES.has(name) ? members[name].slice(2) : numberIn(members[name], size);
    if (digits === null || digits.length !== 2 * size) return null;
    parts.push(digits.toLowerCase());
  }
  return `0x${parts.join("")}${routeCallData.slice(2)}`;
}

function numberIn(decimal: string, size: number): string | null {
  const value = BigInt(decimal);
  return value >> BigInt(8 * size) === 0n ? value.toString(16).padStart(2 * size, "0") : null;
}

/**
 * What a packed trade says, with all that follows from it, as the guard reads it.
 * @param owner who sends it, or for whom it is relayed
 * @returns null for what is too short to be one
 */
export function unpackTrade(owner: string, packed: string): CertifiedTrade | null {
  const bytes = /^0x(?:[0-9a-f]{2})*$/.test(packed) ? fromHex(packed) : null;
  if (bytes === null || bytes.length < PACKED_LENGTH + SELECTOR_LENGTH) return null;
  const members = {} as Record<Member, string>;
  let at = 0;
  for (const [name, size] of HEAD) {
    const digits = toHex(bytes.subarray(at, at + size));
    members[name] = ADDRESSES.has(name)
      ? checksumAddress(digits)
      : BYTES.has(name)
        ? digits
        : BigInt(digits).toString();
    at += size;
  }
  const routeCallData = toHex(bytes.subarray(at));
  const { inputToken, outputToken, route, amountIn, minAmountOut, nonce, deadline } = members;
  const intent: TradeIntent = {
    owner,
    recipient: owner,
    inputToken,
    outputToken,
    amountIn,
    minAmountOut,
    route,
    selector: routeCallData.slice(0, 10),
    callDataHash: keccak256(routeCallData),
    nonce,
    deadline,
  };
  const { evidenceHash, policyHash, jobId, reportVersion, issuedAt, expiresAt } = members;
  return {
    intent,
    certificate: {
      intentHash: hashIntent(intent),
      evidenceHash,
      policyHash,
      jobId,
      reportVersion,
      issuedAt,
      expiresAt,
    },
    certificateSignature: fullSignature(members.certificateSignature),
    routeCallData,
  };
}

const SELECTORS = {
  executePacked: selectorOf("executePacked(bytes)"),
  executeForPacked: selectorOf("executeForPacked(bytes)"),
} as const;
export type PackedFunction = keyof typeof SELECTORS;

function selectorOf(signature: string): string {
  return id(signature).slice(0, 10);
}

/** Call data of `executePacked`, which the owner sends to the guard. */
export function packedCallData(packed: string): string {
  return encodeCall(SELECTORS.executePacked, [], [packed]);
}

/**
 * Call data of `executeForPacked`, which anybody sends to the guard.
 * @param ownerSignature the owner's, of the trade intent
 * @returns null for a signature without a form of 64 bytes, as a contract's may be: it takes the readable way
 */
export function packedRelayedCallData(owner: string, ownerSignature: string, packed: string): string | null {
  const compact = compactSignature(ownerSignature);
  return compact === null ? null : relayedData(owner, compact, packed);
}

function relayedData(owner: string, compact: string, packed: string): string {
  return encodeCall(SELECTORS.executeForPacked, [], [concat([owner.toLowerCase(), compact, packed])]);
}

/** Bytes that stand before a packed trade where it is relayed: the owner, and the owner's signature. */
const OWNER_LENGTH = 20 + 64;
const NOBODY = `0x${"00".repeat(20)}`;
const WORD_DIGITS = 64;

/**
 * The trade in the call data of a packed entry point, read where the guard reads it: wherever the argument's header points.
 * Bytes that it does not point at mean nothing.
 * @param sender of the transaction, who is the owner where nobody relays; what follows from the owner is wrong without it
 * @returns null for other call data
 */
export function unpackCall(
  data: string,
  sender: string = NOBODY,
): { readonly functionName: PackedFunction; readonly trade: CertifiedTrade } | null {
  const names = Object.keys(SELECTORS) as PackedFunction[];
  const functionName = names.find((name) => SELECTORS[name] === data.slice(0, 10));
  if (functionName === undefined || !/^0x[0-9a-f]*$/.test(data)) return null;
  const argument = argumentIn(data.slice(10));
  if (argument === null) return null;
  if (functionName === "executePacked") return tradeIn(functionName, sender, argument);
  if (argument.length < 2 * OWNER_LENGTH) return null;
  const owner = checksumAddress(`0x${argument.slice(0, 40)}`);
  return tradeIn(functionName, owner, argument.slice(2 * OWNER_LENGTH));
}

function tradeIn(functionName: PackedFunction, owner: string, digits: string) {
  const trade = unpackTrade(owner, `0x${digits}`);
  return trade && { functionName, trade };
}

/** @param body digits behind the selector @returns those of the one `bytes`; null where they are not all there */
function argumentIn(body: string): string | null {
  // Numbers too large for exact arithmetic point beyond all call data.
  const digitsAt = (place: number) => 2 * Number.parseInt(body.slice(place, place + WORD_DIGITS), 16);
  const place = digitsAt(0);
  const start = place + WORD_DIGITS;
  const argument = body.slice(start, start + digitsAt(place));
  return body.length >= start && argument.length === digitsAt(place) ? argument : null;
}

/** An entry of an access list (EIP-2930). */
export interface AccessListEntry {
  /** EIP-55. */
  readonly address: string;
  readonly storageKeys: string[];
}

/**
 * Contracts that a trade surely calls beyond the one that the transaction is sent to: executor, route, both tokens and the
 * pools, where the evidence names them. Each saves 100 gas above what naming it costs. Storage is left out: where tokens
 * and pools keep what is read differs from one to the next.
 */
function accessListOf({ evidence }: Report, intent: TradeIntent): AccessListEntry[] {
  const { quote, guard } = evidence;
  const pools = quote !== null && "pools" in quote ? (quote.pools ?? []) : [];
  const addresses = [
    guard.executor,
    intent.route,
    intent.inputToken,
    intent.outputToken,
    ...pools.map(({ address }) => address),
  ];
  return [...new Set(addresses)].map((address) => ({ address, storageKeys: [] }));
}

/** Where the owner's signature of the trade intent goes in the data of a relayed call. */
export interface SignatureSlot {
  /** Of its first byte. */
  readonly offset: number;
  /** Bytes, which are zero before. */
  readonly length: number;
  /** 65 bytes as `eth_signTypedData_v4` answers them (v 27 or 28), or the 64 of ERC-2098. */
  readonly form: "r, s, v" | "ERC-2098";
}

const NO_SIGNATURE = `0x${"00".repeat(64)}`;
/** Behind the selector, place and length of the argument, and the owner. */
const OWNER_SIGNATURE = {
  offset: SELECTOR_LENGTH + WORD_DIGITS + 20,
  length: 64,
  form: "ERC-2098",
} satisfies SignatureSlot;

/**
 * The calls of a packed trade as prepare-execution answers them. The argument of `executeForPacked` is the owner
 * (20 bytes), the owner's signature, which `data` has as zeros, and `packed`.
 */
export function packedCalls(report: Report, intent: TradeIntent, packed: string) {
  const target = {
    chainId: report.evidence.chain.chainId,
    to: report.evidence.guard.address,
    packed,
    value: "0" as const,
    accessList: accessListOf(report, intent),
  };
  return {
    packedCall: { ...target, functionName: "executePacked" as const, data: packedCallData(packed) },
    packedRelayedCall: {
      ...target,
      functionName: "executeForPacked" as const,
      data: relayedData(intent.owner, NO_SIGNATURE, packed),
      ownerSignature: OWNER_SIGNATURE,
    },
  };
}
