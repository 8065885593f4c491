/**
 * Read this first: the service from its settings to its end. `open` opens all that it needs, `tasks` starts what it does
 * unasked, `app` is what it answers. Run directly it reads the environment, serves until SIGTERM or SIGINT, and lets running
 * requests finish.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { codeOf, isDatabaseUnavailable } from "../database/errors.ts";
import { app } from "./app.ts";
import { capabilityLines } from "./data/capabilities.ts";
import { listen } from "./http/listen.ts";
import { serveMetrics } from "./measurements.ts";
import { standardOutput } from "./metrics/logDestination.ts";
import { type Overrides, open } from "./open.ts";
import { liveMarket } from "./opening/liveMarket.ts";
import type { Service } from "./service.ts";
import { type Config, parseConfig } from "./settings/config.ts";
import { environment } from "./settings/environment.ts";
import { keyedProviders } from "./settings/providers.ts";
import { endOnSignals } from "./shutdown.ts";
import { tasks } from "./tasks.ts";

/** How long running requests may take to end. */
const GRACE_MS = 8_000;
/** What a cache holds longer than its time is dropped by then. */
const SWEEP_EVERY_MS = 10_000;

export type RunningServer = Awaited<ReturnType<typeof startServer>>;

/** @throws as `open`, or an Error in words for people when the port cannot be had; what was opened by then is closed again */
export async function startServer(config: Config, overrides: Overrides = {}) {
  await using started = new AsyncDisposableStack();
  const service = await open(config, overrides);
  started.defer(() => service.close());
  const running = tasks(service);
  started.defer(() => running.stop());

  const { newRequestId, logger } = service;
  const http = app(service);
  const trusts: (address: string, hop: number) => boolean = http.get("trust proxy fn");
  const listening = await listen(http, {
    host: config.host,
    port: config.port,
    newRequestId,
    isProxy: (address) => trusts(address, 0),
    onCrowded: (address) =>
      logger.warn({ address }, "an address opens too many connections; the rest are closed"),
  });
  service.address.url = listening.url;
  started.defer(() => listening.stop(overrides.graceMs ?? GRACE_MS));
  const sweeping = setInterval(() => service.caches.held(), SWEEP_EVERY_MS).unref();
  started.defer(() => clearInterval(sweeping));
  const metrics = await serveMetrics(service);
  if (metrics) started.defer(() => metrics.stop(0));

  const all = started.move();
  const end = async () => {
    service.beginEnd();
    listening.drain();
    await sleep(config.drainMs);
    await all.disposeAsync();
  };
  let ended: Promise<void> | undefined;
  return {
    url: listening.url,
    port: listening.port,
    /** null: metrics are not served. */
    metricsUrl: metrics && `${metrics.url}/metrics`,
    service,
    /** Serves on for DRAIN_MS, while /readyz says that it is about to end, then ends all. A second call waits for the first. */
    stop: () => {
      ended ??= end();
      return ended;
    },
  };
}

/** What is printed at the start: where it serves, and of the live profile what the keys that it has allow. */
export function announcement({ url, service }: Pick<RunningServer, "url" | "service">): string {
  const { config, deployment }: Pick<Service, "config" | "deployment"> = service;
  if (config.role === "worker") return `Assay works in the background; ${url} says how it is doing\n`;
  const lines = config.profile === "live" ? capabilityLines(deployment, keyedProviders(config)) : [];
  return [`Assay serves on ${url}`, ...lines.map((line) => `  ${line}`), ""].join("\n");
}

/** SQLite says why. What PostgreSQL says may name the database, and with it a password. */
function startFailure(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  const cause = isDatabaseUnavailable(error) ? error.cause : undefined;
  const isSqlites = cause instanceof Error && codeOf(cause)?.startsWith("SQLITE_");
  return isSqlites ? `${message}: ${cause.message}` : message;
}

async function main(): Promise<void> {
  const config = parseConfig(environment());
  const server = await startServer(config, config.profile === "live" ? { market: liveMarket(config) } : {});
  standardOutput().write(announcement(server));
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
