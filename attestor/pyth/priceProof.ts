/**
 * Whether a price is its publisher's own statement: what the proof says, and whether enough guardians of a set that
 * counted at the time signed it. Pure and offline.
 */

import type { PriceProof, ReferencePrice } from "../evidence/facts.ts";
import { fromHex, toHex } from "../evm/hash.ts";
import { AttestorError } from "../values/attestorErrors.ts";
import { encodeAccumulator, leadsTo, type ProvenMessage, parseAccumulator, rootIn } from "./accumulator.ts";
import {
  type GuardianSet,
  type GuardianSets,
  KNOWN_GUARDIAN_SETS,
  LOCAL_CHAIN_ID,
  LOCAL_GUARDIAN_SET,
  validUntil,
} from "./guardianSets.ts";
import { feedOf, parsePriceMessage, type SignedPrice } from "./priceMessage.ts";
import { parseVaa, signatureFault, type Vaa } from "./vaa.ts";

export const PYTH_ACCUMULATOR = "pyth-accumulator";

/** Pythnet, where the prices are gathered, and the program there that has their roots signed. */
export const PYTHNET_CHAIN = 26;
export const PYTHNET_EMITTER = "0xe101faedac5851e32b9b23b5f9411a8c2bac4aae3ed4dd7b811dd1a72ea4aa71";

export type ProofCheck =
  /** Signed by that set; `price` is what was signed. */
  | { readonly outcome: "signed"; readonly by: string; readonly price: SignedPrice }
  /** Nothing that this reader could check: the price is as good as who states it. */
  | { readonly outcome: "unknown"; readonly reason: string }
  /** No proof of anything, whoever reads it. */
  | { readonly outcome: "broken"; readonly reason: string };

/** A check costs as many recovered keys as there are signatures, and one proof stands in many reports. */
const MAX_KNOWN = 1_000;
const known = new WeakMap<GuardianSets, Map<string, ProofCheck>>();

/**
 * @param proof of one price
 * @param sets that the reader knows
 * @param chainId of the evidence: the local world's own guardians count on its chain alone
 */
export function checkPriceProof(proof: PriceProof, sets: GuardianSets, chainId: number): ProofCheck {
  if (proof.format !== PYTH_ACCUMULATOR)
    return {
      outcome: "unknown",
      reason: `proofs of the format ${JSON.stringify(proof.format)} are not known here`,
    };
  const checks = known.get(sets) ?? new Map<string, ProofCheck>();
  known.set(sets, checks);
  const key = `${chainId} ${proof.data}`;
  const before = checks.get(key);
  if (before !== undefined) return before;
  const check = checked(proof.data, sets, chainId);
  // Beyond so many all are forgotten at once: proofs come from outside, too.
  if (checks.size >= MAX_KNOWN) checks.clear();
  checks.set(key, check);
  return check;
}

function checked(data: string, sets: GuardianSets, chainId: number): ProofCheck {
  let proven: { vaa: Vaa; price: SignedPrice };
  try {
    proven = provenPrice(fromHex(data));
  } catch (error) {
    return { outcome: "broken", reason: (error as Error).message };
  }
  const { vaa, price } = proven;
  const isLocal = vaa.guardianSet === LOCAL_GUARDIAN_SET.index;
  if (isLocal && chainId !== LOCAL_CHAIN_ID)
    return {
      outcome: "broken",
      reason: `it is signed by the local world's guardians, whose keys are published and count on chain ${LOCAL_CHAIN_ID} alone`,
    };
  const set = isLocal ? LOCAL_GUARDIAN_SET : sets.find(({ index }) => index === vaa.guardianSet);
  if (set === undefined)
    return { outcome: "unknown", reason: `guardian set ${vaa.guardianSet} is not known here` };
  const fault = signatureFault(vaa, set.guardians);
  if (fault !== null) return { outcome: "broken", reason: fault };
  const late = isLocal ? null : outsideTerm(vaa.timestamp, price.publishedAt, set, sets);
  if (late !== null) return { outcome: "unknown", reason: late };
  const by = isLocal ? "the local world's guardian set" : `pyth guardian set ${set.index}`;
  return { outcome: "signed", by, price };
}

