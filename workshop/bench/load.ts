/**
 * What readers get of one service: each kind of read by itself, then all in turn. The service runs in a process of its own,
 * as `npm start` starts it, so that its memory can be told from that of the load.
 */
import { readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { forkService, startChain } from "./fixtures.ts";
import { ask, CONNECTIONS, counted, numberOption, print, printTable, progress } from "./measure.ts";

const SECONDS = 10;
const WARM_UP_SECONDS = 5;
/** Until what a start or a load left behind is done. */
const REST_MS = 10_000;
const DAY_MS = 86_400_000;

const readsNow = () => [
  { name: "`/healthz`", path: "/healthz" },
  { name: "assets", path: "/api/v1/assets" },
  { name: "market overview", path: "/api/market-overview" },
  {
    name: "a hot series: 30 days, from the cache",
    path: "/api/v1/premium-history?symbol=AAPLx&days=30",
  },
  {
    // A window is never cached.
    name: "a stored series: 30 days, from the database",
    path: `/api/v1/premium-history?symbol=AAPLx&from=${daysAgo(30)}`,
  },
];

const daysAgo = (days: number): string => new Date(Date.now() - days * DAY_MS).toISOString().slice(0, 10);

export async function bench(): Promise<void> {
  const seconds = numberOption("seconds", SECONDS, 1);
  await using chain = await startChain();
  await using service = await forkService(chain);
  const headers = { "x-api-key": service.apiKey };

  await sleep(REST_MS);
  const before = megabytesOf(service.pid);
  const reads = readsNow();
  const all = reads.map(({ path }) => path);
  progress("warming up");
  await ask(service.url, { paths: all, headers, seconds: WARM_UP_SECONDS });
  const loads = reads.map(({ name, path }) => ({ name, paths: [path] }));
  loads.push({ name: "all in turn", paths: all });
  const rows: string[][] = [];
  for (const { name, paths } of loads) {
    progress(name);
    const { requests, latency, non2xx, errors } = await ask(service.url, { paths, headers, seconds });
    // Time-outs are among the errors.
    const failed = non2xx + errors;
    rows.push([name, counted(requests.average), `${latency.p50} ms`, `${latency.p99} ms`, counted(failed)]);
  }
  await sleep(REST_MS);
  const after = megabytesOf(service.pid);
  printTable([`${CONNECTIONS} connections, ${seconds} s each`, "requests/s", "p50", "p99", "not 2xx"], rows);
  print(`Memory of the service at rest: ${before} MB before, ${after} MB after.`);
}

/** What the process holds of the machine's memory. */
function megabytesOf(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  const kilobytes = Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]);
  return Math.round(kilobytes / 1024);
}
