/** What the service does without being asked: follows trades, publishes, signs the log, collects, checks itself, forgets. */
import type { UnixMs } from "../../attestor/time.ts";
import type { Chain } from "../../chain/chain.ts";
import type { Deployment } from "../../chain/deployment.ts";
import type { Database } from "../../database/open.ts";
import { probeWriting } from "../../database/probe.ts";
import { DEFAULT_RETENTION, type Retention } from "../../market/collect/retention.ts";
import { type Collector, startCollecting } from "../../market/collect/schedule.ts";
import type { MarketSources } from "../../market/collect/sources.ts";
import type { MarketAsset } from "../../market/queries.ts";
import { startRetention } from "../jobs/retentionRounds.ts";
import { startWatcher } from "../jobs/watcher.ts";
import { lastWordsIn } from "../log/files.ts";
import type { LogSigner } from "../log/key.ts";
import { type DecisionLog, startLog } from "../log/log.ts";
import { createWitnesses } from "../log/witnesses.ts";
import type { Logger } from "../metrics/logger.ts";
import type { Watches } from "../metrics/watches.ts";
import { startFollowingFinal } from "../published/followFinal.ts";
import type { Config } from "../settings/config.ts";
import { startChecks } from "../status/checks.ts";
import { sessionOf } from "./chain.ts";

const FINALITY_BLOCKS = { local: 3, live: 15 };
const WATCH_EVERY_MS = { local: 500, live: 1_000 };
/** Nobody waits for evidence to become public. */
const PUBLISH_EVERY_MS = { local: 1_000, live: 15_000 };

export interface MarketSetup {
  readonly sources: MarketSources;
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
  /** Without it this process collects nothing. */
  readonly market: MarketSetup | undefined;
  /** A new name that tells this process from others on the database. */
  newHolder(): string;
  /** To the log's witnesses. */
  readonly fetch: typeof fetch;
  readonly clock: () => UnixMs;
  readonly watches: Pick<Watches, "publish" | "collectorStep">;
  readonly logger: Logger;
}

export interface Background {
  readonly decisionLog: DecisionLog;
  /** A transaction was announced: it is looked for now. */
  onSubmission(): void;
  /** After what runs at the moment. */
  stop(): Promise<unknown>;
}

export function startBackground(deps: BackgroundDeps): Background {
  const { config, db, chain, clock, newHolder, logger: log } = deps;
  const finalityBlocks = FINALITY_BLOCKS[config.profile];
  const following = { db, chain, finalityBlocks, log };
  const watcher = startWatcher({ ...following, clock, pollMs: WATCH_EVERY_MS[config.profile] });
  const publishing = startFollowingFinal({ ...following, pollMs: PUBLISH_EVERY_MS[config.profile] });
  const retention = startRetention({ db, retention: config.retention, holder: newHolder(), clock, log });
  const decisionLog = startLog({
    db,
    base: config.log.origin,
    patienceMs: config.log.waitMs,
    signer: deps.logKey,
    lastWords: lastWordsIn(config.log.stateDir),
    witnesses: createWitnesses(deps.fetch),
    asked: config.log.witnesses,
    holder: newHolder(),
    clock,
    watch: deps.watches.publish,
    log,
  });
  const collector = deps.market && startCollector(deps, deps.market);
  const checks = startChecks({
    db,
    probes: { database: () => probeWriting(db, clock()), chain: () => chain.probe() },
    collects: collector !== undefined,
    holder: newHolder(),
    now: clock,
    log,
  });
  const rounds = [watcher, publishing, retention, decisionLog, collector, checks];
  return {
    decisionLog,
    onSubmission: () => watcher.nudge(),
    stop: () => Promise.all(rounds.map((each) => each?.stop())),
  };
}

function startCollector(deps: BackgroundDeps, { sources, retention, pattern }: MarketSetup): Collector {
  const { config, db, assets, deployment } = deps;
  return startCollecting(
    {
      db,
      assets,
      sources,
      retention: { ...(retention ?? DEFAULT_RETENTION), ...config.market.retention },
      platformFeeBps: config.market.platformFeeBps,
      sessionAt: (seconds) => sessionOf(deployment, seconds),
      now: deps.clock,
      log: deps.logger,
      watchStep: deps.watches.collectorStep,
    },
    { holder: deps.newHolder(), ...(pattern === undefined ? {} : { pattern }) },
  );
}
