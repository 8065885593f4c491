/**
 * The background tasks of the service. Of several processes on a database one does each (`leasedTasks.ts`), and one with
 * ROLE=api does none.
 */
import type { Fence } from "../database/lease.ts";
import type { Database } from "../database/open.ts";
import { DEFAULT_RETENTION } from "../market/collect/retention.ts";
import { startCollecting } from "../market/collect/schedule.ts";
import { startRetention } from "./jobs/retention.ts";
import { startWatcher } from "./jobs/watcher.ts";
import { type LeasedTask, startLeasedTasks } from "./leasedTasks.ts";
import { logAllWithheld } from "./log/entries.ts";
import { sessionOf } from "./opening/chain.ts";
import { repeat } from "./repeat.ts";
import type { Service, TaskName } from "./service.ts";

const FINALITY_BLOCKS = { local: 3, live: 15 };
const WATCH_EVERY_MS = { local: 500, live: 1_000 };
/** Where processes are replaced one after the other, one of the paid phase may still withhold entries. */
const LOG_WITHHELD_EVERY_MS = 2_000;
/** Nobody waits for evidence to become public. */
const PUBLISH_EVERY_ROUNDS = { local: 2, live: 15 };

type Task = Omit<LeasedTask, "name">;

const TASKS: Readonly<Record<TaskName, (service: Service) => Task>> = {
  watcher: (service) => ({ start: (db) => watch(service, db) }),
  "log-publisher": (service) => ({
    start: (db, fence) => publishLog(service, db, fence),
    fault: service.log.fault,
  }),
  retention: ({ config, now, logger }) => ({
    start: (db) => startRetention({ db, retention: config.retention, now, log: logger }),
  }),
  collector: (service) => ({ start: (db) => collect(service, db) }),
  reconciler: (service) => ({
    start: (db) => {
      if (service.payments === null) throw new Error("in the free phase there is nothing to settle");
      return service.payments.startReconciling(db);
    },
  }),
};

/** Starts those that this process may do. */
export function tasks(service: Service): { stop(): Promise<void> } {
  if (service.config.role === "api") return { stop: async () => {} };
  const { db, holder, isDead, now, monotonic, logger: log } = service;
  return startLeasedTasks(
    { db, holder, isDead, now, monotonic, log },
    service.taskNames.map((name) => ({ name, ...TASKS[name](service) })),
  );
}

/** In the free phase also entries that were withheld before: their reports cost nothing any more. */
function publishLog({ log, payments, logger }: Service, db: Database, fence: Fence) {
  const publishing = log.publish(fence);
  if (payments !== null) return publishing;
  const giving = repeat(
    () =>
      logAllWithheld(db).catch((error: unknown) => {
        logger.warn({ err: error }, "withheld log entries could not be moved; will try again");
      }),
    LOG_WITHHELD_EVERY_MS,
  );
  return {
    async stop() {
      await giving.stop();
      await publishing.stop();
    },
  };
}

/** A transaction that was announced to this process is looked for at once, others in the next round. */
function watch({ chain, now, config, submissions, logger }: Service, db: Database) {
  const { profile } = config;
  const watcher = startWatcher({
    db,
    chain,
    now,
    finalityBlocks: FINALITY_BLOCKS[profile],
    pollMs: WATCH_EVERY_MS[profile],
    idleRounds: PUBLISH_EVERY_ROUNDS[profile],
    log: logger,
  });
  submissions.addEventListener("submission", watcher.nudge);
  return {
    stop: () => {
      submissions.removeEventListener("submission", watcher.nudge);
      return watcher.stop();
    },
  };
}

function collect({ config, assets, deployment, market, now, logger, watches }: Service, db: Database) {
  if (market === undefined) throw new Error("this process has no market to collect");
  const { retention = DEFAULT_RETENTION, pattern } = market;
  return startCollecting(
    {
      db,
      assets,
      market: market.market,
      retention: { ...retention, ...config.market.retention },
      platformFeeBps: config.market.platformFeeBps,
      sessionAt: (seconds) => sessionOf(deployment, seconds),
      now,
      log: logger,
      watchStep: watches.collectorStep,
    },
    pattern === undefined ? {} : { pattern },
  );
}
