/** What clients saw, and when: what failed, for how long, and whether the service is well again. */

/** Ways of using the service, each of which fails and recovers by itself. */
const FLOWS = ["reads", "jobs", "purchases", "certificates", "submissions", "confirmations"] as const;
export type Flow = (typeof FLOWS)[number];

/** One use of the service. Times are milliseconds of `performance.now()`. */
export interface Sample {
  readonly flow: Flow;
  readonly startedAt: number;
  /** null: it is under way. */
  endedAt: number | null;
  /** null: it has not failed. */
  fault: string | null;
}

/** Nothing fails and nothing takes longer than this before the service counts as well. */
const QUIET_MS = 3_000;

/** @param work resolves with what went wrong; null: nothing */
export async function measure(
  samples: Sample[],
  flow: Flow,
  work: () => Promise<string | null>,
): Promise<void> {
  const sample: Sample = { flow, startedAt: performance.now(), endedAt: null, fault: null };
  samples.push(sample);
  sample.fault = await work().catch(faultOf);
  sample.endedAt = performance.now();
}

/** `ECONNRESET`, or `no answer` for one that did not come in time. */
function faultOf(error: Error & { cause?: { code?: string } }): string {
  return error.name === "TimeoutError" ? "no answer" : (error.cause?.code ?? error.message);
}

/** Whether, since a time, nothing has failed for a while, nothing hangs, and every flow has worked after its last failure. */
export function isWell(samples: readonly Sample[], since: number, now: number): boolean {
  const quietSince = now - QUIET_MS;
  const isLate = ({ startedAt, endedAt }: Sample) => endedAt === null && startedAt < quietSince;
  if (quietSince < since || samples.some(isLate)) return false;
  const ended = samples.filter(({ endedAt }) => endedAt !== null && endedAt >= since);
  const failed = ended.filter(({ fault }) => fault !== null);
  if (failed.some(({ endedAt }) => endedAt! >= quietSince)) return false;
  return FLOWS.every((flow) => {
    const lastFailure = Math.max(0, ...failed.filter((each) => each.flow === flow).map(startOf));
    return ended.some((each) => each.flow === flow && each.fault === null && each.startedAt > lastFailure);
  });
}

const startOf = ({ startedAt }: Sample): number => startedAt;

/** `503 x 4, no answer x 1`; empty: nothing failed. */
export function faultsIn(samples: readonly Sample[]): string {
  const failed = samples.filter(({ fault }) => fault !== null);
  const byFault = Map.groupBy(failed, ({ fault }) => fault);
  return [...byFault].map(([fault, { length }]) => `${fault} x ${length}`).join(", ");
}

/** Milliseconds from `from` until nothing failed any more that began then; 0: nothing did. */
export function recoveryAfter(samples: readonly Sample[], from: number): number {
  const failed = samples.filter(({ fault, startedAt }) => fault !== null && startedAt >= from);
  return Math.max(0, ...failed.map(({ startedAt }) => startedAt - from));
}
