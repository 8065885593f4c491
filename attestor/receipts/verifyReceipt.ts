/**
 * Checks a signed receipt offline, by the keys that the reader names and what the reader knows of the purchase. A
 * receipt names payer, network, resource and transaction; token, amount and payee are in the signed offer.
 */
import { type Conclusion, ISSUER, Steps } from "../steps.ts";
import { parseUrl } from "../values/url.ts";
import { offersIn, receiptIn } from "./reading.ts";
import {
  didOf,
  isSignedBy,
  kidOf,
  OfferStatement,
  type ParsedJws,
  parseJws,
  ReceiptStatement,
} from "./statement.ts";

export interface ReceiptExpectations {
  /** Public keys that the reader trusts, 32 bytes each. */
  readonly keys: readonly Uint8Array[];
  readonly payer?: string | undefined;
  /** CAIP-2. */
  readonly network?: string | undefined;
  readonly resource?: string | undefined;
  readonly transaction?: string | undefined;
  readonly asset?: string | undefined;
  /** Raw units. */
  readonly amount?: string | undefined;
  readonly payTo?: string | undefined;
}

export interface ReceiptVerification extends Conclusion {
  readonly receipt: ReceiptStatement | null;
  readonly offer: OfferStatement | null;
}

/**
 * @param receipt text of a file: a compact JWS, x402's `{format, signature}`, or the content of PAYMENT-RESPONSE as JSON or
 *   as the header has it
 * @param offer in the same way: a signed offer, or the content of PAYMENT-REQUIRED; null: none
 */
export function verifyReceipt(
  receipt: string,
  offer: string | null,
  expected: ReceiptExpectations,
): ReceiptVerification {
  const steps = new Steps();
  const { said, around } = statedReceipt(receipt, expected, steps);
  const offered = said === null || offer === null ? null : statedOffer(offer, said, expected, steps);
  if (said !== null) {
    judgeMembers(said, expected, steps);
    judgePrice(offered, expected, steps);
    judgePriceBeside(around, offered, steps);
  }
  return { ...steps.conclude(), receipt: said, offer: offered };
}

/** Token, amount and payee, as an answer says them: without the offer nobody signed them. */
function judgePriceBeside(
  around: Readonly<Record<string, unknown>>,
  offered: OfferStatement | null,
  steps: Steps,
): void {
  for (const name of ["asset", "amount", "payTo"] as const)
    if (offered !== null) judgeAnswer(name, around[name], offered[name], steps);
    else if (around[name] !== undefined)
      steps.add("answer", "absent", `Its ${name} is signed by nobody: give the signed offer by --offer.`);
}

/** What an answer says beside the receipt is signed by nobody, and must not say otherwise. */
function judgeAnswer(name: string, claimed: unknown, signed: string | undefined, steps: Steps): void {
  if (claimed === undefined) return;
  steps.judge(
    "answer",
    alike(claimed, signed),
    `The answer names the same ${name}.`,
    `The answer names the ${name} ${String(claimed)}, and what was signed ${signed ?? "none"}.`,
  );
}

function statedReceipt(text: string, { keys }: ReceiptExpectations, steps: Steps) {
  const nothing = { said: null, around: {} };
  const read = receiptIn(text);
  const jws = read === null ? null : parseJws(read.signature);
  if (read === null || jws === null) {
    steps.add("document", "unknown", "This is no signed receipt in the form jws.");
    return nothing;
  }
  const parsed = ReceiptStatement.safeParse(jws.payload);
  if (!parsed.success) {
    steps.add("receipt", "wrong", "What was signed is no receipt of x402, version 1.");
    return nothing;
  }
  const said = parsed.data;
  judgeSigner("signature", jws, said.resourceUrl, keys, steps);
  const { around } = read;
  for (const name of ["payer", "network", "transaction"] as const)
    judgeAnswer(name, around[name], said[name], steps);
  return { said, around };
}

