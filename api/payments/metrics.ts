/**
 * What the paid phase measures: what this process does (facilitator, settlements) since its start, and what the
 * database holds, which all processes share.
 */
import type { Counter, Histogram } from "prom-client";
import { nullIfAway } from "../../database/databaseErrors.ts";
import type { Database } from "../../database/open.ts";
import { counterFor, type Family, gaugeFor, histogramFor } from "../metrics/instruments.ts";
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
  /** Those of the database have no values while it is away. */
  families(): Promise<Family[]>;
}

type Watch = <T>(operation: string, run: () => Promise<T>) => Promise<T>;

interface Instruments {
  readonly requests: Histogram;
  readonly faults: Counter;
  /** Milliseconds on a clock that never goes back. */
  readonly monotonic: () => number;
  readonly watch: Watch;
}

export function createPaymentMetrics(deps: {
  readonly db: Database;
  /** Unix milliseconds. */
  readonly clock: () => number;
  /** Milliseconds on a clock that never goes back. */
  readonly monotonic: () => number;
  /** Runs a request to the facilitator, and looks on. */
  readonly watch: Watch;
}): PaymentMetrics {
  const requests = histogramFor("assay_facilitator_request_seconds");
  const settlements = histogramFor("assay_payment_seconds");
  const faults = counterFor("assay_facilitator_faults_total");
  const signIns = counterFor("assay_sign_ins_total");
  return {
    signedIn: (outcome) => signIns.inc({ outcome }),
    measured: (facilitator) => measured({ ...deps, requests, faults }, facilitator),
    ended: (state, seconds) => settlements.observe({ state }, Math.max(0, seconds)),
    families: async () => [
      ...heldFamilies(await heldPayments(deps.db).catch(nullIfAway), deps.clock),
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
  { requests, faults, monotonic, watch }: Instruments,
  operation: string,
  work: () => Promise<T>,
  isRefused: (result: T) => boolean,
): Promise<T> {
  const from = monotonic();
  const note = (outcome: string) => requests.observe({ operation, outcome }, (monotonic() - from) / 1_000);
  try {
    const result = await watch(operation, work);
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
function heldPayments(db: Database) {
  return db
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
}

/** @param held null: it cannot be read at the moment */
function heldFamilies(held: Awaited<ReturnType<typeof heldPayments>> | null, clock: () => number): Family[] {
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
