/**
 * Read this first: the service from its settings to its end. Run directly it reads the environment,
 * serves until SIGTERM or SIGINT, and lets running requests finish.
 */
import { randomBytes } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type { UnixMs } from "../attestor/values/time.ts";
import { createDatabaseClock } from "../database/clock.ts";
import { codeOf, isDatabaseUnavailable, nullIfAway } from "../database/errors.ts";
import { migrate, newerMigrations } from "../database/migrate.ts";
import {
  connectionsOf,
  type Database,
  type OpenOptions,
  openDatabase,
  placeWarning,
  postgresPoolOf,
} from "../database/open.ts";
import { timedMemo } from "../market/providers/timedMemo.ts";
import { type MarketStatus, marketStatus, stepAges } from "../market/status.ts";
import packageJson from "../package.json" with { type: "json" };
import { type AppDeps, createApp, createWorkerApp } from "./app.ts";
import { capabilityLines, unpricedReasons } from "./data/capabilities.ts";
import { createDailyCap, createLimits } from "./http/limits.ts";
import { type Listening, listen } from "./http/listen.ts";
import { createRequestIds } from "./http/requestIds.ts";
import { createKeys, type Keys } from "./keys/keys.ts";
import { createLogAnswers } from "./log/answers.ts";
import { logState } from "./log/state.ts";
import { expositionOf, gaugeFor } from "./metrics/instruments.ts";
import { listenForMetrics } from "./metrics/listen.ts";
import { createLogger, type Logger } from "./metrics/logger.ts";
import { standardSink } from "./metrics/logSink.ts";
import { marketFamilies } from "./metrics/market.ts";
import { createWatches } from "./metrics/watches.ts";
import { readAssets } from "./pages/assets.ts";
import { repeat } from "./repeat.ts";
import { liveMarket } from "./services/liveMarket.ts";
import { openServices, type Services, type ServicesDeps } from "./services.ts";
import { type Config, parseConfig } from "./settings/config.ts";
import { environment } from "./settings/environment.ts";
import { keyedProviders } from "./settings/providers.ts";
import { endOnSignals } from "./shutdown.ts";
import { probesOf } from "./status/probes.ts";

/** How long running requests may take to end. */
const GRACE_MS = 8_000;
/** How long PostgreSQL may leave a statement without a word before its connection counts as broken. */
const DATABASE_PATIENCE_MS = 4_000;
/** A clock that nobody sets loses some microseconds meanwhile. */
const CLOCK_EVERY_MS = 5_000;
/** How long a statement waits where another process holds SQLite's lock: less than /readyz, which says so. */
const LOCK_PATIENCE_MS = 1_500;
/** Monitors need no fresher status. */
const STATUS_TTL_MS = 15_000;
/** Of one address, where keys are approved automatically; further ones wait for a person. */
const AUTOMATIC_KEYS_PER_DAY = 3;
/** What a cache holds longer than its time is dropped by then. */
const SWEEP_EVERY_MS = 10_000;

export interface Overrides {
  readonly logger?: Logger;
  /** The service's clock, in the place of the database's. */
  readonly now?: () => UnixMs;
  /** This machine's clock. */
  readonly machineClock?: () => UnixMs;
  readonly randomBytes?: (count: number) => Uint8Array;
  readonly market?: ServicesDeps["market"];
  readonly payments?: ServicesDeps["payments"];
  /** Called once the tables are there, before anything works on them. */
  readonly prepareDatabase?: (db: Database) => Promise<void>;
  /** Told of every statement to the database. */
  readonly onQuery?: OpenOptions["onQuery"];
  /** Replaces chain, key and background work. */
  readonly openServices?: (deps: ServicesDeps) => Promise<Services>;
  /** How long running requests may take to end, by default GRACE_MS. */
  readonly graceMs?: number;
}

/** `stop` ends everything; its second call waits for the first. For DRAIN_MS it goes on serving before, and /readyz says so. */
export type RunningServer = Awaited<ReturnType<typeof startServer>>;

/**
 * Opens database, key, chain and background work, then listens.
 * @throws ConfigError, AttestorError `invalid_key` or `missing_package`, DatabaseUnavailable, UnusableDatabase, or an Error in words for people
 *   when the port cannot be had; what was opened by then is closed again
 */
