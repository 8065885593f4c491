/** Pyth Core: a price message, its Merkle path to a root, and the signatures of a set of routers or guardians over it. */
import type { PriceProof } from "../../evidence/facts.ts";
import { toHex } from "../../evm/hash.ts";
import { AttestorError } from "../../values/attestorErrors.ts";
import { EvidenceDecimal } from "../../values/decimal.ts";
import { CLOCK_SKEW_SECONDS } from "../../values/time.ts";
import { ByteReader } from "../byteReader.ts";
import type { ProofCheck, Publisher, SignedPrice } from "../publisher.ts";
import { LOCAL_CHAIN_ID, LOCAL_SIGNER_SET, type PublisherKeys, type SignerSet } from "../publisherKeys.ts";
import { encodeAccumulator, leadsTo, type ProvenMessage, parseAccumulator, rootIn } from "./accumulator.ts";
import { parseVaa, SPACES, type Space, signatureFault, type Vaa } from "./vaa.ts";

/** Pythnet, where the prices are gathered, by Wormhole's numbers of chains. */
export const PYTHNET_CHAIN = 26;
/** Slots of Pythnet a second, as the routers count them. */
export const SLOTS_A_SECOND = 20n;

export const PYTH: Publisher = {
  format: "pyth-accumulator",
  provider: "pyth",
  check: (bytes, keys, chainId) => signatureCheck(provenPrice(bytes), keys, chainId),
  proofsIn(update) {
    const { vaa, messages } = parseAccumulator(update);
    return messages.flatMap((one) => (feedOf(one.message) === null ? [] : [proofOf(vaa, one)]));
  },
};

/**
 * The proof of one feed's price out of an update of many.
 * @returns null where the update has no price of that feed
 * @throws AttestorError `invalid_proof`
 */
export function priceProofOf(update: Uint8Array, feedId: string): PriceProof | null {
  const { vaa, messages } = parseAccumulator(update);
  const message = messages.find((candidate) => feedOf(candidate.message) === feedId);
  return message === undefined ? null : proofOf(vaa, message);
}

const proofOf = (vaa: Uint8Array, message: ProvenMessage): PriceProof => ({
  format: PYTH.format,
  data: toHex(encodeAccumulator({ vaa, messages: [message] })),
});

type Proven = ReturnType<typeof provenPrice>;

/** @throws AttestorError `invalid_proof` */
function provenPrice(bytes: Uint8Array) {
  const update = parseAccumulator(bytes);
  const [message] = update.messages;
  if (
    message === undefined ||
    update.messages.length > 1 ||
    toHex(encodeAccumulator(update)) !== toHex(bytes)
  )
    throw new AttestorError("invalid_proof", "it is not in its one form, with one message");
  const vaa = parseVaa(update.vaa);
  const space = spaceOf(vaa);
  const { root, slot } = rootIn(vaa.payload);
  if (!leadsTo(root, message))
    throw new AttestorError("invalid_proof", "its path does not lead from the price to the signed root");
  const price = { ...parsePriceMessage(message.message), signedAt: vaa.timestamp };
  if (space === "pyth") slotIsOfTime(slot, vaa, price);
  return { vaa, space, price };
}

/** The emitter decides the space. */
function spaceOf({ emitterChain, emitter }: Vaa): Space {
  for (const space of ["pyth", "wormhole"] as const)
    if (emitterChain === PYTHNET_CHAIN && emitter === SPACES[space].emitter) return space;
  throw new AttestorError("invalid_proof", "what was signed is not by Pyth");
}

/** Routers count slots by the clock, so that slot, message and price have to tell one time. */
function slotIsOfTime(slot: bigint, { sequence, timestamp }: Vaa, { publishedAt }: SignedPrice): void {
  const at = slot / SLOTS_A_SECOND;
  const apart = at - BigInt(timestamp);
  if (slot !== sequence || apart > CLOCK_SKEW_SECONDS || apart < -CLOCK_SKEW_SECONDS)
    throw new AttestorError("invalid_proof", "its slot is not of the time at which it was signed");
  if (BigInt(publishedAt) > at + BigInt(CLOCK_SKEW_SECONDS))
    throw new AttestorError("invalid_proof", "its price is of a later time than its slot");
}

function signatureCheck({ vaa, space, price }: Proven, keys: PublisherKeys, chainId: number): ProofCheck {
  const isLocal = space === "pyth" && vaa.set === LOCAL_SIGNER_SET.index;
  if (isLocal && chainId !== LOCAL_CHAIN_ID)
    return {
      outcome: "broken",
      reason: `it is signed by the local world's test keys, which are published and count on chain ${LOCAL_CHAIN_ID} alone`,
    };
  const by = isLocal ? "test keys of the local world" : `${SPACES[space].name} ${vaa.set}`;
  const set = isLocal
    ? LOCAL_SIGNER_SET
    : keys.pyth.find((known) => known.space === space && known.index === vaa.set);
  if (set === undefined) return { outcome: "unknown", reason: `${by} is not known here`, by, price };
  const fault = signatureFault(vaa, space, set.signers);
  if (fault !== null) return { outcome: "broken", reason: fault };
  const late = outsideTerm(price, set);
  if (late !== null) return { outcome: "unknown", reason: `${by} ${late}`, by, price };
  const signers = vaa.signatures.map(({ place }) => set.signers[place] as string);
  return { outcome: "signed", by, signers, price };
}

/**
 * Why a set does not count; null where it does. The price's own time counts, too: keys of a set that was replaced could sign
 * a message of any time, and nobody publishes a price after it was signed.
 */
function outsideTerm({ signedAt, publishedAt }: SignedPrice, { validFrom, validUntil }: SignerSet) {
  if (signedAt < validFrom) return "did not sign yet at that time";
  if (validUntil !== null && Math.max(signedAt, publishedAt) > validUntil)
    return "had been replaced when it was signed";
  return null;
}

/** The first byte of a price message; others carry other things, such as averages over time. */
const PRICE_FEED = 0;
/** The most places that a decimal of the evidence has. */
const MAX_PLACES = 18;

/** The feed that a message is of; null when it is no price. */
function feedOf(message: Uint8Array): string | null {
  return message[0] === PRICE_FEED && message.length >= 33 ? toHex(message.subarray(1, 33)) : null;
}

/**
 * Averages and the time of the price before follow in the message; nobody needs them here.
 * @throws AttestorError `invalid_proof` also for a price that the evidence has no form for, such as a negative one
 */
function parsePriceMessage(message: Uint8Array): Omit<SignedPrice, "signedAt"> {
  const reader = new ByteReader(message);
  if (reader.number(1) !== PRICE_FEED) throw new AttestorError("invalid_proof", "its message is no price");
  const feedId = toHex(reader.take(32));
  const price = reader.signed(8);
  const confidence = reader.unsigned(8);
  const exponent = Number(reader.signed(4));
  const publishedAt = reader.signed(8);
  reader.take(24); // Time of the price before, averaged price and confidence: a message has them all.
  if (price < 0n || Math.abs(exponent) > MAX_PLACES || publishedAt < 0n || publishedAt > 253_402_300_799n)
    throw new AttestorError("invalid_proof", "its price is none that evidence can state");
  return {
    feedId,
    price: scaled(price, exponent),
    confidence: scaled(confidence, exponent),
    publishedAt: Number(publishedAt),
    session: null,
  };
}

/** `mantissa * 10^exponent`, exact and without needless zeros: `(33223750n, -5)` is `"332.2375"`. */
function scaled(mantissa: bigint, exponent: number): string {
  return new EvidenceDecimal(`${mantissa}e${exponent}`).toFixed();
}
