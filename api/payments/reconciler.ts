/**
 * Brings open payments to their end, at the start and on a timer: what a crash, an outage or a lost answer left
 * `settling`. The buyer has authorized the payment and the report is stored, so an authorization that was never used is
 * sent again while it is valid. Its whole state is in the database.
 */
import { type Repeated, repeat } from "../repeat.ts";
import { dueSettlements, scheduleLook } from "./ledger.ts";
import type { StoredPayment } from "./rows.ts";
import { advance, type Settlement } from "./settle.ts";

const BATCH = 50;
const FOREVER = Number.MAX_SAFE_INTEGER;
/** After a round in which a payment could not be looked at. */
const RETRY_MS = 5_000;

/** @param pollMs how often it looks for what is due, milliseconds */
export function startReconciler(settlement: Settlement, pollMs: number): Pick<Repeated, "stop"> {
  let stopped = false;
  // At the start nothing is waited for: who had the attempts may be gone.
  let all = true;
  const rounds = repeat(async () => {
    await reconcile(settlement, all, () => stopped);
    all = false;
  }, pollMs);
  return {
    stop() {
      stopped = true;
      return rounds.stop();
    },
  };
}

/**
 * One round over what is due, or over what is open: the fifty that have waited longest. Others come in the next round.
 * Never throws.
 */
export async function reconcile(
  settlement: Settlement,
  all: boolean,
  isStopped: () => boolean = () => false,
): Promise<void> {
  try {
    // At once: a facilitator that is slow for one payment must not hold up what the token says of another.
    const due = await dueSettlements(settlement.db, all ? FOREVER : settlement.now(), BATCH);
    await Promise.all(due.map((payment) => (isStopped() ? undefined : lookAt(settlement, payment))));
  } catch (error) {
    settlement.log.warn({ err: error }, "reconciling payments failed; will try again");
  }
}

async function lookAt(settlement: Settlement, payment: StoredPayment): Promise<void> {
  try {
    await advance(settlement, payment);
  } catch (error) {
    // One network that is away must not hold up the others.
    await scheduleLook(settlement.db, payment, settlement.now() + RETRY_MS);
    settlement.log.warn({ err: error, job: payment.jobId }, "a payment could not be checked; will try again");
  }
}