/** @throws AttestorError `invalid_proof` */
function provenPrice(bytes: Uint8Array): { vaa: Vaa; price: SignedPrice } {
  const update = parseAccumulator(bytes);
  const [message] = update.messages;
  if (
    message === undefined ||
    update.messages.length > 1 ||
    toHex(encodeAccumulator(update)) !== toHex(bytes)
  )
    throw new AttestorError("invalid_proof", "it is not in its one form, with one message");
  const vaa = parseVaa(update.vaa);
  if (vaa.emitterChain !== PYTHNET_CHAIN || vaa.emitter !== PYTHNET_EMITTER)
    throw new AttestorError("invalid_proof", "what was signed is not by Pyth");
  if (!leadsTo(rootIn(vaa.payload), message))
    throw new AttestorError("invalid_proof", "its path does not lead from the price to the signed root");
  return { vaa, price: parsePriceMessage(message.message) };
}

/**
 * Why a set does not count; null where it does. The price's own time counts, too: keys of a set that was replaced could sign
 * a message of any time, and nobody publishes a price after it was signed.
 */
function outsideTerm(
  signedAt: number,
  publishedAt: number,
  set: GuardianSet,
  sets: GuardianSets,
): string | null {
  const until = validUntil(set, sets);
  if (signedAt < set.validFrom) return `guardian set ${set.index} was not named yet when it was signed`;
  if (until !== null && Math.max(signedAt, publishedAt) > until)
    return `guardian set ${set.index} had been replaced when it was signed`;
  return null;
}

/** In which members a reading says other than what was signed; none where it says the same. */
export function differencesFrom(reading: ReferencePrice, signed: SignedPrice): string[] {
  const { provider, kind, price, confidence, publishedAt, onChain } = reading;
  const alike: readonly (readonly [name: string, alike: boolean])[] = [
    ["provider", provider === "pyth"],
    ["kind", kind === "live"],
    ["price", price === signed.price],
    ["confidence", confidence === signed.confidence],
    ["publishedAt", publishedAt === signed.publishedAt],
    ["onChain", onChain === null],
  ];
  return alike.filter(([, same]) => !same).map(([name]) => name);
}

export type Signed =
  | { readonly by: string; readonly reason: null }
  | { readonly by: null; readonly reason: string };

/**
 * Who signed a price of the evidence, such as `pyth guardian set 4`.
 * @param chainId of the evidence
 * @returns `by` null where nobody did whom this reader can check, with the reason
 */
export function signedBy(
  reading: ReferencePrice,
  chainId: number,
  sets: GuardianSets = KNOWN_GUARDIAN_SETS,
): Signed {
  if (reading.proof === null) return { by: null, reason: "it carries no proof" };
  const check = checkPriceProof(reading.proof, sets, chainId);
  if (check.outcome !== "signed") return { by: null, reason: check.reason };
  const differing = differencesFrom(reading, check.price);
  return differing.length === 0
    ? { by: check.by, reason: null }
    : { by: null, reason: `what was signed reads otherwise: ${differing.join(", ")}` };
}

/**
 * The proof of one feed's price out of an update of many.
 * @param update as the publisher hands it out
 * @returns null where the update has no price of that feed
 * @throws AttestorError `invalid_proof`
 */
export function priceProofOf(update: Uint8Array, feedId: string): PriceProof | null {
  const { vaa, messages } = parseAccumulator(update);
  const message = messages.find((candidate: ProvenMessage) => feedOf(candidate.message) === feedId);
  if (message === undefined) return null;
  const data = toHex(encodeAccumulator({ vaa, messages: [message] }));
  return { format: PYTH_ACCUMULATOR, data };
}
