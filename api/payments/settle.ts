/**
 * One step of one payment: look at the chain, try to settle where that can still help, look again. Every way out of
 * `settling` leads over the chain:
 *
 *     settling --- the nonce was used for the agreed transfer, deep enough ---> settled
 *              --- cancelled, used for another transfer, or block time is past validBefore ---> expired
 *
 * An error, a timeout or a refusal of the facilitator is no proof that the money did not move: its transaction may
 * be mined a moment later. The payment then stays `settling`.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { canonicalHash } from "../../attestor/values/canonical.ts";
import type { Database } from "../../database/open.ts";
import type { Logger } from "../metrics/logger.ts";
import type { ProcessIdentity } from "../settings/processIdentity.ts";
import type { Observation, PaymentChain } from "./chain.ts";
import { type Facilitator, FacilitatorFault } from "./facilitator.ts";
import { claimTransfer, endAttempt, findPayment, markExpired, scheduleLook, takeAttempt } from "./ledger.ts";
import type { Attempt, StoredPayment } from "./rows.ts";
import { outcomeUnknown, paymentInProgress } from "./terms.ts";

/** What payments are settled with. */
export interface Settlement {
  readonly db: Database;
  readonly facilitator: Facilitator;
  readonly facilitatorTimeoutMs: number;
  /** Of a network; null when it is no longer configured. */
  readonly chainOf: (network: string) => PaymentChain | null;
  /** Payments that this process is bringing to their end, by what names them: copies of a request share one attempt. */
  readonly underWay: Map<string, Promise<StoredPayment>>;
  /** Unix milliseconds. */
  readonly now: () => number;
  /** Whose attempt it is, and whether another's is dead. */
  readonly process: ProcessIdentity;
  /** Told when a payment came to its end, so many seconds after it was written down. */
  readonly onEnd?: (state: "settled" | "expired", seconds: number) => void;
  /** Gets nothing that must not be logged. */
  readonly log: Pick<Logger, "info" | "warn">;
}

/**
 * `waiting`: another attempt is under way, or the transfer is not deep enough yet. `unknown`: after an attempt, or a
 * failure to make one, it is not yet known whether the money moved.
 */
export type Open = "waiting" | "unknown";

/** An authorization with less time left is not sent any more: it could not be mined in time. */
const LEAST_SECONDS_LEFT = 6;
/** Looks grow rarer with the number of attempts. */
const LOOK_AGAIN_MS = 2_000;
const SLOWEST_LOOK_MS = 60_000;
/** While an attempt is under way elsewhere, or was when its process died. */
const WATCH_MS = 1_000;
/** Beyond the facilitator's own time, for the statements around it. */
const ATTEMPT_SLACK_MS = 5_000;
/** How long one request waits for a transfer to be deep enough. */
const WAIT_STEPS = 8;
const WAIT_STEP_MS = 1_000;

/**
 * Brings a payment to its end, for the request that pays. Copies of a request share one attempt.
 * @param fresh as of `advance`
 * @throws Problem `payment_in_progress`, `upstream_unavailable`; UpstreamUnavailable, DatabaseUnavailable
 */
export function settle(
  settlement: Settlement,
  payment: StoredPayment,
  fresh = false,
): Promise<StoredPayment> {
  const { underWay } = settlement;
  const name = canonicalHash([payment.network, payment.asset, payment.payer, payment.nonce]);
  const running = underWay.get(name);
  // The fresh one has the attempt: a copy that was here first can only wait for it.
  if (running && !fresh) return running;
  const attempt = settleToEnd(settlement, payment, fresh).finally(() => {
    if (underWay.get(name) === attempt) underWay.delete(name);
  });
  underWay.set(name, attempt);
  return attempt;
}

async function settleToEnd(
  settlement: Settlement,
  payment: StoredPayment,
  fresh: boolean,
): Promise<StoredPayment> {
  let reached = await advance(settlement, payment, fresh);
  for (let step = 0; reached === "waiting" && step < WAIT_STEPS; step++) {
    await sleep(WAIT_STEP_MS);
    reached = await advance(settlement, (await findPayment(settlement.db, payment)) ?? payment);
  }
  if (reached === "waiting") throw paymentInProgress();
  if (reached === "unknown") throw outcomeUnknown();
  return reached;
}

/**
 * @param fresh the nonce was seen unused a moment ago, before the row was written with this attempt
 * @returns the payment, `settled` or `expired`, or why it has not come to its end yet
 * @throws UpstreamUnavailable when the chain cannot be asked, DatabaseUnavailable; the payment then stays as it is
 */
