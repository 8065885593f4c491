/**
 * Background tasks. Of all processes on a database, the one that holds a task's lease runs it. A task starts when the lease is
 * taken, with a database handle that refuses writes once the lease is lost, and stops then.
 */
import { fenced } from "../database/fenced.ts";
import { type Fence, type LeaseDeps, releaseLease, renewLeases, takeLeases } from "../database/lease.ts";
import type { Database } from "../database/open.ts";
import { repeat } from "./repeat.ts";

/** From the last sign of life to the moment from which another may take over. */
const LEASE_MS = 4_000;
const RENEW_EVERY_MS = 1_000;
/** How often a process looks whether it may take over. */
const LOOK_EVERY_MS = 500;

export interface LeasedTask {
  readonly name: string;
  /** @param db refuses to write once the lease is another's. @param fence for statements that are fenced by themselves */
  start(db: Database, fence: Fence): Running;
  /** Why this process cannot do it now; null: it can. While it cannot, another may, or the lease says why. */
  fault?(): string | null;
}

interface Running {
  /** After what runs at the moment. */
  stop(): Promise<unknown>;
}

/** What leases are taken with. */
interface Leasing extends Pick<LeaseDeps, "db" | "holder" | "now" | "isDead"> {
  /** Milliseconds on a clock that never goes back: when leases are renewed must not depend on the other. */
  monotonic(): number;
  readonly log: {
    info(details: object, message: string): void;
    warn(details: object, message: string): void;
  };
}

interface Held {
  readonly fence: Fence;
  readonly running: Running;
}

/** Takes what is free at once, and looks again and again for what becomes free. */
export function startLeasedTasks(deps: Leasing, tasks: readonly LeasedTask[]) {
  const { db, log } = deps;
  const lease: LeaseDeps = { ...deps, ttlMs: LEASE_MS };
  const held = new Map<string, Held>();
  /** Of tasks whose lease was lost: what still runs down. They are not begun again before. */
  const ending = new Map<string, Promise<unknown>>();
  let renewedAt = Number.NEGATIVE_INFINITY;
  let isAway = false;

  const end = (fence: Fence, message: string, details = {}): void => {
    const { name } = fence;
    const ended = held.get(name);
    if (ended?.fence !== fence) return;
    held.delete(name);
    log.warn({ task: name, ...details }, message);
    ending.set(
      name,
      ended.running
        .stop()
        .catch((error: unknown) => log.warn({ err: error, task: name }, "a task did not end as it should"))
        .finally(() => ending.delete(name)),
    );
  };
  const lose = (fence: Fence): void => end(fence, "another process does this task now");
  const begin = (task: LeasedTask, fence: Fence): void => {
    log.info({ task: task.name, epoch: fence.epoch }, "this process does this task");
    const running = task.start(
      fenced(db, fence, () => lose(fence)),
      fence,
    );
    held.set(task.name, { fence, running });
  };
  const renew = async (): Promise<void> => {
    const fences = [...held.values()].map(({ fence }) => fence);
    const kept = await renewLeases(lease, fences);
    for (const fence of fences) if (!kept.includes(fence)) lose(fence);
  };
  const look = async (): Promise<void> => {
    try {
      if (deps.monotonic() - renewedAt >= RENEW_EVERY_MS) {
        await renew();
        renewedAt = deps.monotonic();
      }
      const faults = faultsOf(tasks);
      for (const { fence } of [...held.values()].filter(({ fence }) => faults.has(fence.name))) {
        end(fence, "this process cannot do this task and gives its lease back", faults.get(fence.name));
        await releaseLease(db, fence);
      }
      const free = tasks.filter(({ name }) => !held.has(name) && (!ending.has(name) || faults.has(name)));
      const names = free.map(({ name }) => name);
      const fences = await takeLeases(lease, names, (name) => faults.get(name)?.fault ?? null);
      for (const fence of fences) begin(free.find(({ name }) => name === fence.name) as LeasedTask, fence);
      isAway = false;
    } catch (error) {
      // Logged once per outage. The holder of a lease continues: its writes are fenced.
      if (!isAway) log.warn({ err: error }, "leases could not be looked at; will try again");
      isAway = true;
    }
  };
  const looking = repeat(look, LOOK_EVERY_MS);

  return {
    /** Looks now whether something became free, and renews. */
    lookNow: () => looking.now(),
    /** Ends them after what runs at the moment, and gives their leases back. */
    async stop() {
      await looking.stop();
      await endAll(db, held, ending, renew);
    },
  };
}

/** Why tasks cannot be done by this process, by their names. */
function faultsOf(tasks: readonly LeasedTask[]): Map<string, { readonly fault: string }> {
  return new Map(
    tasks.flatMap(({ name, fault }) => {
      const why = fault?.() ?? null;
      return why === null ? [] : [[name, { fault: why }] as const];
    }),
  );
}

/** What takes its time to end has its lease until then: what it writes last would be refused otherwise. */
async function endAll(
  db: Database,
  held: Map<string, Held>,
  ending: ReadonlyMap<string, Promise<unknown>>,
  renew: () => Promise<void>,
): Promise<void> {
  // Where the database is away nothing can be written anyway.
  const renewing = repeat(() => renew().catch(() => {}), RENEW_EVERY_MS);
  const each = [...held.values()].map(async ({ fence, running }) => {
    await running.stop();
    held.delete(fence.name);
    await releaseLease(db, fence).catch(() => {});
  });
  await Promise.all([...ending.values(), ...each]).finally(() => renewing.stop());
}
