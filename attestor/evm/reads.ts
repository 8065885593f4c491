/** What a page, a command or the service asks a chain by `eth_call`, and what the answers say. */
import { id } from "./hash.ts";
import { addressWord, encodeCall, uintWord, WordReader } from "./words.ts";

/** A call without coins. */
export interface PlainCall {
  readonly to: string;
  readonly data: string;
}

/** A call that changes nothing, with what reads its answer. */
export interface Read<T> extends PlainCall {
  /** @param answer hexadecimal @throws RangeError, TypeError or ZodError for what no such contract answers */
  read(answer: string): T;
}

/** A view that takes addresses alone. */
export function readOf<T>(
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

export const balanceOf = (token: string, holder: string) =>
  readOf(token, ["balanceOf", holder], (words) => words.uint(0));
export const allowanceOf = (token: string, holder: string, spender: string) =>
  readOf(token, ["allowance", holder, spender], (words) => words.uint(0));
