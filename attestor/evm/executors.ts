/**
 * Where the executors of a guard stand. It deploys them by CREATE2 with their number as the salt, so that their addresses
 * follow from its own, and nothing has to be asked for them.
 */
import { checksumAddress } from "./address.ts";
import { keccakOf } from "./hash.ts";
import { uintWord } from "./words.ts";

/** keccak256 of the executor's creation code, as the guard has it; a test compares it with the compiler's. */
export const EXECUTOR_CODE_HASH = "0x48dab69cb235aa3acb982b1271cf0c601aa7271323f033081536568cfce77264";

/** How many executors a guard can have, one after the other. */
export const EXECUTORS = 256;

/** @param number 0 for the first @returns EIP-55, whether it is deployed yet or not */
export function executorAt(guard: string, number: number): string {
  const hash = keccakOf(["0xff", guard.toLowerCase(), uintWord(number), EXECUTOR_CODE_HASH]);
  return checksumAddress(`0x${hash.slice(-40)}`);
}

/** Which executor of a guard an account was, is or may become; null: none. */
export function executorNumber(guard: string, account: string): number | null {
  const address = account.toLowerCase();
  for (let number = 0; number < EXECUTORS; number++)
    if (executorAt(guard, number).toLowerCase() === address) return number;
  return null;
}
