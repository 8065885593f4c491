/** The whole service on a test world: real chain, real database, real HTTP, and the world's clock. */
import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { Wallet } from "ethers";
import type { OpenApi } from "../../api/docs/openapi.ts";
import { createLogger } from "../../api/metrics/logger.ts";
import type { Overrides } from "../../api/open.ts";
import { startServer } from "../../api/server.ts";
import { parseConfig } from "../../api/settings/config.ts";
import type { TradeGuard } from "../../types/contracts/contracts/TradeGuard.ts";
import { TradeGuard__factory } from "../../types/contracts/factories/contracts/TradeGuard__factory.ts";
import { type Answer, APPLICANT, type Asked, answerOf, json, paidWith } from "./http.ts";
import { validateAnswer } from "./openapi.ts";
import { recordLiquidity } from "./samples.ts";
import { ofSuite } from "./suite.ts";
import { until } from "./until.ts";
import { purchaseIn, type TestWorld } from "./world.ts";

/** One of a test's own is ended by `await using`. */
export type Service = Awaited<ReturnType<typeof startService>>;
type Changes = Record<string, unknown>;

let requests = 0;

/** Settings of a service on a world, with no limit in a test's way. */
export const settingsOn = (world: TestWorld, databaseUrl: string): Record<string, string> => ({
  PORT: "0",
  DATA_DIR: world.dataDir,
  DATABASE_URL: databaseUrl,
  RPC_URL: world.url,
  ATTESTOR_PRIVATE_KEY: world.accounts.attestation.privateKey,
  KEY_LIMIT_PER_MINUTE: "100000",
  ADDRESS_LIMIT_PER_MINUTE: "100000",
  ONE_SHOTS_PER_DAY: "100000",
  // Many tests share a machine's two cores.
  LOG_WAIT_MS: "20000",
});

export async function startService(
  world: TestWorld,
  databaseUrl: string,
  env: Record<string, string> = {},
  overrides: Overrides = {},
) {
  const settings = {
    ...settingsOn(world, databaseUrl),
    // Databases in memory are many, each with a log of its own.
    ...(databaseUrl.includes(":memory:") ? { LOG_STATE_DIR: join(world.dataDir, "log", randomUUID()) } : {}),
    ...env,
  };
  const logger = createLogger({ level: "silent" });
  // Idle connections of the tests' client need no time to end by themselves.
  const start = () =>
    startServer(parseConfig(settings), { logger, now: () => world.clock.now(), graceMs: 500, ...overrides });
  let server = await start();
  const { key, record } = await server.service.keys.create(APPLICANT, "test");
  const openapi: OpenApi = JSON.parse(await (await fetch(`${server.url}/openapi.json`)).text());

  /** A request with the service's key; every answer is checked by the OpenAPI document. */
  async function call(path: string, { key: given = key, ...init }: Asked = {}): Promise<Answer> {
    const headers = new Headers(init.headers);
    if (given !== null) headers.set("x-api-key", given);
    const answer = await answerOf(await fetch(new URL(path, server.url), { ...init, headers }));
    validateAnswer(openapi, init.method ?? "GET", path, answer.status, answer.body, answer.headers);
    return answer;
  }
  const post = (path: string, body?: unknown, given: string | null = key) =>
    call(path, { ...(body === undefined ? { method: "POST" } : json(body)), key: given });
  /** A body for POST /v1/jobs that STRICT_LIVE allows: buy AAPLx for 250 dollars. */
  function jobBody(changes: Changes = {}): Changes {
    return { clientRequestId: `test-${++requests}`, ...purchaseIn(world), ...changes };
  }
  /** A new job, by the service's key. */
  const newJob = async (changes?: Changes) => (await post("/v1/jobs", jobBody(changes))).body;
  const prepare = (jobId: string, body?: unknown) => post(`/v1/jobs/${jobId}/prepare-execution`, body);
  const submit = (jobId: string, transactionHash: string) =>
    post(`/v1/jobs/${jobId}/submissions`, { transactionHash });
  /** The job as soon as the condition holds for it; the watcher works in the background. */
  function jobWhen(jobId: string, holds: (job: any) => boolean, given = key) {
    const look = async () => (await call(`/v1/jobs/${jobId}`, { key: given })).body;
    return until(`such a job ${jobId}`, look, holds);
  }
  const isSeen = ({ state }: any): boolean => state !== "submitted";
  const stop = () => server.stop();
  await recordLiquidity(world, server.service.db);
  return {
    get server() {
      return server;
    },
    get url() {
      return server.url;
    },
    world,
    key,
    keyId: record.id,
    openapi,
    call,
    post,
    jobBody,
    newJob,
    prepare,
    stop,
    /** The path of a new job's report. */
    newReport: async (changes?: Changes) => `/v1/jobs/${(await newJob(changes)).jobId}/report`,
    /** A body for POST /a2mcp/verify. */
    verifyBody(changes?: Changes) {
      const { clientRequestId, ...body } = jobBody(changes);
      return body;
    },
    /** What POST /a2mcp/verify answers without a key. @param signature of a payment */
    verify: (body: unknown, signature?: string) =>
      call("/a2mcp/verify", { ...paidWith(signature, json(body)), key: null }),
    /** A job as its token opens it, or what stands under its path. */
    open: ({ jobId, jobToken }: { jobId: string; jobToken: string }, rest = "") =>
      call(`/v1/jobs/${jobId}${rest}`, { key: null, headers: { authorization: `Bearer ${jobToken}` } }),
    /** The answer to a new job, and to its preparation. */
    async newPrepared(changes?: Changes) {
      const job = await newJob(changes);
      return { job, prepared: (await prepare(job.jobId)).body };
    },
    submit,
    /** Records liquidity samples of grade A for every stock, as of the world's time. */
    recordLiquidity: () => recordLiquidity(world, server.service.db),
    jobWhen,
    /** Submits a transaction. @returns its execution, once that is no longer submitted, or has what is asked for */
    async followed(jobId: string, transactionHash: string, holds = isSeen): Promise<any> {
      await submit(jobId, transactionHash);
      const execution = (job: any) =>
        job.executions.find((one: any) => one.transactionHash === transactionHash);
      return execution(await jobWhen(jobId, (job) => holds(execution(job))));
    },
    /** Ends the process's part and starts it again on the same database. */
    async restart() {
      await server.stop();
      server = await start();
    },
    [Symbol.asyncDispose]: stop,
  };
}

