/** What a command asks a chain about Safes and their mandates by `eth_call`, and what the answers say. */
import { readOf } from "../../attestor/evm/reads.ts";
import { WORD_BYTES, type WordReader } from "../../attestor/evm/words.ts";
import { LAST_SECOND } from "../../attestor/values/primitives.ts";
import { Mandate } from "./mandate.ts";

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
