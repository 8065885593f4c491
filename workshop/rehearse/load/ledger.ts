/** Every answer that a client was given and may rely on from then on. */
import type { Logged } from "../../../api/log/entries.ts";

/** A report that was shown: its job and version name it, its hash fixes its content. */
export interface AckedReport {
  readonly jobId: string;
  readonly version: number;
  readonly evidenceHash: string;
  /** What its entry in the decision log is made of; null where the answer did not show it. */
  readonly logged: Logged | null;
}

/** Something that a client did under a name of its own, as often as it took to be answered. */
export interface Named {
  readonly name: string;
  /** The acknowledged jobs; more than one is one too many. */
  readonly jobIds: Set<string>;
}

export type Ledger = ReturnType<typeof createLedger>;

export const createLedger = () => ({
  /** By `clientRequestId`. */
  jobs: new Map<string, Named>(),
  /** By the payment that was sent. */
  purchases: new Map<string, Named>(),
  reports: [] as AckedReport[],
  /** Ids of keys that were applied for. */
  applications: [] as string[],
  /** Trades that were sent and submitted, by transaction hash. */
  trades: new Map<string, { readonly jobId: string; isConfirmed: boolean }>(),
  checkpoints: new Set<string>(),
});

/** @returns what was begun under the name */
export function begin(things: Map<string, Named>, name: string): Named {
  const known = things.get(name) ?? { name, jobIds: new Set<string>() };
  things.set(name, known);
  return known;
}

export function summaryOf({ jobs, purchases, reports, applications, trades, checkpoints }: Ledger): string {
  const answered = (things: Map<string, Named>) =>
    [...things.values()].filter(({ jobIds }) => jobIds.size > 0).length;
  const confirmed = [...trades.values()].filter(({ isConfirmed }) => isConfirmed).length;
  return [
    `${answered(jobs)} jobs`,
    `${answered(purchases)} purchases`,
    `${reports.length} reports`,
    `${confirmed} of ${trades.size} trades confirmed`,
    `${applications.length} applications`,
    `${checkpoints.size} checkpoints`,
  ].join(", ");
}
