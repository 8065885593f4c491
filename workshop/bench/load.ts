/**
 * What readers get of one service: each kind of read by itself, then all in turn. The service runs in a process of its own,
 * as `npm start` starts it, so that its memory can be told from that of the load.
 */
import { readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import autocannon from "autocannon";
import { readLocalFile } from "../../devnet/localFile.ts";
import { counted, inMs, optionsGiven, print, printTable, progress, wholeNumber } from "./measure.ts";
import { forkLocal, UNLIMITED, withLocalChain } from "./places.ts";

const CONNECTIONS = 16;
const SECONDS = 10;
const WARM_UP_SECONDS = 5;
/** Until what a start or a load left behind is done. */
const REST_MS = 10_000;
const DAY_MS = 86_400_000;

/** Paths by what they stand for. */
const reads = (): Readonly<Record<string, string>> => ({
  "`/healthz`": "/healthz",
  assets: "/api/v1/assets",
  "market overview": "/api/market-overview",
  "a hot series: 30 days, from the cache": "/api/v1/premium-history?symbol=AAPLx&days=30",
  // A window is never cached.
  "a stored series: 30 days, from the database": `/api/v1/premium-history?symbol=AAPLx&from=${daysAgo(30)}`,
});

const daysAgo = (days: number): string => new Date(Date.now() - days * DAY_MS).toISOString().slice(0, 10);

export async function bench(): Promise<void> {
  const given = optionsGiven({ seconds: { type: "string", default: String(SECONDS) } });
  const seconds = wholeNumber("seconds", given.seconds, 1);
  await withLocalChain(async (folder, rpcUrl) => {
    const environment = { DATA_DIR: folder, RPC_URL: rpcUrl, PORT: "0", LOG_LEVEL: "info", ...UNLIMITED };
    const service = await forkLocal("api", environment);
    try {
      const local = await readLocalFile(folder);
      if (local === null) throw new Error("the service has written no local.json");
      await load(service.child.pid as number, { url: service.url, key: local.apiKey, seconds });
    } finally {
      await service.stop();
    }
  });
}

interface Load {
  readonly url: string;
  readonly key: string;
  /** Of each kind of read. */
  readonly seconds: number;
}

async function load(pid: number, { url, key, seconds }: Load): Promise<void> {
  await sleep(REST_MS);
  const before = megabytesOf(pid);
  const kinds = Object.entries(reads());
  const paths = kinds.map(([, path]) => path);
  progress("warming up");
  await send({ url, key, seconds: WARM_UP_SECONDS }, paths);
  const rows: string[][] = [];
  for (const [name, path] of kinds) {
    progress(name);
    rows.push([name, ...cellsOf(await send({ url, key, seconds }, [path]))]);
  }
  progress("all in turn");
  rows.push(["all in turn", ...cellsOf(await send({ url, key, seconds }, paths))]);
  await sleep(REST_MS);
  const after = megabytesOf(pid);
  printTable([`${CONNECTIONS} connections, ${seconds} s each`, "requests/s", "p50", "p99", "not 2xx"], rows);
  print(`Memory of the service at rest: ${before} MB before, ${after} MB after.`);
}

/** Each connection asks for the paths in turn. */
const send = ({ url, key, seconds }: Load, paths: readonly string[]): Promise<autocannon.Result> =>
  autocannon({
    url,
    connections: CONNECTIONS,
    duration: seconds,
    requests: paths.map((path) => ({ method: "GET", path, headers: { "x-api-key": key } })),
  });

const cellsOf = ({ requests, latency, non2xx, errors }: autocannon.Result): string[] => [
  counted(requests.average),
  inMs(latency.p50, 0),
  inMs(latency.p99, 0),
  // Time-outs are among the errors.
  counted(non2xx + errors),
];

/** What the process holds of the machine's memory. */
function megabytesOf(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  const kilobytes = Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]);
  return Math.round(kilobytes / 1024);
}
