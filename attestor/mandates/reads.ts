/** What a page or command asks a chain about a guard and its mandates by `eth_call`, and what the answers say. */
import { id } from "../evm/hash.ts";
import { addressWord, encodeCall, uintWord, WORD_BYTES, WordReader } from "../evm/words.ts";
import { LAST_SECOND } from "../values/primitives.ts";
import type { PlainCall } from "./calls.ts";
import { Mandate } from "./mandate.ts";

/** A call that changes nothing, with what reads its answer. */
export interface Read<T> extends PlainCall {
  /** @param answer hexadecimal @throws RangeError, TypeError or ZodError for what no such contract answers */
  read(answer: string): T;
}

function readOf<T>(
  to: string,
  [name, ...addresses]: readonly [name: string, ...addresses: string[]],
  read: (words: WordReader) => T,
): Read<T> {
  const selector = id(`${name}(${addresses.map(() => "address").join(",")})`).slice(0, 10);
  return {
    to,
    data: encodeCall(selector, addresses.map(addressWord)),
    read: (answer) => read(new WordReader(answer)),
  };
}

/** The attestation key that a guard names. */
export const signerOf = (guard: string) => readOf(guard, ["signer"], (words) => words.address(0));
export const isPaused = (guard: string) => readOf(guard, ["paused"], (words) => words.uint(0) === 1n);

/** Whether the guard has carried out the owner's trade of that nonce, or the owner has revoked it. */
export const isNonceUsed = (guard: string, owner: string, nonce: string): Read<boolean> => ({
  to: guard,
  data: encodeCall(NONCE_USED, [addressWord(owner), uintWord(nonce)]),
  read: (answer) => new WordReader(answer).uint(0) === 1n,
});
const NONCE_USED = id("isNonceUsed(address,uint256)").slice(0, 10);

export const guardOf = (module: string) => readOf(module, ["GUARD"], (words) => words.address(0));

/** What is left of a mandate; null: there is none, or it was revoked. */
export const mandateOf = (module: string, safe: string, agent: string) =>
  readOf(module, ["mandateOf", safe, agent], mandateIn);

/** What counts now against the most of a day, raw units. */
export const spentWithinDay = (module: string, safe: string, agent: string, token: string) =>
  readOf(module, ["spentWithinDay", safe, agent, token], (words) => words.uint(0));

export const ownersOf = (safe: string) => readOf(safe, ["getOwners"], (words) => words.addresses(0));
export const thresholdOf = (safe: string) => readOf(safe, ["getThreshold"], (words) => words.uint(0));
export const isEnabled = (safe: string, module: string) =>
  readOf(safe, ["isModuleEnabled", module], (words) => words.uint(0) === 1n);

export const balanceOf = (token: string, holder: string) =>
  readOf(token, ["balanceOf", holder], (words) => words.uint(0));
export const allowanceOf = (token: string, holder: string, spender: string) =>
  readOf(token, ["allowance", holder, spender], (words) => words.uint(0));

function mandateIn(words: WordReader): Mandate | null {
  const struct = wordAt(words, 0, 0);
  const expiresAt = words.uint(struct + 1);
  if (expiresAt === 0n) return null;
  const listOf = <T>(member: number, size: number, item: (at: number) => T): T[] => {
    const list = wordAt(words, struct + member, struct);
    const length = Number(words.uint(list));
    // More than can be would only take time to find out.
    if (length > 64) throw new RangeError("this list is longer than a mandate's");
    return Array.from({ length }, (_, index) => item(list + 1 + index * size));
  };
  return Mandate.parse({
    settlementToken: words.address(struct),
    // A later moment has no date.
    expiresAt: expiresAt > LAST_SECOND ? LAST_SECOND : Number(expiresAt),
    revoker: words.address(struct + 2),
    perTrade: String(words.uint(struct + 3)),
    perDay: String(words.uint(struct + 4)),
    budget: String(words.uint(struct + 5)),
    stocks: listOf(6, 2, (at) => ({ token: words.address(at), sellable: String(words.uint(at + 1)) })),
    policies: listOf(7, 1, (at) => `0x${words.uint(at).toString(16).padStart(64, "0")}`),
  });
}

/** The place, in words, that a word names in bytes from a beginning on. */
function wordAt(words: WordReader, index: number, from: number): number {
  const bytes = Number(words.uint(index));
  if (bytes % WORD_BYTES !== 0) throw new RangeError("this lies within a word");
  return from + bytes / WORD_BYTES;
}
