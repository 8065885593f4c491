/**
 * The data API over HTTP, warm: 90 days of hours, against bare Express that sends the same bytes. Also with metrics.
 */
import { createServer, get } from "node:http";
import { buffer } from "node:stream/consumers";
import express from "express";
import { listening } from "../../../test/support/ports.ts";
import { startChain, startService } from "../fixtures.ts";
import { ask, CONNECTIONS, type Measured, printRates, printTargets, ratioOfCpu } from "../measure.ts";

const PATH = "/api/v1/premium-history?symbol=AAPLx&days=90";
const WARM_UP_SECONDS = 2;
const SECONDS = 8;

/** By name, what serves. */
type Servers = Readonly<Record<string, { readonly url: string }>>;
type Headers = Readonly<Record<string, string>>;

export async function overHttp(): Promise<void> {
  await using chain = await startChain();
  await using service = await startService(chain);
  await using metered = await startService(chain, { METRICS_PORT: "0" });
  const plain = { "GET /api/v1/premium-history: key, limit, log, cache": service };
  const both = { ...plain, "the same, with metrics": metered };
  const key = { "x-api-key": service.apiKey };
  printTargets(
    {
      name: "hot series over HTTP, plain",
      measured: await race("plain", plain, key),
      atLeast: 0.85,
    },
    {
      name: "hot series over HTTP, brotli",
      measured: await race("brotli", both, { ...key, "accept-encoding": "br" }),
      atLeast: 0.6,
    },
  );
}

/**
 * Each is loaded in turn. Small answers are served faster than they can be asked for, so the ratio is of the processor time
 * an answer, and not of the answers a second.
 * @returns the first one's ratio to bare Express
 */
async function race(form: string, servers: Servers, headers: Headers): Promise<number> {
  const bytes = await bytesOf(`${Object.values(servers)[0]!.url}${PATH}`, headers);
  await using bare = await bareExpress(bytes, headers["accept-encoding"]);
  const measured: Measured[] = [];
  for (const [name, { url }] of Object.entries({ ...servers, "bare Express, the same bytes": bare })) {
    await load(url, headers, WARM_UP_SECONDS);
    measured.push({ name, ...(await load(url, headers, SECONDS)) });
  }
  const size = `${(bytes.length / 1024).toFixed(0)} KiB`;
  const title = `premium-history of 90 days, warm, ${form}, ${size}, ${CONNECTIONS} connections`;
  return printRates(title, measured, ratioOfCpu);
}

/** @throws Error where an answer is not 200 */
async function load(url: string, headers: Headers, seconds: number): Promise<Omit<Measured, "name">> {
  const before = process.threadCpuUsage();
  const { requests, non2xx, errors } = await ask(url, { paths: [PATH], headers, seconds });
  if (non2xx + errors > 0) throw new Error(`${url}: ${non2xx + errors} requests failed`);
  const { user, system } = process.threadCpuUsage(before);
  return { perSecond: requests.average, cpuMicros: (user + system) / requests.total };
}

function bareExpress(bytes: Buffer, encoding: string | undefined) {
  const app = express();
  app.get("/api/v1/premium-history", (_request, response) => {
    response.setHeader("Content-Type", "application/json; charset=utf-8");
    if (encoding !== undefined) response.setHeader("Content-Encoding", encoding);
    response.setHeader("Content-Length", bytes.length);
    response.end(bytes);
  });
  return listening(createServer(app));
}

/** The answer as it goes over the wire, which `fetch` would unpack. */
function bytesOf(url: string, headers: Headers): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    get(url, { headers }, (response) => resolve(buffer(response))).on("error", reject);
  });
}
