/**
 * Follows submitted transactions until they are final. Its whole state is in the database, so it continues there after a
 * restart. A confirmation is revoked when its block is reorganized away.
 *
 * A round reads the guard's events by one search, and refreshes the submissions that they name, then those that are due.
 * Anybody can submit hashes that no node will ever know, so a transaction that stays unknown is asked for ever more rarely.
 * One that the node answers with an error, or not at all, costs its own turn and nobody else's.
 */
import { setTimeout as sleep } from "node:timers/promises";
import type { Chain } from "../../chain/chain.ts";
import { repeat } from "../repeat.ts";
import { keepDefinitions } from "./definitions.ts";
import { dueExecutions, isAnyOpen, type StoredExecution, waitingExecutions } from "./executions.ts";
import { createEventReader, type EventDeps } from "./guardEvents.ts";
import { type RefreshDeps, refresh } from "./refresh.ts";

export interface WatcherDeps extends RefreshDeps, EventDeps {
  readonly chain: Chain;
  /** Events are read in each so many rounds while no submission can change: nobody waits for evidence to become public. */
  readonly idleRounds: number;
}

export type Watcher = ReturnType<typeof startWatcher>;

const SUBMISSIONS_A_ROUND = 64;
const AT_ONCE = 16;
/** After this a round begins with no more submissions, and waits no longer for what the node does not answer. */
const ROUND_MS = 1_000;
const PATIENCE_MS = 1_000;

export function startWatcher(deps: WatcherDeps) {
  const { db, chain, now, log, pollMs, idleRounds } = deps;
  const readEvents = createEventReader(deps);
  const refresher = createRefresher(deps);
  let reading: Promise<string[]> | null = null;
  let areDefinitionsKept = false;
  let idleFor = 0;

  async function round(): Promise<void> {
    // Stored at the start, unless the database took no writes then.
    if (!areDefinitionsKept) await keepDefinitions(db, chain.deployment.registry);
    areDefinitionsKept = true;
    const isIdle = !(await isAnyOpen(db));
    if (isIdle && idleFor++ % idleRounds > 0) return;
    if (!isIdle) idleFor = 0;
    // A node that is away says nothing about any of them: they stay due.
    const named = await waitingExecutions(db, await traded(await chain.head()));
    await refresher.refreshAll([...named, ...(await dueExecutions(db, now(), SUBMISSIONS_A_ROUND))]);
  }

  /** Transactions of the guard's events. A search that the node leaves without an answer goes on by itself. */
  async function traded(head: number): Promise<string[]> {
    reading ??= readEvents(head).finally(() => {
      reading = null;
    });
    return (await Promise.race([reading, patience()])) ?? [];
  }

  /** Never throws: when chain or database are away the rows stay due, and the next round tries again. */
  const rounds = repeat(async () => {
    await round().catch((error: unknown) =>
      log.warn({ err: error }, "executions could not be watched; will try again"),
    );
  }, pollMs);

  return {
    /** One round over everything that is due. */
    tick: () => rounds.now(),
    /** A round soon, because something new was submitted. */
    nudge: () => rounds.soon(),
    /** Ends after the running round. */
    async stop(): Promise<void> {
      refresher.end();
      await rounds.stop();
      await Promise.allSettled([reading, refresher.ended()]);
    },
  };
}

/** Asks for several transactions at once, and waits for none of them for long. */
function createRefresher(deps: WatcherDeps) {
  const { now, log } = deps;
  const underWay = new Map<string, Promise<void>>();
  /** Since they were logged last. */
  let errors: unknown[] = [];
  let stopped = false;

  /** One that outlives its round goes on by itself. It never rejects. */
  function refreshOnce(execution: StoredExecution): Promise<void> {
    const running = refresh(deps, execution)
      .catch((error: unknown) => error)
      .then((error) => {
        underWay.delete(execution.id);
        if (error !== undefined) errors.push(error);
      });
    underWay.set(execution.id, running);
    return running;
  }

  function logErrors(): void {
    const [err, ...others] = errors;
    errors = [];
    if (err === undefined) return;
    const count = 1 + others.length;
    log.warn({ err, count }, "submissions could not be checked; will try again");
  }

  return {
    /** Each once, in their order. */
    async refreshAll(executions: readonly StoredExecution[]): Promise<void> {
      const end = now() + ROUND_MS;
      const wanted = new Map(executions.map((execution) => [execution.id, execution]));
      const queue = [...wanted.values()].filter(({ id }) => !underWay.has(id));
      const lane = async (): Promise<void> => {
        for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
          if (stopped || now() > end) return;
          await Promise.race([refreshOnce(next), patience()]);
        }
      };
      await Promise.all(Array.from({ length: Math.min(AT_ONCE, queue.length) }, lane));
      logErrors();
    },
    /** No more are begun. */
    end(): void {
      stopped = true;
    },
    async ended(): Promise<void> {
      await Promise.all(underWay.values());
      logErrors();
    },
  };
}

const patience = () => sleep(PATIENCE_MS, undefined, { ref: false });
