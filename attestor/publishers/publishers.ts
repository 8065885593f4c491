/** Every publisher whose signatures are checked here, and who signed a price of the evidence. */
import type { Evidence } from "../evidence/evidence.ts";
import type { PriceProof, ReferencePrice } from "../evidence/facts.ts";
import { fromHex } from "../evm/hash.ts";
import { memo } from "../memo.ts";
import { AttestorError } from "../values/attestorErrors.ts";
import { CHAINLINK } from "./chainlink/chainlink.ts";
import type { ProofCheck, Publisher, SignedPrice } from "./publisher.ts";
import { KNOWN_KEYS, type PublisherKeys } from "./publisherKeys.ts";
import { PYTH } from "./pyth/pyth.ts";

export const PUBLISHERS: readonly Publisher[] = [PYTH, CHAINLINK];

const publisherOf = (proof: PriceProof | null): Publisher | undefined =>
  PUBLISHERS.find(({ format }) => format === proof?.format);

/** A check costs as many recovered keys as there are signatures, and many reports have the same proof. */
const known = new WeakMap<PublisherKeys, Map<string, ProofCheck>>();

/**
 * Whether a price is its publisher's own statement. Pure and offline.
 * @param proof of one price
 * @param chainId of the evidence
 */
export function checkPriceProof(proof: PriceProof, keys: PublisherKeys, chainId: number): ProofCheck {
  const checks = known.get(keys) ?? new Map<string, ProofCheck>();
  known.set(keys, checks);
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

export type Signed =
  | { readonly by: string; readonly price: SignedPrice; readonly reason: null }
  | { readonly by: null; readonly price: null; readonly reason: string };

const nobody = (reason: string): Signed => ({ by: null, price: null, reason });

/**
 * The signer of a price of the evidence, such as `pyth router set 1`.
 * @param chainId of the evidence
 * @returns `by` null where nobody did whom this reader can check, with the reason
 */
export function signedBy(reading: ReferencePrice, chainId: number, keys: PublisherKeys = KNOWN_KEYS): Signed {
  if (reading.proof === null) return nobody("it carries no proof");
  const check = checkPriceProof(reading.proof, keys, chainId);
  if (check.outcome !== "signed") return nobody(check.reason);
  const differing = differencesFrom(reading, check.price);
  return differing.length === 0
    ? { by: check.by, price: check.price, reason: null }
    : nobody(`what was signed reads otherwise: ${differing.join(", ")}`);
}

/** What signed prices of the stock say of the market's session, in the order of the references. */
export function signedSessions(
  { references, chain }: Pick<Evidence, "references" | "chain">,
  keys: PublisherKeys,
) {
  return references.flatMap((reading) => {
    const { by, price } = signedBy(reading, chain.chainId, keys);
    if (by === null || price.session === null) return [];
    return [{ by, provider: reading.provider, state: price.session, signedAt: price.signedAt }];
  });
}
