/**
 * The log beside the rest of the service, which runs with the local chain: places given while jobs are made, and what
 * prepare-execution waits for its checkpoint.
 */
import { setTimeout as sleep } from "node:timers/promises";
import type { JobDeps } from "../../../api/jobs/deps.ts";
import type { RunningServer } from "../../../api/server.ts";
import { startOn, tradeOf, withLocalChain } from "../localChain.ts";
import { byClients, quantile } from "../measure.ts";
import type { NewDatabase } from "./engines.ts";
import { addWaiting, isAnyWaiting } from "./leaves.ts";

const CLIENTS = 8;
/** Of a round. */
const JOBS = 240;
/** Entries a second besides those of the jobs. */
const FED = [0, 1_000, 4_000];
const TICK_MS = 50;
const PREPARES = 96;
const ROUNDS = 9;

/** @param parts `beside`, `prepare` */
export async function besideService(newDatabase: NewDatabase, parts: readonly string[]): Promise<void> {
  await withLocalChain(async (folder, url) => {
    const local = await startLocal(folder, url, await newDatabase());
    try {
      await manyTimes(JOBS, local.job);
      if (parts.includes("beside")) await places(local);
      if (parts.includes("prepare")) await prepares(local);
    } finally {
      await local.server.stop();
    }
  });
}

type Local = Awaited<ReturnType<typeof startLocal>>;

async function startLocal(folder: string, rpcUrl: string, databaseUrl: string) {
  const { server, local } = await startOn(folder, rpcUrl, { DATABASE_URL: databaseUrl, LOG_WAIT_MS: "250" });
  const post = async (path: string, body: object) => {
    const init = {
      method: "POST",
      headers: { "content-type": "application/json", "x-api-key": local.apiKey },
      body: JSON.stringify(body),
    };
    // A connection that idled is closed by the service, perhaps just when it is used again.
    return await fetch(`${server.url}${path}`, init).catch(() => fetch(`${server.url}${path}`, init));
  };
  let sent = 0;
  return {
    server,
    /** @returns the job's id */
    async job() {
      const answer = await post("/v1/jobs?proofs=omit", {
        clientRequestId: `bench-${++sent}`,
        ...tradeOf(local, sent),
      });
      const { jobId, code } = (await answer.json()) as { jobId: string; code?: string };
      if (answer.status !== 201 && answer.status !== 200)
        throw new Error(`POST /v1/jobs answered ${answer.status} ${code}`);
      return jobId;
    },
    /** Until the answer has come. @returns its status */
    async prepare(jobId: string) {
      const answer = await post(`/v1/jobs/${jobId}/prepare-execution?proofs=omit`, {});
      const text = await answer.text();
      if (answer.status === 200 && text.includes('"execution":null')) throw new Error("a trade was denied");
      return answer.status;
    },
  };
}

const manyTimes = <T>(count: number, work: (n: number) => Promise<T>): Promise<T[]> =>
  byClients(CLIENTS, count, work);

/** Jobs a second while so many other entries a second come into the log and get their places, in turn. */
async function places({ server, job }: Local): Promise<void> {
  const measured = FED.map((fed) => ({ fed, jobs: [] as number[], placed: [] as number[] }));
  for (let round = 0; round < ROUNDS; round++)
    for (const { fed, jobs, placed } of measured) {
      const ending = new AbortController();
      const feeding = feed(server, fed, ending.signal);
      try {
        const before = await server.services.log.state();
        const from = performance.now();
        await manyTimes(JOBS, job);
        const seconds = (performance.now() - from) / 1_000;
        placed.push(((await server.services.log.state()).size - before.size) / seconds);
        jobs.push(JOBS / seconds);
      } finally {
        ending.abort();
        await feeding;
      }
      // The next one begins with nothing left to do.
      while (await isAnyWaiting(server.db)) await sleep(TICK_MS);
    }
  const alone = quantile(measured[0]?.jobs ?? [], 0.5);
  for (const { fed, jobs, placed } of measured) {
    const rate = quantile(jobs, 0.5);
    console.log(
      `  ${`beside POST /v1/jobs, ${fed} more/s`.padEnd(34)} ${quantile(placed, 0.5).toFixed(0)} entries/s placed; ${rate.toFixed(1)} jobs/s, ${(rate / alone).toFixed(2)} x`,
    );
  }
}

async function feed({ db }: RunningServer, perSecond: number, ending: AbortSignal): Promise<void> {
  const began = performance.now();
  for (let added = 0; !ending.aborted && perSecond > 0; await sleep(TICK_MS)) {
    const due = Math.floor((perSecond * (performance.now() - began)) / 1_000) - added;
    if (due > 0) await addWaiting(db, due);
    added += Math.max(0, due);
  }
}

/** A certificate's wait for its checkpoint, and the same without the wait: the judgement is logged in both. */
async function prepares(local: Local): Promise<void> {
  const { log } = local.server.services.jobs;
  const waits: number[] = [];
  const measured: JobDeps["log"] = {
    ...log,
    async signed(report) {
      const from = performance.now();
      try {
        return await log.signed(report);
      } finally {
        waits.push(performance.now() - from);
      }
    },
  };
  const logs = [measured, { ...log, signed: async () => "" }];
  const times = logs.map((): number[] => []);
  let refused = 0;
  for (let round = 0; round < ROUNDS; round++)
    for (const [n, each] of logs.entries()) {
      const outcomes = await prepareRound(local, each);
      // Those that were refused in vain too: without them the slow ones would be missing.
      times[n]?.push(...outcomes.map(({ ms }) => ms));
      refused += outcomes.filter(({ status }) => status !== 200).length;
    }
  const [withLog = [], without = []] = times;
  printTimes("prepare-execution, with the log", withLog);
  printTimes("the same without the wait", without);
  printTimes("the wait", waits);
  console.log(
    `    p50 ${(quantile(withLog, 0.5) / quantile(without, 0.5)).toFixed(2)} x, ${CLIENTS} clients; answered otherwise than 200: ${refused} of ${2 * ROUNDS * PREPARES}`,
  );
}

async function prepareRound({ server, job, prepare }: Local, log: JobDeps["log"]) {
  const made = await manyTimes(PREPARES, job);
  const jobs = server.services.jobs as { log: JobDeps["log"] };
  const own = jobs.log;
  jobs.log = log;
  const outcomes = await manyTimes(PREPARES, async (n) => {
    const from = performance.now();
    const status = await prepare(made[n] as string);
    return { status, ms: performance.now() - from };
  });
  jobs.log = own;
  return outcomes;
}

function printTimes(name: string, times: readonly number[]): void {
  const [half, most, all] = [0.5, 0.99, 1].map((q) => quantile(times, q).toFixed(1));
  console.log(`  ${name.padEnd(34)} p50 ${half} ms   p99 ${most} ms   max ${all} ms`);
}