/** A service of the suite's own, on a database in memory. @param env made when it starts */
export const testService = (world: TestWorld, env: () => Record<string, string> = () => ({})): Service =>
  ofSuite(() => startService(world, "sqlite::memory:", env()));

/** A report, or what carries one, as it was before the decision log had its proof. */
export function withoutProof(answer: any): any {
  const isProof = (name: string, value: unknown) =>
    name === "proof" && typeof value === "string" && value.startsWith("c2sp.org/tlog-proof@v1");
  return JSON.parse(JSON.stringify(answer), (name, value) => (isProof(name, value) ? null : value));
}

/** The checks of a report that did not pass. */
export const deniedBy = (report: any): string[] =>
  report.findings.filter(({ outcome }: any) => outcome !== "pass").map(({ check }: any) => check);

/** The world's guard as one of its accounts calls it, by default its admin. */
export const guardAs = (world: TestWorld, { privateKey } = world.accounts.deployer): TradeGuard =>
  TradeGuard__factory.connect(world.deployment.guard, new Wallet(privateKey, world.provider));

/** Makes this the key that the guard takes, in place of the one before. */
export async function rotateSigner(world: TestWorld, signer: string): Promise<void> {
  await (await guardAs(world).rotateSigner(signer)).wait();
}

/** A user of the world with a provider. */
export const walletOf = (world: TestWorld, index = 0): Wallet =>
  new Wallet(world.accounts.users[index]!.privateKey, world.provider);

/** A job whose trade may be sent. */
export async function preparedTrade(service: Service): Promise<{ jobId: string; execution: any }> {
  await service.world.tick(0);
  // Without a signed price: that of the tick before may be kept, and the newer one of the chain counts.
  const { job, prepared } = await service.newPrepared({ policyId: "EXTENDED_HOURS" });
  if (prepared.execution === null) throw new Error(JSON.stringify(prepared.report?.findings));
  return { jobId: job.jobId, execution: prepared.execution };
}

/** Sends the approvals that a prepared trade needs, from its owner. */
export async function approve(owner: Wallet, { calls }: any): Promise<void> {
  for (const { to, data } of calls) await (await owner.sendTransaction({ to, data })).wait();
}

/** Approves what a prepared trade needs and sends its guard call; resolves with the transaction hash. */
export async function carryOut(owner: Wallet, { approval, guardCall }: any): Promise<string> {
  await approve(owner, approval);
  return sendMined(owner, guardCall);
}

/** Sends a call, also one that will revert. @returns the transaction's hash once it is in a block */
export async function sendMined(sender: Wallet, { to, data }: { to: string; data: string }): Promise<string> {
  // Where the limit of gas is given nobody estimates it, which would fail.
  const { hash } = await sender.sendTransaction({ to, data, gasLimit: 1_000_000 });
  await sender.provider!.waitForTransaction(hash);
  return hash;
}
