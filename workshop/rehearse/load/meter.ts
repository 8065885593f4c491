/** What clients saw, when: errors, and how long each way of using the service did not work. */

/** A way of using the service, which fails and recovers by itself. */
export type Flow = "reads" | "jobs" | "purchases" | "certificates" | "confirmations" | "applications";

export interface Sample {
  readonly flow: Flow;
  /** Milliseconds of `performance.now()`. */
  readonly startedAt: number;
  readonly endedAt: number;
  /** null: it went well. */
  readonly fault: string | null;
}

export type Meter = ReturnType<typeof createMeter>;

export function createMeter(now: () => number) {
  const samples: Sample[] = [];
  const running = new Map<object, { flow: Flow; startedAt: number }>();
  const flows = new Set<Flow>();
  const note = (sample: Sample) => {
    flows.add(sample.flow);
    samples.push(sample);
  };
  return {
    note,
    /** @param work tells what went wrong; null: nothing */
    async measure(flow: Flow, work: () => Promise<string | null>): Promise<void> {
      const mark = { flow, startedAt: now() };
      running.set(mark, mark);
      const fault = await work().catch((error: unknown) => String(error));
      running.delete(mark);
      note({ ...mark, endedAt: now(), fault });
    },
    /** Samples that began from `from` on and before `to`. */
    between: (from: number, to = Number.POSITIVE_INFINITY): readonly Sample[] =>
      samples.filter(({ startedAt }) => startedAt >= from && startedAt < to),
    /** Whether each flow has worked for a while, with nothing under way that is older. */
    isWell(quietMs: number, since: number): boolean {
      const quietFrom = now() - quietMs;
      if (quietFrom < since) return false;
      if ([...running.values()].some(({ startedAt }) => startedAt < quietFrom)) return false;
      const late = samples.filter(({ endedAt }) => endedAt >= since);
      if (late.some(({ fault, endedAt }) => fault !== null && endedAt >= quietFrom)) return false;
      return [...flows].every((flow) => worksAgain(late.filter((sample) => sample.flow === flow)));
    },
  };
}

function worksAgain(samples: readonly Sample[]): boolean {
  const failed = Math.max(
    0,
    ...samples.filter(({ fault }) => fault !== null).map(({ startedAt }) => startedAt),
  );
  return samples.some(({ fault, startedAt }) => fault === null && startedAt > failed);
}

/** `503 x 4, no answer x 1`; null: nothing went wrong. */
export function faultsIn(samples: readonly Sample[]): string | null {
  const counts = new Map<string, number>();
  for (const { fault } of samples) if (fault !== null) counts.set(fault, (counts.get(fault) ?? 0) + 1);
  return counts.size === 0 ? null : [...counts].map(([fault, count]) => `${fault} x ${count}`).join(", ");
}

/** Milliseconds from `from` until nothing failed any more that began then; 0: nothing did. */
export function recoveryAfter(samples: readonly Sample[], from: number): number {
  const failed = samples.filter(({ fault, startedAt }) => fault !== null && startedAt >= from);
  return Math.max(0, ...failed.map(({ startedAt }) => startedAt - from));
}
