/** Whether code on a chain is what was compiled here: code, metadata, and each immutable, which is in the code; not storage. */
import { encodeBytes32String, getBytes, hexlify, id, keccak256, zeroPadValue } from "ethers";
import { domainSeparator, guardDomain } from "../../attestor/certificate/certificate.ts";
import { type Compiled, type CompiledContract, masked } from "./build.ts";

export type Sameness = "same" | "differs" | "none";

export interface ImmutableComparison {
  readonly name: string;
  /** On the chain, 0x and 64 digits; null: there is no such place, or several that do not agree. */
  readonly value: string | null;
  /** What the source makes of it at this address and on this chain; null: not known here. */
  readonly expected: string | null;
  readonly matches: boolean;
}

export interface CodeComparison {
  readonly address: string;
  /** The instructions, immutable values and metadata apart; none: there is no code. */
  readonly code: Sameness;
  /** What the compiler appends: the hash of every source's text and of the settings, and its own version. */
  readonly metadata: Sameness;
  readonly immutables: readonly ImmutableComparison[];
  readonly codeHash: string | null;
  readonly matches: boolean;
}

type Values = Readonly<Record<string, string>>;

const word = (value: string | number | bigint): string =>
  typeof value === "string" ? zeroPadValue(value, 32) : zeroPadValue(hexlify(bytesOf(BigInt(value))), 32);

function bytesOf(value: bigint): Uint8Array {
  const hex = value.toString(16);
  return getBytes(`0x${hex.length % 2 === 0 ? hex : `0${hex}`}`);
}

/** OpenZeppelin's ShortString: the text, and its length in the last byte. */
function shortString(text: string): string {
  const bytes = getBytes(encodeBytes32String(text));
  bytes[31] = text.length;
  return hexlify(bytes);
}

/** What the guard's constructor writes, by name. */
export function guardValues(compiled: Compiled, guard: string, chainId: number): Values {
  return {
    EXECUTOR_CODE_HASH: keccak256(compiled.executor.bytecode),
    _cachedDomainSeparator: domainSeparator(guardDomain(chainId, guard)),
    _cachedChainId: word(chainId),
    _cachedThis: word(guard.toLowerCase()),
    _hashedName: id("TradeGuard"),
    _hashedVersion: id("1"),
    _name: shortString("TradeGuard"),
    _version: shortString("1"),
  };
}

export const executorValues = (guard: string): Values => ({ GUARD: word(guard.toLowerCase()) });

/**
 * @param code as the chain has it, 0x; "0x": none
 * @param values what is expected of each immutable value, by its name in the source
 */
export function compareCode(
  compiled: CompiledContract,
  address: string,
  code: string,
  values: Values,
): CodeComparison {
  if (code === "0x")
    return { address, code: "none", metadata: "none", immutables: [], codeHash: null, matches: false };
  const places = compiled.immutables.flatMap(({ ranges }) => ranges);
  const [ours, theirs] = [split(masked(places, compiled.deployedBytecode)), split(masked(places, code))];
  const immutables = compiled.immutables
    .map(({ name, ranges }): ImmutableComparison => {
      const found = new Set(ranges.map(({ start, length }) => slice(code.toLowerCase(), start, length)));
      const [first] = [...found];
      const value = found.size === 1 && first !== undefined && first.length === 64 ? `0x${first}` : null;
      const expected = values[name] ?? null;
      return { name, value, expected, matches: value !== null && value === expected };
    })
    .sort((a, b) => (a.name < b.name ? -1 : 1));
  const sameCode = ours.body === theirs.body;
  const sameMetadata = ours.metadata === theirs.metadata;
  return {
    address,
    code: sameCode ? "same" : "differs",
    metadata: sameMetadata ? "same" : theirs.metadata === "" ? "none" : "differs",
    // Where the code is another, these places hold other things.
    immutables: sameCode ? immutables : [],
    codeHash: keccak256(code),
    matches: sameCode && sameMetadata && immutables.every(({ matches }) => matches),
  };
}

const slice = (hex: string, start: number, length: number) =>
  hex.slice(2 + start * 2, 2 + (start + length) * 2);

/** The last two bytes say how long the metadata before them are; where they make no sense there are none. */
function split(hex: string): { readonly body: string; readonly metadata: string } {
  const length = Number.parseInt(hex.slice(-4), 16) * 2 + 4;
  // CBOR: a map of few entries.
  const begins = /^a[1-9]/.test(hex.slice(-length));
  if (!begins || length >= hex.length) return { body: hex, metadata: "" };
  return { body: hex.slice(0, -length), metadata: hex.slice(-length) };
}
