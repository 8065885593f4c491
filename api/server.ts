/**
 * Read this first: the service from its settings to its end. Run directly it reads the environment,
 * serves until SIGTERM or SIGINT, and lets running requests finish.
 */
import { randomBytes } from "node:crypto";
import { sql } from "kysely";
import { migrate } from "../database/migrate.ts";
import { type Database, openDatabase, postgresPoolOf } from "../database/open.ts";
import packageJson from "../package.json" with { type: "json" };
import { createApp } from "./app.ts";
import { type Config, environment, parseConfig } from "./config.ts";
import { createKeys, type Keys } from "./keys.ts";
import { createLimits } from "./limits.ts";
import { type Listening, listen } from "./listen.ts";
import { liveMarket } from "./live/market.ts";
import { createLogger, type Logger } from "./logger.ts";
import { expositionOf } from "./metrics/instruments.ts";
import { listenForMetrics } from "./metrics/listen.ts";
import { openParts, type Parts, type PartsDeps } from "./parts.ts";
import { createRequestIds } from "./requestIds.ts";
import { endOnSignals } from "./shutdown.ts";

/** How long running requests may take to end. */
const GRACE_MS = 8_000;

export interface Overrides {
  readonly logger?: Logger;
  /** Unix milliseconds. */
  readonly now?: () => number;
  readonly randomBytes?: (count: number) => Uint8Array;
  readonly market?: PartsDeps["market"];
  readonly payments?: PartsDeps["payments"];
  /** Stands in for chain, key and background work. */
  readonly openParts?: (deps: PartsDeps) => Promise<Parts>;
}

export interface RunningServer {
  readonly url: string;
  readonly port: number;
  /** null: metrics are not served. */
  readonly metricsUrl: string | null;
  readonly db: Database;
  readonly keys: Keys;
  readonly parts: Parts;
  /** Ends everything; the second call waits for the first. */
  stop(): Promise<void>;
}

/**
 * Opens database, key, chain and background work, then listens.
 * @throws ConfigError, AttestorError `invalid_key`, DatabaseUnavailable, or an Error in words for people
 *   when the port cannot be had; what was opened by then is closed again
 */
export async function startServer(config: Config, overrides: Overrides = {}): Promise<RunningServer> {
  const logger = overrides.logger ?? createLogger({ level: config.logLevel });
  const now = overrides.now ?? Date.now;
  const random = overrides.randomBytes ?? ((count: number) => randomBytes(count));
  const newRequestId = createRequestIds(random);

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
    const db = openDatabase(config.databaseUrl.reveal());
    closing.push(() => db.destroy());
    const migrated = await migrate(db);
    if (migrated.length > 0) logger.info({ migrated }, "database migrated");

    const parts = await (overrides.openParts ?? openParts)({
      config,
      db,
      logger,
      now,
      randomBytes: random,
      market: overrides.market,
      payments: overrides.payments,
      publicUrl,
    });
    closing.push(() => parts.stop());

    const keys = createKeys({ db, now, randomBytes: random });
    const app = createApp({
      version: packageJson.version,
      logger,
      registry: parts.deployment.registry,
      keys,
      limits: createLimits(postgresPoolOf(db)),
      probes: { database: () => sql`select 1`.execute(db), chain: () => parts.chain.probe() },
      attestation: () => parts.attestation(),
      jobs: parts.jobs,
      data: {
        db,
        assets: parts.assets,
        simulated: parts.deployment.source !== "live",
        now,
      },
      resolveJobToken: (token) => parts.resolveJobToken(token),
      settings: config,
      publicUrl,
      newRequestId,
      monotonic: () => performance.now(),
    });
    const listening: Listening = await listen(app, { host: config.host, port: config.port, newRequestId });
    listeningUrl = listening.url;
    closing.push(() => listening.stop(GRACE_MS));
    const metrics =
      config.metrics &&
      (await listenForMetrics({
        ...config.metrics,
        collect: async () => expositionOf(await parts.metrics()),
        newRequestId,
        log: logger,
      }));
    if (metrics) closing.push(() => metrics.stop(0));

    let stopped: Promise<void> | undefined;
    return {
      url: listening.url,
      port: listening.port,
      metricsUrl: metrics && `${metrics.url}/metrics`,
      db,
      keys,
      parts,
      stop: () => {
        stopped ??= close();
        return stopped;
      },
    };
  } catch (error) {
    await close();
    throw error;
  }
}

async function main(): Promise<void> {
  const config = parseConfig(environment());
  const server = await startServer(config, config.profile === "live" ? { market: liveMarket(config) } : {});
  process.stdout.write(`Assay serves on ${server.url}\n`);
  endOnSignals(() => server.stop());
}

if (import.meta.main)
  await main().catch((error: unknown) => {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    process.exit(1);
  });
