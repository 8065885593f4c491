/**
 * Follows submitted transactions until nothing can change any more. All it knows stands in the database,
 * so that it goes on after a restart where it was; a confirmation whose block was reorganised away is taken back.
 */

import type { Chain } from "../../chain/chain.ts";
import type { Observation } from "../../chain/transactions.ts";
import type { Database } from "../../database/open.ts";
import { type Classified, classify } from "./classify.ts";
import { dueExecutions, type StoredExecution, updateExecution } from "./executions.ts";
import { listReports } from "./store.ts";

export interface WatcherDeps {
  readonly db: Database;
  readonly chain: Chain;
  /** Unix milliseconds. */
  readonly clock: () => number;
  /** Depth in blocks after which a block counts as final. */
  readonly finalityBlocks: number;
  readonly pollMs: number;
  readonly log: { warn(details: object, message: string): void };
}

export interface Watcher {
  /** One round over everything that is due. */
  tick(): Promise<void>;
  /** Looks soon, because something new was submitted. */
  nudge(): void;
  /** Ends after the running round. */
  stop(): Promise<void>;
}

const BATCH = 50;

/** A transaction that no node knows for so long is `dropped`, but still looked for until `GIVE_UP_MS`. */
const DROPPED_AFTER_MS = 15 * 60_000;
const GIVE_UP_MS = 26 * 3_600_000;

/** Looks grow rarer with age: a tenth of it, between the poll interval and a minute. */
const SLOWEST_MS = 60_000;

export function startWatcher(deps: WatcherDeps): Watcher {
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> = Promise.resolve();
  let stopped = false;

  const schedule = (delay: number): void => {
    clearTimeout(timer);
    if (stopped) return;
    timer = setTimeout(() => {
      running = watcher.tick().finally(() => schedule(deps.pollMs));
    }, delay);
  };

  const watcher: Watcher = {
    async tick() {
      try {
        for (const execution of await dueExecutions(deps.db, deps.clock(), BATCH)) {
          if (stopped) return;
          await look(deps, execution);
        }
      } catch (error) {
        // Chain or database are away: the rows stay due, the next round tries again.
        deps.log.warn({ err: error }, "watching executions failed; will try again");
      }
    },
    nudge: () => schedule(0),
    async stop() {
      stopped = true;
      clearTimeout(timer);
      await running;
    },
  };
  schedule(0);
  return watcher;
}

async function look(deps: WatcherDeps, execution: StoredExecution): Promise<void> {
  const now = deps.clock();
  const age = now - execution.submitted_at * 1000;
  const observation = await deps.chain.observe(execution.transaction_hash);
  const seen = await judgeObservation(deps, execution, observation, age);
  const final =
    observation.state === "mined" ? observation.confirmations >= deps.finalityBlocks : age > GIVE_UP_MS;
  const pause = Math.min(SLOWEST_MS, Math.max(deps.pollMs, age / 10));
  await updateExecution(deps.db, execution.id, seen, final ? null : Math.round(now + pause));
}

async function judgeObservation(
  { db, chain }: WatcherDeps,
  execution: StoredExecution,
  observation: Observation,
  age: number,
): Promise<Classified> {
  if (observation.state === "mined") {
    const versions = (await listReports(db, execution.job_id)).map(({ version, evidence_hash }) => ({
      version,
      evidenceHash: evidence_hash,
    }));
    return classify({ id: execution.job_id, guard: chain.deployment.guard, versions }, observation);
  }
  const waiting = { reportVersion: execution.report_version, confirmed: null };
  if (observation.state === "unknown" && age > DROPPED_AFTER_MS)
    return { ...waiting, state: "dropped", reason: "No node knows the transaction any more." };
  const takenBack = execution.state === "confirmed" || execution.state === "reverted";
  return {
    ...waiting,
    state: "submitted",
    reason: takenBack ? "The block that held it was reorganised away." : execution.reason,
  };
}
