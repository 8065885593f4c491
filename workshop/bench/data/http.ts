/**
 * The data API over HTTP, warm: 90 days of hours, against bare Express that sends the same bytes. Also with metrics.
 */
import { writeFileSync } from "node:fs";
import { createServer, get } from "node:http";
import { join } from "node:path";
import { Writable } from "node:stream";
import autocannon from "autocannon";
import express from "express";
import { createLogger } from "../../../api/metrics/logger.ts";
import { type RunningServer, startServer } from "../../../api/server.ts";
import { parseConfig } from "../../../api/settings/config.ts";
import type { Database } from "../../../database/open.ts";
import { recordPremiums } from "../../../market/series/premium.ts";
import { REGISTRY } from "../../../test/attestor/fixtures.ts";
import { listening } from "../../../test/support/ports.ts";
import { premiumSample } from "../../../test/support/samples.ts";
import { counted, printTable, printTargets } from "../measure.ts";
import { UNLIMITED } from "../places.ts";

/** On a chain that is not there. */
const STOCK = REGISTRY.assets.find(({ kind }) => kind === "stock")!;
const DEPLOYMENT = {
  chainId: REGISTRY.chainId,
  guard: `0x${"3".repeat(40)}`,
  executor: `0x${"4".repeat(40)}`,
  deployedAtBlock: 1,
  source: "simulated",
  registry: { ...REGISTRY, assets: REGISTRY.assets.map((asset) => ({ ...asset, issuer: "xstocks" })) },
};

const DAYS = 90;
const CONNECTIONS = 16;
const WARM_UP_SECONDS = 2;
const SECONDS = 8;

/** Prints how many answers a second there are of both, plain and compressed. @param folder for its database */
export async function overHttp(folder: string): Promise<void> {
  const server = await startOne(folder);
  const measured = await startOne(folder, { METRICS_PORT: "0" });
  try {
    await fill(server.service.db);
    const bench = { name: "bench", email: "bench@example.org", purpose: "bench" };
    const { key } = await server.service.keys.create(bench, "bench");
    const path = `/api/v1/premium-history?symbol=${STOCK.symbol}&days=${DAYS}`;
    const urls = {
      [NAME]: server.url + path,
      "the same, with metrics": measured.url + path,
    };
    const plain = await race({ [NAME]: server.url + path }, { "x-api-key": key });
    const brotli = await race(urls, { "x-api-key": key, "accept-encoding": "br" });
    printTargets([
      { name: "hot series over HTTP, plain", measured: plain, wanted: { atLeast: 0.85 } },
      { name: "hot series over HTTP, brotli", measured: brotli, wanted: { atLeast: 0.6 } },
    ]);
  } finally {
    for (const one of [measured, server]) await one.stop();
  }
}

const NAME = "GET /api/v1/premium-history: key, limit, log, cache";

function startOne(folder: string, env: Record<string, string> = {}): Promise<RunningServer> {
  const deploymentFile = join(folder, "deployment.json");
  writeFileSync(deploymentFile, JSON.stringify(DEPLOYMENT));
  const config = parseConfig({
    DATABASE_URL: `sqlite:${join(folder, "assay.db")}`,
    DATA_DIR: folder,
    PORT: "0",
    DEPLOYMENT_FILE: deploymentFile,
    RPC_URL: "http://127.0.0.1:1",
    ATTESTOR_PRIVATE_KEY: `0x${"7".repeat(64)}`,
    ...UNLIMITED,
    ...env,
  });
  // The log is written as ever, to nowhere.
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  const logger = createLogger({ level: "info", destination: nowhere });
  return startServer(config, { logger });
}

async function fill(db: Database): Promise<void> {
  const now = Math.floor(Date.now() / 1000);
  await recordPremiums(
    db,
    Array.from({ length: DAYS * 24 }, (_, hour) =>
      premiumSample(STOCK.assetKey, now - hour * 3_600, {
        tokenPriceUsd: `${100 + ((hour * 7919) % 1000) / 997}`,
      }),
    ),
    now,
  );
}

/**
 * Each is loaded in turn, from a thread of its own. Small answers are served faster than that thread asks, so the ratio is
 * of this thread's processor time an answer, and not of the answers a second.
 * @returns the first one's ratio to bare Express
 */
async function race(urls: Record<string, string>, headers: Record<string, string>): Promise<number> {
  const bytes = await bytesOf(Object.values(urls)[0] as string, headers);
  const app = express();
  app.get("/", (_request, response) => {
    response.setHeader("Content-Type", "application/json; charset=utf-8");
    if (headers["accept-encoding"]) response.setHeader("Content-Encoding", headers["accept-encoding"]);
    response.setHeader("Content-Length", bytes.length);
    response.end(bytes);
  });
  const bare = await listening(createServer(app));
  const rows: ({ name: string } & Loaded)[] = [];
  for (const [name, url] of Object.entries({ ...urls, "bare Express, the same bytes": bare.url })) {
    await load(url, headers, WARM_UP_SECONDS);
    rows.push({ name, ...(await load(url, headers, SECONDS)) });
  }
  await bare.close();
  const baseline = rows.at(-1)!;
  const form = headers["accept-encoding"] === "br" ? "brotli" : "plain";
  printTable(
    [
      `premium-history of ${DAYS} days, warm, ${form}, ${(bytes.length / 1024).toFixed(0)} KiB, ${CONNECTIONS} connections`,
      "a second",
      "ratio",
      "CPU of this thread",
    ],
    rows.map(({ name, perSecond, cpuMicros }) => [
      name,
      counted(perSecond),
      (baseline.cpuMicros / cpuMicros).toFixed(2),
      `${cpuMicros.toFixed(0)} µs`,
    ]),
  );
  return baseline.cpuMicros / rows[0]!.cpuMicros;
}

interface Loaded {
  readonly perSecond: number;
  /** Of this thread's processor, an answer. */
  readonly cpuMicros: number;
}

/** @throws Error where an answer is not 200 */
async function load(url: string, headers: Record<string, string>, duration: number): Promise<Loaded> {
  const before = process.threadCpuUsage();
  const { requests, non2xx, errors } = await autocannon({
    url,
    headers,
    duration,
    connections: CONNECTIONS,
    workers: 1,
  });
  if (non2xx + errors > 0) throw new Error(`${url}: ${non2xx + errors} requests failed`);
  const { user, system } = process.threadCpuUsage(before);
  return { perSecond: requests.average, cpuMicros: (user + system) / requests.total };
}

/** The answer as it goes over the wire, which `fetch` would unpack. */
async function bytesOf(url: string, headers: Record<string, string>): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    get(url, { headers }, async (response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of response) chunks.push(chunk);
      resolve(Buffer.concat(chunks));
    }).on("error", reject);
  });
}
