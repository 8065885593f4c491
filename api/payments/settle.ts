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
import type { Database } from "../../database/open.ts";
import type { Logger } from "../metrics/logger.ts";
import type { ProcessIdentity } from "../settings/processIdentity.ts";
import type { ChainReader, Sight } from "./chainReader.ts";
import { type Facilitator, FacilitatorFault } from "./facilitator.ts";
import { findPayment } from "./ledger.ts";
import type { Attempt, StoredPayment } from "./rows.ts";
import { endAttempt, markExpired, markSettled, setNextLook, takeAttempt } from "./transitions.ts";

export interface SettleDeps {
  readonly db: Database;
  readonly facilitator: Facilitator;
  readonly facilitatorTimeoutMs: number;
  /** Reads a network's tokens; null when the network is no longer configured. */
  readonly readerOf: (network: string) => ChainReader | null;
  /** Unix milliseconds. */
  readonly clock: () => number;
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

/**
 * @param fresh the nonce was seen unused a moment ago, before the row was written with this attempt
 * @returns the payment, `settled` or `expired`, or why it has not come to its end yet
 * @throws UpstreamUnavailable when the chain cannot be asked, DatabaseUnavailable; the payment then stays as it is
 */
export async function advance(
  deps: SettleDeps,
  payment: StoredPayment,
  fresh = false,
): Promise<StoredPayment | Open> {
  if (payment.state !== "settling") return payment;
  const reader = deps.readerOf(payment.network);
  if (reader === null) {
    await setNextLook(deps.db, payment, deps.clock() + SLOWEST_LOOK_MS);
    return "unknown";
  }
  const look = (hint: string | null) => reader.look({ ...payment, hint });

  if (!fresh) {
    const seen = await recordSight(deps, payment, await look(payment.transactionHash));
    if (seen !== "unused") return seen;
  }
  const secondsLeft = payment.validBefore - deps.clock() / 1000;
  if (secondsLeft < LEAST_SECONDS_LEFT) {
    const nextLookAt = deps.clock() + LOOK_AGAIN_MS;
    if (fresh) await endAttempt(deps.db, payment, { fault: null, hint: null, nextLookAt });
    else await setNextLook(deps.db, payment, nextLookAt);
    return "unknown";
  }
  if (!fresh && !(await beginAttempt(deps, payment))) {
    // Another has it, or had it and is gone: the token says first how that went.
    await setNextLook(deps.db, payment, deps.clock() + WATCH_MS);
    return "waiting";
  }

  const { fault, hint } = await askFacilitator(deps, payment);
  // What it says is only where to look.
  const sight = await look(hint ?? payment.transactionHash).catch((error: unknown) => ({ error }));
  if (!("state" in sight) || sight.state !== "paid") {
    // Without an answer of the chain, the next look finds out.
    const nextLookAt = deps.clock() + pauseAfter(payment.attempts - (fresh ? 1 : 0));
    await endAttempt(deps.db, payment, { fault, hint, nextLookAt });
  }
  if ("error" in sight) throw sight.error;
  const seen = await recordSight(deps, payment, sight);
  if (fault !== null && !(typeof seen === "object" && seen.state === "settled"))
    deps.log.warn({ job: payment.jobId, fault }, "a settlement has no outcome yet");
  return seen === "unused" ? "unknown" : seen;
}

export function attemptOf({ clock, facilitatorTimeoutMs, process }: SettleDeps): Attempt {
  const now = clock();
  return { now, until: now + facilitatorTimeoutMs + ATTEMPT_SLACK_MS, owner: process.self };
}

/** @returns whether the one attempt that may be under way is ours now */
async function beginAttempt(deps: SettleDeps, payment: StoredPayment): Promise<boolean> {
  const { db, process } = deps;
  const attempt = attemptOf(deps);
  if (await takeAttempt(db, payment, attempt)) return true;
  // As it stands now: the row that was read may be older than the attempt.
  const owner = (await findPayment(db, payment))?.attemptOwner ?? null;
  return owner !== null && process.isDead(owner) && takeAttempt(db, payment, attempt, owner);
}

async function askFacilitator(
  { facilitator }: SettleDeps,
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
async function recordSight(
  deps: SettleDeps,
  payment: StoredPayment,
  sight: Sight,
): Promise<StoredPayment | "waiting" | "unused"> {
  const { db, clock } = deps;
  switch (sight.state) {
    case "paid": {
      const { transactionHash } = sight;
      const settledAt = Math.floor(clock() / 1000);
      const isOurs = await markSettled(db, payment, sight, settledAt);
      return atEnd(deps, { ...payment, state: "settled", transactionHash, settledAt, fault: null }, isOurs);
    }
    case "expired":
    case "spent_otherwise": {
      const isOurs = await markExpired(db, payment, sight.state);
      const fault = sight.state;
      return atEnd(deps, { ...payment, state: "expired", transactionHash: null, fault }, isOurs);
    }
    case "unclear":
      await setNextLook(db, payment, clock() + LOOK_AGAIN_MS);
      return "waiting";
    case "unused":
      return "unused";
  }
}

/**
 * Tells of a payment that came to its end.
 * @param isOurs whether this call brought it there; another has told of it otherwise, and may have seen another end
 */
async function atEnd(
  { db, clock, log, onEnd }: SettleDeps,
  ended: StoredPayment & { readonly state: "settled" | "expired" },
  isOurs: boolean,
): Promise<StoredPayment> {
  if (!isOurs) return (await findPayment(db, ended)) ?? ended;
  const { jobId, state, network, asset, amount, attempts, createdAt } = ended;
  log.info({ job: jobId, state, network, asset, amount, attempts }, "payment");
  onEnd?.(state, clock() / 1000 - createdAt);
  return ended;
}

function pauseAfter(attempts: number): number {
  return Math.min(SLOWEST_LOOK_MS, LOOK_AGAIN_MS * 2 ** Math.min(attempts, 10));
}