export async function advance(
  settlement: Settlement,
  payment: StoredPayment,
  fresh = false,
): Promise<StoredPayment | Open> {
  if (payment.state !== "settling") return payment;
  const { db, now, log } = settlement;
  const chain = settlement.chainOf(payment.network);
  if (chain === null) {
    await scheduleLook(db, payment, now() + SLOWEST_LOOK_MS);
    return "unknown";
  }

  if (!fresh) {
    const seen = await recordObservation(
      settlement,
      payment,
      await chain.observe(payment, payment.transactionHash),
    );
    if (seen !== "unused") return seen;
  }
  const secondsLeft = payment.validBefore - now() / 1000;
  if (secondsLeft < LEAST_SECONDS_LEFT) {
    const nextLookAt = now() + LOOK_AGAIN_MS;
    if (fresh) await endAttempt(db, payment, { fault: null, hint: null, nextLookAt });
    else await scheduleLook(db, payment, nextLookAt);
    return "unknown";
  }
  if (!fresh && !(await beginAttempt(settlement, payment))) {
    // Another has it, or had it and is gone: the token says first how that went.
    await scheduleLook(db, payment, now() + WATCH_MS);
    return "waiting";
  }

  const { fault, hint } = await askFacilitator(settlement, payment);
  // What it says is only where to look.
  const observed = await chain
    .observe(payment, hint ?? payment.transactionHash)
    .catch((error: unknown) => ({ state: "unseen" as const, error }));
  const seen =
    observed.state === "unseen" ? "unused" : await recordObservation(settlement, payment, observed);
  const isAtEnd = typeof seen === "object";
  if (!isAtEnd) {
    // Where the chain did not answer, the next look finds out.
    const pause = seen === "waiting" ? LOOK_AGAIN_MS : pauseAfter(payment.attempts - (fresh ? 1 : 0));
    await endAttempt(db, payment, { fault, hint, nextLookAt: now() + pause });
  }
  if (observed.state === "unseen") throw observed.error;
  if (fault !== null && !(isAtEnd && seen.state === "settled"))
    log.warn({ job: payment.jobId, fault }, "a settlement has no outcome yet");
  return seen === "unused" ? "unknown" : seen;
}

/** An attempt that begins now. */
export function attemptOf({ now, facilitatorTimeoutMs, process }: Settlement): Attempt {
  const beginsAt = now();
  return { now: beginsAt, until: beginsAt + facilitatorTimeoutMs + ATTEMPT_SLACK_MS, owner: process.self };
}

/** @returns whether the one attempt that may be under way is ours now */
async function beginAttempt(settlement: Settlement, payment: StoredPayment): Promise<boolean> {
  const { db, process } = settlement;
  const attempt = attemptOf(settlement);
  if (await takeAttempt(db, payment, attempt)) return true;
  // As it stands now: the row that was read may be older than the attempt.
  const owner = (await findPayment(db, payment))?.attemptOwner ?? null;
  return owner !== null && process.isDead(owner) && takeAttempt(db, payment, attempt, owner);
}

async function askFacilitator(
  { facilitator }: Settlement,
  { payment, terms }: StoredPayment,
): Promise<{ fault: string | null; hint: string | null }> {
  try {
    const { success, transaction } = await facilitator.settle(payment, terms);
    return { fault: success ? null : "not_settled", hint: transaction };
  } catch (error) {
    if (!(error instanceof FacilitatorFault)) throw error;
    return { fault: error.fault, hint: null };
  }
}

/** Writes down what the chain says of a payment. @returns the payment at its end, or why it is not there */
async function recordObservation(
  settlement: Settlement,
  payment: StoredPayment,
  observed: Observation,
): Promise<StoredPayment | "waiting" | "unused"> {
  const { db, now } = settlement;
  if (observed.state === "unused") return "unused";
  if (observed.state === "expired") return expire(settlement, payment, "expired");
  const settledAt = Math.floor(now() / 1000);
  for (const transfer of observed.transfers) {
    const claim = await claimTransfer(db, payment, transfer, settledAt);
    if (claim === "taken") continue;
    const { transactionHash } = transfer;
    const settled = { ...payment, state: "settled", transactionHash, settledAt, fault: null } as const;
    return atEnd(settlement, settled, claim === "claimed");
  }
  if (observed.isOver) return expire(settlement, payment, "spent_otherwise");
  await scheduleLook(db, payment, now() + LOOK_AGAIN_MS);
  return "waiting";
}

async function expire(
  settlement: Settlement,
  payment: StoredPayment,
  fault: "expired" | "spent_otherwise",
): Promise<StoredPayment> {
  const isOurs = await markExpired(settlement.db, payment, fault);
  return atEnd(settlement, { ...payment, state: "expired", transactionHash: null, fault }, isOurs);
}

/**
 * Tells of a payment that came to its end.
 * @param isOurs whether this call brought it there; another has told of it otherwise, and may have seen another end
 */
async function atEnd(
  { db, now, log, onEnd }: Settlement,
  ended: StoredPayment & { readonly state: "settled" | "expired" },
  isOurs: boolean,
): Promise<StoredPayment> {
  if (!isOurs) return (await findPayment(db, ended)) ?? ended;
  const { jobId, state, network, asset, amount, attempts, createdAt } = ended;
  log.info({ job: jobId, state, network, asset, amount, attempts }, "payment");
  onEnd?.(state, now() / 1000 - createdAt);
  return ended;
}

function pauseAfter(attempts: number): number {
  return Math.min(SLOWEST_LOOK_MS, LOOK_AGAIN_MS * 2 ** Math.min(attempts, 10));
}
