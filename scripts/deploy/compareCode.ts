/** Whether code on a chain is what was compiled here: code, metadata, and each immutable, which is in the code; not storage. */
import { encodeBytes32String, getBytes, hexlify, id, keccak256 } from "ethers";
import { domainSeparator, guardDomain } from "../../attestor/certificate/certificate.ts";
import { executorOf } from "../../attestor/evm/address.ts";
import { addressWord, uintWord } from "../../attestor/evm/words.ts";
import { metadataOf } from "../allowlists/known.ts";
import { type CompiledContract, masked } from "./build.ts";

type Sameness = "same" | "differs" | "none";

export type CodeComparison = ReturnType<typeof compareCode>;

type Values = Readonly<Record<string, string>>;

/** OpenZeppelin's ShortString: the text, and its length in the last byte. */
function shortString(text: string): string {
  const bytes = getBytes(encodeBytes32String(text));
  bytes[31] = text.length;
  return hexlify(bytes);
}

/** What the guard's constructor writes, by name. */
export function guardValues(guard: string, chainId: number): Values {
  return {
    EXECUTOR: addressWord(executorOf(guard)),
    _cachedDomainSeparator: domainSeparator(guardDomain(chainId, guard)),
    _cachedChainId: uintWord(chainId),
    _cachedThis: addressWord(guard),
    _hashedName: id("TradeGuard"),
    _hashedVersion: id("1"),
    _name: shortString("TradeGuard"),
    _version: shortString("1"),
  };
}

export const executorValues = (guard: string): Values => ({ GUARD: addressWord(guard) });

/**
 * `code` is the instructions, immutable values and metadata apart. `metadata` is what the compiler appends: the hash of every
 * source's text and of the settings, and its own version.
 * @param code as the chain has it, 0x; "0x": none
 * @param values what is expected of each immutable value, by its name in the source
 */
export function compareCode(compiled: CompiledContract, address: string, code: string, values: Values) {
  const places = compiled.immutables.flatMap(({ ranges }) => ranges);
  const [ours, theirs] = [split(masked(places, compiled.deployedBytecode)), split(masked(places, code))];
  const immutables = compiled.immutables
    .map(({ name, ranges }) => {
      const found = new Set(ranges.map(({ start, length }) => slice(code.toLowerCase(), start, length)));
      const [first] = [...found];
      // null: there is no such place, or several that do not agree.
      const value = found.size === 1 && first !== undefined && first.length === 64 ? `0x${first}` : null;
      const expected = values[name] ?? null;
      return { name, value, expected, matches: value !== null && value === expected };
    })
    .sort((a, b) => (a.name < b.name ? -1 : 1));
  const sameCode = ours.body === theirs.body;
  const sameMetadata = ours.metadata === theirs.metadata;
  const isThere = code !== "0x";
  const otherCode = isThere ? "differs" : "none";
  const codeSameness: Sameness = sameCode ? "same" : otherCode;
  const otherMetadata = theirs.metadata === "" ? "none" : "differs";
  const metadata: Sameness = sameMetadata ? "same" : otherMetadata;
  return {
    address,
    code: codeSameness,
    metadata,
    // Where the code is another, these places hold other things.
    immutables: sameCode ? immutables : [],
    codeHash: isThere ? keccak256(code) : null,
    matches: sameCode && sameMetadata && immutables.every(({ matches }) => matches),
  };
}

const slice = (hex: string, start: number, length: number) =>
  hex.slice(2 + start * 2, 2 + (start + length) * 2);

function split(hex: string): { readonly body: string; readonly metadata: string } {
  const metadata = metadataOf(hex) ?? "";
  return { body: hex.slice(0, hex.length - metadata.length), metadata };
}
