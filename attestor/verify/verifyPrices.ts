/**
 * What the publishers' own proofs say of the prices in the evidence: whether they parse and are signed, and whether the
 * evidence says what was signed.
 */
import type { Evidence } from "../evidence/evidence.ts";
import type { ReferencePrice } from "../evidence/facts.ts";
import type { ProofCheck } from "../publishers/publisher.ts";
import { KNOWN_KEYS, type PublisherKeys } from "../publishers/publisherKeys.ts";
import { checkPriceProof, differencesFrom } from "../publishers/publishers.ts";
import type { Steps } from "../steps.ts";

interface Checked {
  readonly reading: ReferencePrice;
  /** Null where the reading carries no proof. */
  readonly check: ProofCheck | null;
}

/** @param keys of publishers that the reader knows */
export function priceSteps(
  { references, settlement, chain }: Evidence,
  keys: PublisherKeys = KNOWN_KEYS,
  steps: Steps,
): void {
  const prices: Checked[] = [...references, ...settlement].map((reading) => ({
    reading,
    check: reading.proof && checkPriceProof(reading.proof, keys, chain.chainId),
  }));
  proofStep(prices, steps);
  figureStep(prices, steps);
  signerStep(prices, steps);
}

const nameOf = ({ provider, symbol }: ReferencePrice): string => `${symbol} by ${provider}`;

/** Whether every proof parses, and is signed by keys that the reader knows. */
function proofStep(prices: readonly Checked[], steps: Steps): void {
  const proofs = prices.filter(({ check }) => check !== null);
  const broken = proofs.flatMap(({ reading, check }) =>
    check?.outcome === "broken" ? [`${nameOf(reading)}: ${check.reason}`] : [],
  );
  const unknown = proofs.flatMap(({ reading, check }) =>
    check?.outcome === "unknown" ? [`${nameOf(reading)}: ${check.reason}`] : [],
  );
  const signers = new Set(proofs.flatMap(({ check }) => (check?.outcome === "signed" ? [check.by] : [])));
  const signed = proofs.length - broken.length - unknown.length;
  if (signed + broken.length > 0)
    steps.judge(
      "price proofs",
      broken.length === 0,
      `${signed} of ${prices.length} prices carry their publisher's signatures (${[...signers].join(", ")}).`,
      `These proofs of prices prove nothing: ${broken.join("; ")}.`,
    );
  if (unknown.length > 0)
    steps.add(
      "price proofs",
      "unknown",
      `The judgement counts these as signed, and this reader cannot check it: ${unknown.join("; ")}.`,
    );
}

/** Whether the evidence says what was signed. */
function figureStep(prices: readonly Checked[], steps: Steps): void {
  const signed = prices.flatMap(({ reading, check }) =>
    check?.outcome === "signed" ? [{ reading, differing: differencesFrom(reading, check.price) }] : [],
  );
  const wrong = signed.flatMap(({ reading, differing }) =>
    differing.length === 0 ? [] : [`${nameOf(reading)}: ${differing.join(", ")}`],
  );
  if (signed.length > 0)
    steps.judge(
      "signed prices",
      wrong.length === 0,
      "Price, confidence and time are those that were signed.",
      `What was signed reads otherwise: ${wrong.join("; ")}.`,
    );
}

/** Whether the signer that the evidence names is what the proof says. */
function signerStep(prices: readonly Checked[], steps: Steps): void {
  const signed = prices.flatMap(({ reading, check }) =>
    check?.outcome === "signed" ? [{ reading, set: check.by, price: check.price }] : [],
  );
  const wrong = signed.filter(
    ({ reading: { signer }, set, price }) => signer?.set !== set || signer.signedAt !== price.signedAt,
  );
  if (wrong.length > 0)
    steps.add(
      "price signers",
      "wrong",
      `Signed by others: ${wrong.map(({ reading }) => nameOf(reading)).join("; ")}.`,
    );
  // Which session a stream's status means is knowledge of the reader, as its keys are.
  const other = signed.filter(({ reading, price }) => reading.signer?.session !== price.session);
  if (other.length > 0)
    steps.add(
      "price signers",
      "unknown",
      `This reader does not read these sessions from what was signed: ${other.map(({ reading }) => nameOf(reading)).join("; ")}.`,
    );
}
