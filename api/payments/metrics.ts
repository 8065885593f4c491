/**
 * What the paid phase measures: what this process does (facilitator, settlements) since its start, and what the
 * database holds, which all processes share.
 */

import type { Counter, Histogram } from "prom-client";
import type { Database } from "../../database/open.ts";
import { createCounter, createHistogram, type Family, gaugeOf } from "../metrics/instruments.ts";
import { type Facilitator, FacilitatorFault } from "./facilitator.ts";

export interface PaymentMetrics {
  /** The same facilitator, timed, its faults counted. */
  measured(facilitator: Facilitator): Facilitator;
  /**
   * A payment that has come to its end.
   * @param seconds since it was written down
   */
  ended(state: "settled" | "expired", seconds: number): void;
  /** How a sign-in of a payer ended. */
  signedIn(outcome: string): void;
  /** @throws DatabaseUnavailable */
  families(): Promise<Family[]>;
}

const REQUEST_BOUNDS = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20];
/** The table counts in whole seconds. */
const SETTLE_BOUNDS = [1, 2, 5, 10, 30, 60, 120, 300, 900];

interface Instruments {
  readonly requests: Histogram;
  readonly faults: Counter;
  /** Milliseconds on a clock that never goes back. */
  readonly monotonic: () => number;
}

export function createPaymentMetrics(deps: {
  readonly db: Database;
  /** Unix milliseconds. */
  readonly clock: () => number;
  /** Milliseconds on a clock that never goes back. */
  readonly monotonic: () => number;
}): PaymentMetrics {
  const requests = createHistogram(
    "assay_facilitator_request_seconds",
    "Requests to the facilitator, by operation and outcome (ok, refused, timeout, no_answer).",
    ["operation", "outcome"],
    REQUEST_BOUNDS,
  );
  const settlements = createHistogram(
    "assay_payment_seconds",
    "From writing a payment down to its end, by the end (settled, expired).",
    ["state"],
    SETTLE_BOUNDS,
  );
  const faults = createCounter(
    "assay_facilitator_faults_total",
    "Requests that the facilitator did not answer as it should, by operation and fault.",
    ["operation", "fault"],
  );
  const signIns = createCounter(
    "assay_sign_ins_total",
    "Sign-ins of payers, by outcome: opened, nothing_bought, or why it was not taken.",
    ["outcome"],
  );
  return {
    signedIn: (outcome) => signIns.inc({ outcome }),
    measured: (facilitator) => measured({ requests, faults, monotonic: deps.monotonic }, facilitator),
    ended: (state, seconds) => settlements.observe({ state }, Math.max(0, seconds)),
    families: async () => [
      ...(await heldPayments(deps.db, deps.clock)),
      requests,
      faults,
      settlements,
      signIns,
    ],
  };
}

function measured(instruments: Instruments, facilitator: Facilitator): Facilitator {
  return {
    verify: (...args) =>
      timed(
        instruments,
        "verify",
        () => facilitator.verify(...args),
        (refusal) => refusal !== null,
      ),
    settle: (...args) =>
      timed(
        instruments,
        "settle",
        () => facilitator.settle(...args),
        ({ success }) => !success,
      ),
  };
}

async function timed<T>(
  { requests, faults, monotonic }: Instruments,
  operation: string,
  work: () => Promise<T>,
  isRefused: (result: T) => boolean,
): Promise<T> {
  const from = monotonic();
  const note = (outcome: string) => requests.observe({ operation, outcome }, (monotonic() - from) / 1_000);
  try {
    const result = await work();
    note(isRefused(result) ? "refused" : "ok");
    return result;
  } catch (error) {
    const fault = error instanceof FacilitatorFault ? error.fault : "no_answer";
    note(fault);
    faults.inc({ operation, fault });
    throw error;
  }
}

/** What the database holds, whichever process wrote it. */
async function heldPayments(db: Database, clock: () => number): Promise<Family[]> {
  const rows = await db
    .selectFrom("payments")
    .select((eb) => [
      "state",
      "network",
      "asset",
      eb.fn.countAll().as("count"),
      eb.fn.min("created_at").as("oldest"),
    ])
    .groupBy(["state", "network", "asset"])
    .execute();
  const oldest = rows.filter(({ state }) => state === "settling").map((row) => Number(row.oldest));
  const age = oldest.length === 0 ? 0 : Math.max(0, Math.floor(clock() / 1_000) - Math.min(...oldest));
  return [
    gaugeOf(
      "assay_payments",
      "Payments in the database, by state, network and token.",
      rows.map(({ state, network, asset, count }) => [{ state, network, asset }, Number(count)] as const),
    ),
    gaugeOf(
      "assay_payment_open_age_seconds",
      "Age of the oldest payment whose outcome is not known yet; 0 when there is none.",
      [[{}, age]],
    ),
  ];
}
