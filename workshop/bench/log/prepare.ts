/** What prepare-execution waits for the log's checkpoint, in a service that runs with the local chain. */
import type { JobDeps } from "../../../api/jobs/deps.ts";
import type { NewDatabase } from "../databases.ts";
import { startOn, tradeOf, withLocalChain } from "../localChain.ts";
import { byClients, quantile } from "../measure.ts";
import { inMs, print, printTable } from "../print.ts";

const CLIENTS = 8;
/** To warm up. */
const JOBS = 240;
/** Of a round. */
const PREPARES = 96;
const ROUNDS = 9;

export async function benchPrepare(title: string, newDatabase: NewDatabase): Promise<void> {
  await withLocalChain(async (folder, url) => {
    const local = await startLocal(folder, url, await newDatabase());
    try {
      await byClients(CLIENTS, JOBS, local.job);
      await prepares(title, local);
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

/** A certificate's wait for its checkpoint, and the same without the wait: the judgement is logged in both. */
async function prepares(title: string, local: Local): Promise<void> {
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
  const row = (name: string, of: readonly number[]) => [
    name,
    ...[0.5, 0.99, 1].map((q) => inMs(quantile(of, q))),
  ];
  printTable(
    [`${title}: ${CLIENTS} clients`, "p50", "p99", "most"],
    [
      row("prepare-execution", withLog),
      row("the same without the log's wait", without),
      row("the wait", waits),
    ],
  );
  const ratio = (quantile(withLog, 0.5) / quantile(without, 0.5)).toFixed(2);
  print(
    `${ratio} times as long at p50. Answered otherwise than 200: ${refused} of ${2 * ROUNDS * PREPARES}.`,
  );
}

async function prepareRound({ server, job, prepare }: Local, log: JobDeps["log"]) {
  const made = await byClients(CLIENTS, PREPARES, job);
  const jobs = server.services.jobs as { log: JobDeps["log"] };
  const own = jobs.log;
  jobs.log = log;
  const outcomes = await byClients(CLIENTS, PREPARES, async (n) => {
    const from = performance.now();
    const status = await prepare(made[n] as string);
    return { status, ms: performance.now() - from };
  });
  jobs.log = own;
  return outcomes;
}
