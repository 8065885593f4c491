/** Every publisher whose signatures are checked here, and whether a price says what its publisher signed. */
import type { PriceProof, ReferencePrice } from "../evidence/facts.ts";
import { fromHex } from "../evm/hash.ts";
import { memo } from "../memo.ts";
import { AttestorError } from "../values/attestorErrors.ts";
import { CHAINLINK } from "./chainlink/chainlink.ts";
import type { ProofCheck, Publisher, SignedPrice } from "./publisher.ts";
import type { PublisherKeys } from "./publisherKeys.ts";
import { PYTH } from "./pyth/pyth.ts";

export const PUBLISHERS: readonly Publisher[] = [PYTH, CHAINLINK];

const publisherOf = (proof: PriceProof | null): Publisher | undefined =>
  PUBLISHERS.find(({ format }) => format === proof?.format);

/** A check costs as many recovered keys as there are signatures, and many reports have the same proof. */
const checksByKeys = new WeakMap<PublisherKeys, Map<string, ProofCheck>>();

/**
 * Whether a price is its publisher's own statement. Pure and offline.
 * @param proof of one price
 * @param chainId of the evidence
 */
export function checkPriceProof(proof: PriceProof, keys: PublisherKeys, chainId: number): ProofCheck {
  const checks = checksByKeys.get(keys) ?? new Map<string, ProofCheck>();
  checksByKeys.set(keys, checks);
  const key = `${chainId} ${proof.format} ${proof.data}`;
  return memo(checks, key, () => checked(proof, keys, chainId));
}

function checked(proof: PriceProof, keys: PublisherKeys, chainId: number): ProofCheck {
  const publisher = publisherOf(proof);
  if (publisher === undefined) {
    const by = `proofs of the format ${JSON.stringify(proof.format)}`;
    return { outcome: "unknown", reason: `${by} are not known here`, by, price: null };
  }
  try {
    return publisher.check(fromHex(proof.data), keys, chainId);
  } catch (error) {
    if (!(error instanceof AttestorError)) throw error;
    return { outcome: "broken", reason: error.message };
  }
}

/** In which members a reading says other than what was signed; none where it says the same. */
export function differencesFrom(reading: ReferencePrice, signed: SignedPrice): string[] {
  const { provider, kind, price, confidence, publishedAt, onChain, proof } = reading;
  const publisher = publisherOf(proof);
  const alike: readonly (readonly [name: string, alike: boolean])[] = [
    ["provider", provider === publisher?.provider],
    ["kind", kind === "live"],
    ["price", price === signed.price],
    ["confidence", confidence === signed.confidence],
    ["publishedAt", publishedAt === signed.publishedAt],
    ["onChain", onChain === null],
  ];
  return alike.filter(([, same]) => !same).map(([name]) => name);
}
