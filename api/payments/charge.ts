/**
 * Charges one payment: looked at, written down, settled. What it pays for is the caller's business; `sell.ts`
 * reads as the steps of a purchase.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { canonicalHash } from "../../attestor/values/canonical.ts";
import type { Database } from "../../database/open.ts";
import { authorizationOf, keyOf, methodOfTerms } from "./authorization.ts";
import type { ChainReader } from "./chainReader.ts";
import { outcomeUnknown, paymentInProgress } from "./challenge.ts";
import { findPayment } from "./ledger.ts";
import type { Payment, Requirements } from "./payload.ts";
import { PERMIT2 } from "./permit2Contracts.ts";
import { acceptedTerms, type Sale } from "./quote.ts";
import { PaymentRefused, type Refusal } from "./refusals.ts";
import type { NewPayment, StoredPayment } from "./rows.ts";
import { advance, attemptOf, type SettleDeps } from "./settle.ts";
import { type Payer, signedIn } from "./signature.ts";
import { insertCovered, insertIntent } from "./transitions.ts";
import { assertUsable } from "./window.ts";

/** How long one request waits for a transfer to be deep enough. */
const WAIT_STEPS = 8;
const WAIT_STEP_MS = 1_000;

export interface ChargeDeps extends SettleDeps {
  /** Payments that this process is bringing to their end, by what names them: copies of a request share one attempt. */
  readonly underWay: Map<string, Promise<StoredPayment>>;
}

/** A payment that its payer has signed, and that the chain has nothing against. */
export type Inspected = Awaited<ReturnType<typeof inspect>>;

/**
 * Finds out who has signed a payment, and asks facilitator and chain whether it would go through. Writes nothing. The
 * signature is verified here, since it gives access to the payer's purchases.
 * @throws PaymentRefused, FacilitatorFault, UpstreamUnavailable
 */
export async function inspect(deps: ChargeDeps, payment: Payment, terms: Requirements) {
  const authorization = authorizationOf(payment);
  assertUsable(authorization, terms, deps.clock());
  const { payer: address, nonce } = authorization;
  const { network, asset } = terms;
  const reader = deps.readerOf(network);
  if (reader === null) throw new PaymentRefused("not_offered");
  const signedBy = await reader.signerKindOf(signedIn(payment, terms));
  if (signedBy === null) throw new PaymentRefused("wrong_signature");
  const [said, unusedAtBlock] = await Promise.all([
    deps.facilitator.verify(payment, terms),
    reader.unusedAt(asset, address, nonce),
  ]);
  // Used before we knew of it: anybody who reads the chain could have sent it.
  if (unusedAtBlock === null) throw new PaymentRefused("already_used");
  const payer: Payer = { address, network, signedBy };
  /** Why the facilitator does not take it; null: it would go through. */
  const refusal = said === "refused" ? await whyRefused(reader, terms, address) : said;
  return { payment, terms, payer, refusal, unusedAtBlock };
}

/**
 * Writes the payment down with what it pays for, and settles it.
 * @param bind stores what is bought and names its job; runs in the transaction of the payment
 * @param onStored told once both are stored, before any money moves; not where the payment was stored before
 * @returns the payment at its end; null when the job, or the same purchase, has another payment already
 * @throws Problem `payment_in_progress`, `upstream_unavailable`; UpstreamUnavailable
 */
export async function charge(
  deps: ChargeDeps,
  inspected: Inspected,
  bind: (trx: Database) => Promise<string>,
  onStored?: () => void,
): Promise<StoredPayment | null> {
  // Its attempt begins with it: this call settles it, and one statement less stands before the money.
  const payment = { ...newPaymentOf(deps, inspected), attempt: attemptOf(deps) };
  const inserted = await insertIntent(deps.db, payment, bind);
  if (inserted !== null) {
    onStored?.();
    return settleShared(deps, inserted, true);
  }
  const stored = await findPayment(deps.db, keyOf(inspected.payment));
  return stored === null ? null : settleShared(deps, stored);
}

/** Notes that a payment is not needed, because another one has paid for the job. */
export function cover(deps: ChargeDeps, inspected: Inspected, jobId: string): Promise<void> {
  return insertCovered(deps.db, newPaymentOf(deps, inspected), jobId);
}

/**
 * Brings a payment to its end. Copies of a request share one attempt.
 * @param fresh as of `advance`
 * @throws as `charge`
 */
export function settleShared(
  deps: ChargeDeps,
  payment: StoredPayment,
  fresh = false,
): Promise<StoredPayment> {
  const name = canonicalHash([payment.network, payment.asset, payment.payer, payment.nonce]);
  const running = deps.underWay.get(name);
  // The fresh one has the attempt: a copy that was here first can only wait for it.
  if (running && !fresh) return running;
  const attempt = settleToEnd(deps, payment, fresh).finally(() => {
    if (deps.underWay.get(name) === attempt) deps.underWay.delete(name);
  });
  deps.underWay.set(name, attempt);
  return attempt;
}

async function settleToEnd(deps: ChargeDeps, payment: StoredPayment, fresh: boolean): Promise<StoredPayment> {
  let reached = await advance(deps, payment, fresh);
  for (let step = 0; reached === "waiting" && step < WAIT_STEPS; step++) {
    await sleep(WAIT_STEP_MS);
    reached = await advance(deps, (await findPayment(deps.db, payment)) ?? payment);
  }
  if (reached === "waiting") throw paymentInProgress();
  if (reached === "unknown") throw outcomeUnknown();
  return reached;
}

/**
 * Whether a payment is the one that is stored, and not another with the same nonce, or for another purchase. The
 * terms are those of then: a price that was changed since takes nothing from who has paid.
 * @throws PaymentRefused `other_purchase`, `not_offered`, `already_used`
 */
export function assertSamePayment(sale: Sale, payment: Payment, stored: StoredPayment): void {
  acceptedTerms({ ...sale, accepts: [stored.terms] }, payment);
  if (canonicalHash(payment.payload) !== canonicalHash(stored.payment.payload))
    throw new PaymentRefused("already_used");
}

function newPaymentOf(
  { clock, facilitatorTimeoutMs }: ChargeDeps,
  { payment, terms, unusedAtBlock }: Inspected,
): NewPayment {
  return {
    ...keyOf(payment),
    amount: terms.amount,
    payTo: terms.payTo,
    validBefore: Number(authorizationOf(payment).validBefore),
    payment,
    terms,
    unusedAtBlock,
    createdAt: Math.floor(clock() / 1000),
    // The request that pays looks itself; the reconciler comes when it must be gone.
    nextLookAt: clock() + 2 * facilitatorTimeoutMs,
    attempt: null,
  };
}

/** A facilitator that refuses may not say why; this finds what a buyer can fix. */
async function whyRefused(reader: ChainReader, terms: Requirements, payer: string): Promise<Refusal> {
  const { asset } = terms;
  const price = BigInt(terms.amount);
  if ((await reader.balanceOf(asset, payer)) < price) return "insufficient_funds";
  const isShort =
    methodOfTerms(terms) === "permit2" && (await reader.allowanceOf(asset, payer, PERMIT2)) < price;
  return isShort ? "allowance_required" : "refused";
}
