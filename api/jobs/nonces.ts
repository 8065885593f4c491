/**
 * Nonces of prepared trades. The guard's nonces are unordered, 256 to a storage word; a word that was
 * used before costs 17,000 gas less. So an owner's nonces are counted up within a range of their own,
 * which the owner's address and the attestation key give: it meets no other wallet's or service's nonces.
 */
import { keccakOf } from "../../attestor/evm/hash.ts";
import { UpstreamUnavailable } from "../../chain/chainErrors.ts";
import type { Database } from "../../database/open.ts";

/** Enough that no two of owners, keys and other wallets meet; every byte of a nonce costs gas. */
const RANGE_BITS = 64n;
const COUNTER_BITS = 32n;
const HASH_BITS = 256n;

/** The counter survives in the database; where that was lost, used nonces are passed over. */
const ATTEMPTS = 64;

/**
 * @param attestor address of the attestation key
 * @returns a nonce that was handed out to nobody and is unused on chain
 */
export async function nextNonce(
  db: Database,
  chain: { isNonceUsed(owner: string, nonce: bigint): Promise<boolean> },
  owner: string,
  attestor: string,
): Promise<bigint> {
  const range = (BigInt(keccakOf([attestor, owner])) >> (HASH_BITS - RANGE_BITS)) << COUNTER_BITS;
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const { next } = await db
      .insertInto("owner_nonces")
      .values({ owner, next: 1 })
      .onConflict((conflict) =>
        conflict.column("owner").doUpdateSet((eb) => ({ next: eb("owner_nonces.next", "+", 1) })),
      )
      .returning("next")
      .executeTakeFirstOrThrow();
    if (BigInt(next) > 2n ** COUNTER_BITS) break;
    const nonce = range + BigInt(next) - 1n;
    if (!(await chain.isNonceUsed(owner, nonce))) return nonce;
  }
  throw new UpstreamUnavailable("No unused nonce was found for the owner; try again.");
}