export async function startServer(config: Config, overrides: Overrides = {}) {
  const environs = await surroundingsOf(config, overrides);
  const { logger } = environs;
  // What is opened last is closed first.
  const closing: (() => Promise<unknown>)[] = [];
  const close = async () => {
    for (const end of closing.splice(0).reverse())
      await end().catch((error: unknown) => logger.error({ err: error }, "closing failed"));
  };
  // Known when it listens; nobody can ask for it before.
  let listeningUrl = `http://${config.host}:${config.port}`;
  const publicUrl = () => config.publicUrl ?? listeningUrl;
  try {
    const db = openStore(config, overrides, environs);
    closing.push(() => db.destroy());
    await bringUp(db, logger);
    await overrides.prepareDatabase?.(db);
    const { surroundings, looking } = await followClock(db, overrides, environs);
    closing.push(() => looking.stop());

    const { market, payments } = overrides;
    const open = overrides.openServices ?? openServices;
    const services = await open({ config, db, ...surroundings, market, payments, publicUrl });
    closing.push(() => services.stop());

    let stopped: Promise<void> | undefined;
    const ended = new AbortController();
    const parts: Parts = {
      config,
      db,
      services,
      publicUrl,
      ending: ended.signal,
      ...keysAndStatus(db, services, surroundings),
    };
    const { newRequestId } = surroundings;
    const app = (config.role === "worker" ? createWorkerApp : createApp)(appDepsOf(parts, surroundings));
    const listening: Listening = await listen(app, { host: config.host, port: config.port, newRequestId });
    listeningUrl = listening.url;
    closing.push(() => listening.stop(overrides.graceMs ?? GRACE_MS));
    const sweeping = setInterval(() => surroundings.watches.caches.held(), SWEEP_EVERY_MS).unref();
    closing.push(async () => clearInterval(sweeping));
    const metrics = await openMetrics(parts, surroundings);
    if (metrics) closing.push(() => metrics.stop(0));

    const drain = async () => {
      ended.abort();
      listening.drain();
      await sleep(config.drainMs);
    };
    return {
      url: listening.url,
      port: listening.port,
      /** null: metrics are not served. */
      metricsUrl: metrics && `${metrics.url}/metrics`,
      db,
      keys: parts.keys,
      services,
      stop: () => {
        stopped ??= drain().then(close);
        return stopped;
      },
    };
  } catch (error) {
    await close();
    throw error;
  }
}

async function bringUp(db: Database, logger: Logger): Promise<void> {
  const migrated = await migrate(db);
  if (migrated.length > 0) logger.info({ migrated }, "database migrated");
  const newer = await newerMigrations(db);
  if (newer.length > 0)
    logger.warn({ newer }, "a newer version has migrated the database; its word lets this one work");
}

async function followClock(db: Database, overrides: Overrides, environs: Environs) {
  const machine = overrides.machineClock ?? Date.now;
  const databaseClock = createDatabaseClock({ db, machine, monotonic: environs.monotonic });
  await databaseClock.look();
  const looking = repeat(() => databaseClock.look().catch(() => {}), CLOCK_EVERY_MS);
  /** The one of all processes on the database. */
  const now = overrides.now ?? databaseClock.now;
  return { surroundings: { ...environs, databaseClock, now }, looking };
}

/** What comes from outside of the program, as far as it is known before the database is open; and with its clock. */
type Environs = Awaited<ReturnType<typeof surroundingsOf>>;
type Surroundings = Awaited<ReturnType<typeof followClock>>["surroundings"];

async function surroundingsOf(config: Config, overrides: Overrides) {
  const random = overrides.randomBytes ?? ((count: number) => randomBytes(count));
  const logger = overrides.logger ?? createLogger({ level: config.logLevel });
  const monotonic = () => performance.now();
  return {
    logger,
    randomBytes: random,
    newRequestId: createRequestIds(random),
    monotonic,
    watches: createWatches({ measures: config.metrics !== null, monotonic }),
  };
}

function openStore(
  config: Config,
  { onQuery }: Overrides,
  { logger, watches }: Pick<Surroundings, "logger" | "watches">,
): Database {
  const url = config.databaseUrl.reveal();
  const db = openDatabase(url, {
    patienceMs: DATABASE_PATIENCE_MS,
    busyTimeoutMs: LOCK_PATIENCE_MS,
    isChecked: true,
    ...(watches.statement ? { onStatement: watches.statement } : {}),
    ...(onQuery ? { onQuery } : {}),
  });
  const warning = placeWarning(url);
  if (warning !== null) logger.warn(warning);
  return db;
}

/** What is open before the service listens. */
interface Parts {
  readonly config: Config;
  readonly db: Database;
  readonly services: Services;
  readonly keys: Keys;
  readonly marketStatus: () => Promise<MarketStatus>;
  readonly publicUrl: () => string;
  readonly ending: AbortSignal;
}

