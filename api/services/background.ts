/**
 * The background work of the service: follows trades, publishes, signs the log, collects, settles open payments,
 * deletes old data. Of several processes on a database one does each (`backgroundTasks.ts`), and one with
 * ROLE=api does none.
 */
import type { UnixMs } from "../../attestor/values/time.ts";
import type { Chain } from "../../chain/chain.ts";
import type { Deployment } from "../../chain/deployment.ts";
import type { Database } from "../../database/open.ts";
import { DEFAULT_RETENTION, type Retention } from "../../market/collect/retention.ts";
import { startCollecting } from "../../market/collect/schedule.ts";
import type { MarketAsset } from "../../market/queries.ts";
import type { Market } from "../../market/round.ts";
import { startRetention } from "../jobs/retention.ts";
import { startWatcher, type Watcher } from "../jobs/watcher.ts";
import { lastWordsIn } from "../log/files.ts";
import type { LogSigner } from "../log/key.ts";
import { createLog, type DecisionLog } from "../log/log.ts";
import { PUBLISHING } from "../log/state.ts";
import { createWitnesses } from "../log/witnesses.ts";
import type { Logger } from "../metrics/logger.ts";
import type { Watches } from "../metrics/watches.ts";
import type { Payments } from "../payments/payments.ts";
import type { Config } from "../settings/config.ts";
import { type BackgroundTask, startBackgroundTasks } from "./backgroundTasks.ts";
import { sessionOf } from "./chain.ts";

const FINALITY_BLOCKS = { local: 3, live: 15 };
const WATCH_EVERY_MS = { local: 500, live: 1_000 };
/** Nobody waits for evidence to become public. */
const PUBLISH_EVERY_MS = { local: 1_000, live: 15_000 };

export interface MarketSetup {
  readonly market: Market;
  readonly retention?: Retention;
  /** Cron pattern of the rounds, in UTC (every five minutes). */
  readonly pattern?: string;
}

export interface BackgroundDeps {
  readonly config: Config;
  readonly db: Database;
  readonly deployment: Deployment;
  readonly chain: Chain;
  readonly assets: readonly MarketAsset[];
  readonly logKey: LogSigner;
  /** Without it nobody collects. */
  readonly market: MarketSetup | undefined;
  /** null in the free phase. */
  readonly payments: Pick<Payments, "startReconciling"> | null;
  /** Tells this process from others on the database. */
  readonly holder: string;
  /** Whether another's process surely runs no more. */
  isDead(holder: string): boolean;
  /** To the log's witnesses. */
  readonly fetch: typeof fetch;
  readonly clock: () => UnixMs;
  readonly monotonic: () => number;
  readonly watches: Pick<Watches, "caches" | "publish" | "collectorStep">;
  readonly logger: Logger;
}

export type Background = ReturnType<typeof startBackground>;

export function startBackground(deps: BackgroundDeps) {
  const { config, db, clock, logger: log } = deps;
  const decisionLog = createLog({
    db,
    origin: config.log.origin,
    patienceMs: config.log.waitMs,
    signer: deps.logKey,
    lastWords: lastWordsIn(config.log.stateDir),
    witnesses: createWitnesses(deps.fetch),
    asked: config.log.witnesses,
    clock,
    caches: deps.watches.caches,
    watch: deps.watches.publish,
    log,
  });
  let watcher: Watcher | null = null;
  const tasks = backgroundTasksOf(deps, decisionLog, (started) => {
    watcher = started;
  });
  const { holder, isDead, monotonic } = deps;
  const running =
    config.role === "api"
      ? null
      : startBackgroundTasks({ db, holder, isDead, now: clock, monotonic, log }, tasks);
  return {
    decisionLog,
    /** Names of the tasks that one of the processes on the database has to do, whether or not this one may. */
    tasks: tasks.map(({ name }) => name),
    /** A transaction was announced: where this process watches it is looked for now, and otherwise in the watcher's next round. */
    onSubmission: () => watcher?.nudge(),
    /** After what runs at the moment. */
    stop: async () => running?.stop(),
  };
}

/** @param onWatcher told when this process begins to watch, and with null when it ends */
function backgroundTasksOf(
  deps: BackgroundDeps,
  decisionLog: DecisionLog,
  onWatcher: (watcher: Watcher | null) => void,
): BackgroundTask[] {
  const { config, chain, clock, logger: log, market, payments } = deps;
  const following = { chain, finalityBlocks: FINALITY_BLOCKS[config.profile], log };
  const pace = { pollMs: WATCH_EVERY_MS[config.profile], idleMs: PUBLISH_EVERY_MS[config.profile] };
  return [
    {
      name: "watcher",
      start: (db) => {
        const watcher = startWatcher({ ...following, db, clock, ...pace });
        onWatcher(watcher);
        return {
          stop: () => {
            onWatcher(null);
            return watcher.stop();
          },
        };
      },
    },
    { name: PUBLISHING, start: (_db, fence) => decisionLog.publish(fence), fault: decisionLog.fault },
    { name: "retention", start: (db) => startRetention({ db, retention: config.retention, clock, log }) },
    ...(market ? [{ name: "collector", start: (db: Database) => startCollector(deps, db, market) }] : []),
    ...(payments ? [{ name: "reconciler", start: (db: Database) => payments.startReconciling(db) }] : []),
  ];
}

function startCollector(deps: BackgroundDeps, db: Database, { market, retention, pattern }: MarketSetup) {
  const { config, assets, deployment } = deps;
  return startCollecting(
    {
      db,
      assets,
      market,
      retention: { ...(retention ?? DEFAULT_RETENTION), ...config.market.retention },
      platformFeeBps: config.market.platformFeeBps,
      sessionAt: (seconds) => sessionOf(deployment, seconds),
      now: deps.clock,
      log: deps.logger,
      watchStep: deps.watches.collectorStep,
    },
    pattern === undefined ? {} : { pattern },
  );
}
