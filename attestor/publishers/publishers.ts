/** Every publisher whose signatures are checked here, and who signed a price of the evidence. */
import type { Evidence } from "../evidence/evidence.ts";
import type { PriceProof, ReferencePrice } from "../evidence/facts.ts";
import { fromHex } from "../evm/hash.ts";
import { memo } from "../memo.ts";
import { AttestorError } from "../values/attestorErrors.ts";
import { CHAINLINK } from "./chainlink/chainlink.ts";
import type { ProofCheck, Publisher, SignedPrice } from "./publisher.ts";
import { KNOWN_KEYS, type PublisherKeys, sessionBy } from "./publisherKeys.ts";
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
  return memo(checks, key, () =>
    supposed(basisOf(proof, keys, chainId) ?? checked(proof, keys, chainId), keys),
  );
}

/** The check without what is supposed, where that changes no session: to read a hostile proof again and again takes long. */
function basisOf(proof: PriceProof, { basis, suppose }: PublisherKeys, chainId: number): ProofCheck | null {
  const check = basis && checkPriceProof(proof, basis, chainId);
  if (check === undefined) return null;
  const feedId = publisherOf(proof)?.statesSession && check.outcome !== "broken" && check.price?.feedId;
  return feedId && suppose?.has(sessionBy(feedId)) ? null : check;
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

/** The check as by a reader who knows other keys. */
function supposed(check: ProofCheck, { suppose }: PublisherKeys): ProofCheck {
  if (suppose === undefined || check.outcome === "broken" || check.by === null) return check;
  const { by, price } = check;
  if (suppose.get(by) === false) return { outcome: "unknown", reason: `${by} is not known`, by, price };
  if (suppose.get(by) !== true || price === null) return check;
  return { outcome: "signed", by, signers: [], price };
}

/**
 * What decides how a price's proof reads, by name, and the opposite assumption that another reader may make of it
 * (see `PublisherKeys.suppose`). Keys and sessions that are known here may be unknown there, and vice versa.
 */
export function otherwise(
  { proof, onChain }: ReferencePrice,
  keys: PublisherKeys,
  chainId: number,
): [name: string, isKnown: boolean][] {
  if (proof === null || onChain !== null) return [];
  const check = checkPriceProof(proof, keys, chainId);
  if (check.outcome === "broken" || check.by === null) return [];
  const { by, price } = check;
  const keysName: [string, boolean] = [by, check.outcome === "unknown"];
  return publisherOf(proof)?.statesSession === false
    ? [keysName]
    : [keysName, [sessionBy(price?.feedId ?? by), (price?.session ?? null) === null]];
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
  if (check.outcome === "unknown" && check.price === null && keys.suppose?.get(check.by ?? "") === true)
    return { by: check.by ?? "", price: asStated(reading), reason: null };
  if (check.outcome !== "signed") return nobody(check.reason);
  const differing = differencesFrom(reading, check.price);
  return differing.length === 0
    ? { by: check.by, price: check.price, reason: null }
    : nobody(`what was signed reads otherwise: ${differing.join(", ")}`);
}

/** A format that is not known here can say no more than the evidence does. */
function asStated({ price, confidence, publishedAt, receivedAt }: ReferencePrice): SignedPrice {
  return { feedId: "", price, confidence, publishedAt, signedAt: receivedAt, session: null };
}

/** What signed prices of the stock say of the market's session, in the order of the references. */
export function signedSessions(
  { references, chain, session }: Pick<Evidence, "references" | "chain" | "session">,
  keys: PublisherKeys,
) {
  return references.flatMap((reading) => {
    const { by, price } = signedBy(reading, chain.chainId, keys);
    if (by === null) return [];
    const state = price.session ?? (keys.suppose?.get(sessionBy(by)) ? session?.state : undefined);
    return state ? [{ by, provider: reading.provider, state, signedAt: price.signedAt }] : [];
  });
}