function keysAndStatus(
  db: Database,
  { assets }: Services,
  { now, randomBytes }: Surroundings,
): Pick<Parts, "keys" | "marketStatus"> {
  const statuses = timedMemo<MarketStatus>(STATUS_TTL_MS, now);
  return {
    keys: createKeys({ db, now, randomBytes }),
    marketStatus: () => statuses("market", () => marketStatus(db, assets, Math.floor(now() / 1_000))),
  };
}

function appDepsOf({ config, db, services, ...parts }: Parts, surroundings: Surroundings): AppDeps {
  const { logger, now, newRequestId, monotonic, watches } = surroundings;
  const { deployment } = services;
  const isLive = deployment.source === "live";
  const commonCounts = postgresPoolOf(db);
  const webAssets = readAssets();
  if (webAssets.missing !== null)
    logger.warn({ reason: webAssets.missing }, "the pages have no styles or scripts: run npm run setup");
  return {
    ...parts,
    version: packageJson.version,
    logger,
    registry: deployment.registry,
    limits: createLimits(commonCounts),
    oneShots: createDailyCap("one-shots", config.oneShotsPerDay, now, commonCounts),
    automaticKeys: createDailyCap("automatic-keys", AUTOMATIC_KEYS_PER_DAY, now, commonCounts),
    probes: probesOf(db, services.chain, now),
    probeSigned: services.chain.probeSigned,
    collects: services.collects,
    attestation: () => services.attestation(),
    heartbeats: () => services.heartbeats(),
    pendingChanges: () => services.chain.pendingChanges().catch(() => null),
    logKeyFault: () => services.log.signer.fault?.() ?? null,
    logState: () => logState(db),
    jobs: services.jobs,
    logAnswers: createLogAnswers({ db, ...services.log, caches: watches.caches }),
    webAssets,
    clockAheadMs: surroundings.databaseClock.aheadMs,
    data: {
      db,
      caches: watches.caches,
      assets: services.assets,
      simulated: !isLive,
      ...(isLive ? { unpricedReason: unpricedReasons(config) } : {}),
      now,
    },
    resolveJobToken: (token) => services.resolveJobToken(token),
    settings: config,
    newRequestId,
    monotonic,
    watches,
  };
}

/** @returns null where the settings ask for no metrics */
async function openMetrics(
  { config, db, services, marketStatus }: Parts,
  { newRequestId, logger, now, watches, databaseClock }: Surroundings,
): Promise<Listening | null> {
  if (config.metrics === null) return null;
  const collect = async () => {
    const [held, status, steps] = await Promise.all([
      services.metrics(),
      marketStatus().catch(nullIfAway),
      // Asked anew each time, which tells whether the database answers.
      stepAges(db, Math.floor(now() / 1_000)).catch(nullIfAway),
    ]);
    const up = gaugeFor("assay_database_up", [[{}, steps === null ? 0 : 1]]);
    const own = watches.families(connectionsOf(db));
    return expositionOf([
      ...own,
      up,
      ...held,
      ...marketFamilies(status, steps ?? undefined),
      gaugeFor("assay_clock_ahead_seconds", [[{}, databaseClock.aheadMs() / 1_000]]),
    ]);
  };
  return listenForMetrics({ ...config.metrics, collect, newRequestId, log: logger });
}

/** What is printed at the start: where it serves, and of the live profile what the keys that it has allow. */
export function announcement(
  config: Pick<Config, "profile" | "providers" | "role">,
  { url, services }: { readonly url: string; readonly services: Pick<Services, "deployment"> },
): string {
  if (config.role === "worker") return `Assay works in the background; ${url} says how it is doing\n`;
  const lines = config.profile === "live" ? capabilityLines(services.deployment, keyedProviders(config)) : [];
  return [`Assay serves on ${url}`, ...lines.map((line) => `  ${line}`), ""].join("\n");
}

/** SQLite says why. What PostgreSQL says may name the database, and with it a password. */
function startFailure(error: unknown): string {
  const words = error instanceof Error ? error.message : String(error);
  const cause = isDatabaseUnavailable(error) ? error.cause : undefined;
  const isSqlites = cause instanceof Error && codeOf(cause)?.startsWith("SQLITE_");
  return isSqlites ? `${words}: ${cause.message}` : words;
}

async function main(): Promise<void> {
  const config = parseConfig(environment());
  const server = await startServer(config, config.profile === "live" ? { market: liveMarket(config) } : {});
  standardSink().write(announcement(config, server));
  endOnSignals(() => server.stop(), config.drainMs);
}

if (import.meta.main)
  await main().catch((error: unknown) => {
    try {
      process.stderr.write(`${startFailure(error)}\n`);
    } finally {
      process.exit(1);
    }
  });
