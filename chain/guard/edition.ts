/**
 * Which edition of the guard stands at an address. The second takes packed trades and can renew its executor; everything
 * that the first has, it has as well, by the same hashes and the same domain. The code says which it is, so that no record
 * has to be believed.
 */

import { UpstreamUnavailable } from "../chainErrors.ts";
import { GUARD_ABI } from "./events.ts";

export type GuardEdition = 1 | 2;

/** PUSH4, as the dispatcher compares selectors. */
const PUSH4 = "63";
const RENEW_EXECUTOR = GUARD_ABI.getFunction("renewExecutor")!.selector;

/** @param code the deployed bytecode, lower-case hexadecimal */
export function editionOfCode(code: string): GuardEdition {
  return code.includes(`${PUSH4}${RENEW_EXECUTOR.slice(2)}`) ? 2 : 1;
}

/**
 * Code does not change: it is asked for once it was answered, and again only where it was not.
 * @param readCode answers the code at the guard's address, lower-case hexadecimal
 * @returns rejects with UpstreamUnavailable where there is none: a node that is behind shows none yet
 */
export function editionReader(readCode: () => Promise<string>): () => Promise<GuardEdition> {
  let edition: GuardEdition | undefined;
  return async () => {
    if (edition !== undefined) return edition;
    const code = await readCode();
    if (code === "0x") throw new UpstreamUnavailable("The chain's RPC shows no code of the guard.");
    edition = editionOfCode(code);
    return edition;
  };
}
