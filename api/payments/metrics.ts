/**
 * What the paid phase measures: what this process does (facilitator, settlements) since its start, and what the
 * database holds, which all processes share.
 */
import { Counter, Histogram } from "prom-client";
import { nullIfAway } from "../../database/errors.ts";
import type { Database } from "../../database/open.ts";
import { type Metrics, measure } from "../metrics/metrics.ts";
import { type Facilitator, FacilitatorFault } from "./facilitator.ts";
import { countPayments } from "./ledger.ts";

/** What a facilitator says: why it refuses, or whether it has settled. */
type Told = Awaited<ReturnType<Facilitator["verify" | "settle"]>>;
const isRefused = (told: Told): boolean => typeof told === "string" || told?.success === false;

export type PaymentMetrics = ReturnType<typeof createPaymentMetrics>;

export function createPaymentMetrics({
  db,
  now,
  monotonic,
  metrics,
}: {
  readonly metrics: Metrics;
  readonly db: Database;
  /** Unix milliseconds. */
  readonly now: () => number;
  /** Milliseconds on a clock that never goes back. */
  readonly monotonic: () => number;
}) {
  const requests = new Histogram({
    name: "assay_facilitator_request_seconds",
    help: "Requests to the facilitator, by operation and outcome (ok, refused, timeout, no_answer).",
    labelNames: ["operation", "outcome"],
    buckets: [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20],
    registers: [metrics],
  });
  const faults = new Counter({
    name: "assay_facilitator_faults_total",
    help: "Requests that the facilitator did not answer as it should, by operation and fault.",
    labelNames: ["operation", "fault"],
    registers: [metrics],
  });
  const settlements = new Histogram({
    name: "assay_payment_seconds",
    help: "From writing a payment down to its end, by the end (settled, expired).",
    labelNames: ["state"],
    // The table counts in whole seconds.
    buckets: [1, 2, 5, 10, 30, 60, 120, 300, 900],
    registers: [metrics],
  });
  measureHeld(metrics, db, now);

  async function timed<T extends Told>(operation: string, work: () => Promise<T>): Promise<T> {
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

  return {
    /** The same facilitator, timed, its faults counted. */
    measured: ({ verify, settle }: Facilitator): Facilitator => ({
      verify: (...args) => timed("verify", () => verify(...args)),
      settle: (...args) => timed("settle", () => settle(...args)),
    }),
    /** A payment that has come to its end. @param seconds since it was written down */
    ended: (state: "settled" | "expired", seconds: number) =>
      settlements.observe({ state }, Math.max(0, seconds)),
  };
}

/** Those of the database have no values while it is away. */
function measureHeld(metrics: Metrics, db: Database, now: () => number): void {
  measure(metrics, () => countPayments(db).catch(nullIfAway), [
    {
      name: "assay_payments",
      help: "Payments in the database, by state, network and token.",
      labelNames: ["state", "network", "asset"],
      samples: (held) =>
        held.map(({ state, network, asset, count }) => [{ state, network, asset }, Number(count)]),
    },
    {
      name: "assay_payment_open_age_seconds",
      help: "Age of the oldest payment whose outcome is not known yet; 0 when there is none.",
      samples(held) {
        const open = held.filter(({ state }) => state === "settling").map(({ oldest }) => Number(oldest));
        const age = Math.max(0, Math.floor(now() / 1_000) - Math.min(...open));
        return [[{}, open.length === 0 ? 0 : age]];
      },
    },
  ]);
}
