/**
 * What the paid phase measures: what this process does (facilitator, settlements) since its start, and what the
 * database holds, which all processes share.
 */
import { nullIfAway } from "../../database/errors.ts";
import type { Database } from "../../database/open.ts";
import { counterFor, type Family, gaugeFor, histogramFor } from "../metrics/instruments.ts";
import { type Facilitator, FacilitatorFault } from "./facilitator.ts";
import { countPayments } from "./ledger.ts";

/** What a facilitator says: why it refuses, or whether it has settled. */
type Told = Awaited<ReturnType<Facilitator["verify" | "settle"]>>;
const isRefused = (told: Told): boolean => typeof told === "string" || told?.success === false;

export type PaymentMetrics = ReturnType<typeof createPaymentMetrics>;

export function createPaymentMetrics({
  db,
  clock,
  monotonic,
}: {
  readonly db: Database;
  /** Unix milliseconds. */
  readonly clock: () => number;
  /** Milliseconds on a clock that never goes back. */
  readonly monotonic: () => number;
}) {
  const requests = histogramFor("assay_facilitator_request_seconds");
  const settlements = histogramFor("assay_payment_seconds");
  const faults = counterFor("assay_facilitator_faults_total");

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
    /** Those of the database have no values while it is away. */
    families: async (): Promise<Family[]> => [
      ...heldFamilies(await countPayments(db).catch(nullIfAway), clock),
      ...[requests, faults, settlements],
    ],
  };
}

/** @param held null: it cannot be read at the moment */
function heldFamilies(held: Awaited<ReturnType<typeof countPayments>> | null, clock: () => number): Family[] {
  const rows = held ?? [];
  const oldest = rows.filter(({ state }) => state === "settling").map((row) => Number(row.oldest));
  const age = oldest.length === 0 ? 0 : Math.max(0, Math.floor(clock() / 1_000) - Math.min(...oldest));
  return [
    gaugeFor(
      "assay_payments",
      rows.map(({ state, network, asset, count }) => [{ state, network, asset }, Number(count)] as const),
    ),
    gaugeFor("assay_payment_open_age_seconds", held === null ? [] : [[{}, age]]),
  ];
}