/** Only what the reader trusts counts; what a document says of its own key does not. */
function judgeSigner(
  step: string,
  jws: ParsedJws,
  resourceUrl: string,
  keys: readonly Uint8Array[],
  steps: Steps,
): void {
  const did = didOfResource(resourceUrl, jws.kid);
  const key = keys.find((candidate) => isSignedBy(jws, candidate));
  if (keys.length === 0) {
    if (step === "signature")
      steps.add(
        ISSUER,
        "unknown",
        `It names the key ${jws.kid}; name the key that you trust by --receipt-key.`,
      );
    return;
  }
  if (key === undefined) {
    steps.add(step, "wrong", `It was not signed so by a key that you trust; it names ${jws.kid}.`);
    return;
  }
  steps.judge(
    step,
    did !== null && jws.kid === kidOf(did, key),
    "It was signed by a key that you trust.",
    `It names the key ${jws.kid}, which is not that of the resource ${resourceUrl}.`,
  );
  if (step === "signature") steps.add(ISSUER, "ok", `Signed by the key ${jws.kid}, which you trust.`);
}

/** The DID of the resource's service: its host, with as much of the path as the key's own DID has. */
function didOfResource(resourceUrl: string, kid: string): string | null {
  if (!/^https?:$/.test(parseUrl(resourceUrl)?.protocol ?? "")) return null;
  const depth = (kid.split("#")[0] ?? "").split(":").length - 3;
  return depth < 0 ? null : didOf(resourceUrl, depth);
}

/** The offer that the receipt's purchase accepted, as far as can be determined. */
function statedOffer(
  text: string,
  receipt: ReceiptStatement,
  expected: ReceiptExpectations,
  steps: Steps,
): OfferStatement | null {
  const signed = offersIn(text).flatMap((signature) => {
    const jws = parseJws(signature);
    const parsed = OfferStatement.safeParse(jws?.payload);
    return jws !== null && parsed.success ? [{ jws, said: parsed.data }] : [];
  });
  const fits = ({ said }: (typeof signed)[number]) =>
    said.network === receipt.network && (expected.asset === undefined || alike(expected.asset, said.asset));
  const fitting = signed.filter(fits);
  const [found] = fitting.length > 0 ? fitting : signed;
  if (found === undefined) {
    steps.add("offer", "unknown", "This is no signed offer in the form jws.");
    return null;
  }
  if (fitting.length > 1) {
    steps.add("offer", "unknown", "Several offers fit: name the token by --asset.");
    return null;
  }
  const { jws, said } = found;
  judgeSigner("offer", jws, said.resourceUrl, expected.keys, steps);
  steps.judge(
    "offer's resource",
    said.resourceUrl === receipt.resourceUrl && said.network === receipt.network,
    "Offer and receipt are of one resource and one network; that this very offer was paid, the transaction says.",
    `The offer is of ${said.resourceUrl} on ${said.network}, the receipt of ${receipt.resourceUrl} on ${receipt.network}.`,
  );
  if (said.validUntil !== undefined && said.validUntil !== 0)
    steps.judge(
      "offer's time",
      receipt.issuedAt <= said.validUntil + LATEST_SETTLEMENT_SECONDS,
      "The receipt was issued while the offer stood.",
      `The offer stood until ${said.validUntil}, and the receipt was issued at ${receipt.issuedAt}.`,
    );
  return said;
}

/** A payment that was authorized while the offer stood may be settled so much later. */
const LATEST_SETTLEMENT_SECONDS = 86_400;

function judgeMembers(said: ReceiptStatement, expected: ReceiptExpectations, steps: Steps): void {
  for (const name of ["payer", "network", "transaction"] as const) {
    const wanted = expected[name];
    if (wanted === undefined) continue;
    judgeMember(name, said[name] ?? "none", wanted, alike(wanted, said[name]), steps);
  }
  const { resource } = expected;
  if (resource !== undefined)
    judgeMember("resource", said.resourceUrl, resource, resource === said.resourceUrl, steps);
}

function judgePrice(offer: OfferStatement | null, expected: ReceiptExpectations, steps: Steps): void {
  for (const name of ["asset", "amount", "payTo"] as const) {
    const wanted = expected[name];
    if (wanted === undefined) continue;
    if (offer === null)
      steps.add(name, "unknown", `A receipt does not say its ${name}: give the signed offer by --offer.`);
    else judgeMember(name, offer[name], wanted, alike(wanted, offer[name]), steps);
  }
}

function judgeMember(name: string, said: string, wanted: string, right: boolean, steps: Steps): void {
  steps.judge(name, right, `It names ${said}, as expected.`, `It names ${said}, and not ${wanted}.`);
}

/** Addresses and hashes may be written in any case. */
function alike(one: unknown, other: unknown): boolean {
  if (typeof one !== "string" || typeof other !== "string") return one === other;
  return /^0x/i.test(one) ? one.toLowerCase() === other.toLowerCase() : one === other;
}
