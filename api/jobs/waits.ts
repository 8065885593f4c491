/**
 * GET /v1/jobs/:id?wait: delays an answer until nothing of the job is pending. One query a second serves all waiting
 * requests, so that waiting costs the database less than polling.
 */
import { setTimeout as sleep } from "node:timers/promises";
import type { Database } from "../../database/open.ts";
import type { Caller } from "../http/route.ts";

/** Beyond it answers are given at once: a client that asks again is served all the same. */
const MOST_WAITS = 500;
/** Of these one holder may have no more, so that nobody takes all: a key waits for many jobs, a token for its own. */
const MOST_OF_ONE = { key: 50, jobToken: 5, public: 0 };
const LOOK_EVERY_MS = 1_000;

export interface JobWaitDeps {
  /** Those of the jobs of which something is pending. @throws DatabaseUnavailable */
  pending(jobIds: readonly string[]): Promise<ReadonlySet<string>>;
  /** Aborted when the process is about to end: nothing is waited for any more. */
  readonly ending: AbortSignal;
  readonly pause?: () => Promise<void>;
}

export type JobWaits = ReturnType<typeof createJobWaits>;

export function createJobWaits({ pending, ending, pause = () => sleep(LOOK_EVERY_MS) }: JobWaitDeps) {
  /** By the job waited for. */
  const waiting = new Map<string, Set<() => void>>();
  /** How many each holder has. */
  const holders = new Map<string, number>();
  let count = 0;
  let looking = false;
  const release = (isDone: (jobId: string) => boolean) => {
    for (const [jobId, ends] of waiting) if (isDone(jobId)) for (const end of ends) end();
  };
  ending.addEventListener("abort", () => release(() => true), { once: true });

  async function lookOn(): Promise<void> {
    if (looking) return;
    looking = true;
    for (await pause(); waiting.size > 0; await pause()) {
      // Each waiting request then queries the database itself and reports its error.
      const left = await pending([...waiting.keys()]).catch(() => new Set<string>());
      release((jobId) => !left.has(jobId));
    }
    looking = false;
  }

  async function ended(jobId: string, seconds: number, gone: AbortSignal): Promise<void> {
    const over = AbortSignal.any([gone, AbortSignal.timeout(seconds * 1_000)]);
    const ends = waiting.get(jobId) ?? new Set();
    waiting.set(jobId, ends);
    const { promise, resolve } = Promise.withResolvers<void>();
    ends.add(resolve);
    over.addEventListener("abort", () => resolve(), { once: true });
    void lookOn();
    await promise;
    ends.delete(resolve);
    if (ends.size === 0) waiting.delete(jobId);
  }

  return {
    /** Resolves when nothing of the job is pending, the time is over or the client has left. Never throws. */
    async settled(jobId: string, seconds: number, caller: Caller, gone: AbortSignal): Promise<void> {
      const holder = holderOf(caller);
      const held = holders.get(holder) ?? 0;
      if (seconds === 0 || ending.aborted || count >= MOST_WAITS || held >= MOST_OF_ONE[caller.kind]) return;
      // From here on, so that of many who come together none is beyond.
      count++;
      holders.set(holder, held + 1);
      try {
        const first = await pending([jobId]).catch(() => new Set<string>());
        if (first.has(jobId) && !gone.aborted && !ending.aborted) await ended(jobId, seconds, gone);
      } finally {
        count--;
        const left = (holders.get(holder) ?? 1) - 1;
        if (left === 0) holders.delete(holder);
        else holders.set(holder, left);
      }
    },
  };
}

function holderOf(caller: Caller): string {
  if (caller.kind === "key") return `key ${caller.keyId}`;
  return caller.kind === "jobToken" ? `job ${caller.jobId}` : "public";
}

/** Jobs with a transaction that is only submitted, or a payment that is being settled. */
export async function pendingJobs(db: Database, jobIds: readonly string[]): Promise<ReadonlySet<string>> {
  const rows = await db
    .selectFrom("executions")
    .select("job_id")
    .where("state", "=", "submitted")
    .where("job_id", "in", jobIds)
    .union(
      db
        .selectFrom("payments")
        .select("job_id")
        .where("state", "=", "settling")
        .where("job_id", "in", jobIds),
    )
    .execute();
  return new Set(rows.map(({ job_id }) => job_id));
}
