/**
 * The service as processes of their own: in the paid phase behind a gate, to be killed at a chosen moment; several on one
 * database, as an operator runs them; or one whose chain is away.
 */
import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { createKeys } from "../../api/keys/keys.ts";
import { openDatabase } from "../../database/open.ts";
import { localOptions } from "../../devnet/facilitator.ts";
import { flakyRpc } from "./flakyRpc.ts";
import { type Answer, APPLICANT, answerOf, json, REGISTRY } from "./http.ts";
import type { TestFacilitator } from "./paymentFacilitator.ts";
import { freePort } from "./ports.ts";
import { type Program, start } from "./programs.ts";
import { recordLiquidity } from "./samples.ts";
import { settingsOn } from "./service.ts";
import { ofSuite } from "./suite.ts";
import { until } from "./until.ts";
import { purchaseIn, type TestWorld } from "./world.ts";

export interface ServiceProcess {
  readonly url: string;
  readonly program: Program;
}

/** @param printed once it serves, or works in the background */
async function startServing(
  script: string,
  env: Record<string, string>,
  printed = "Assay serves on ",
): Promise<ServiceProcess> {
  const program = start(script, [], env);
  await program.printed(printed);
  const url = /http:\/\/127\.0\.0\.1:[0-9]+/.exec(program.output())?.[0];
  if (url === undefined) throw new Error(`no address in:\n${program.output()}`);
  return { url, program };
}

/** Stands before a world's chain, where a test can hold up calls of a process, refuse them or answer them. */
export interface Gate {
  readonly url: string;
  /** Asked before each JSON-RPC call; what it returns is waited for. When it throws, the call gets a 503. */
  before: (method: string, params: unknown[]) => Promise<unknown> | undefined;
  /** Answers in the chain's place, where it returns something else than undefined. */
  instead: (method: string, params: unknown[]) => unknown;
  stop(): Promise<void>;
}

/** A gate of the suite's own; after each test it is open again. */
export function testGate(world: TestWorld): Gate {
  const gate = ofSuite(() => startGate(world));
  afterEach(() => {
    gate.before = gate.instead = () => undefined;
  });
  return gate;
}

/** Stands before the world's chain and lets calls through. */
export async function startGate(world: TestWorld): Promise<Gate> {
  const rpc = await flakyRpc(world.url, async (method, _transaction, params) => {
    try {
      await gate.before(method, params);
    } catch {
      return "busy";
    }
    const result = gate.instead(method, params);
    return result === undefined ? null : { result };
  });
  const gate: Gate = { url: rpc.url, before: () => undefined, instead: () => undefined, stop: rpc.close };
  return gate;
}

/** One in the paid phase. */
export type PaidProcess = ServiceProcess;

/** Starts `api/server.ts` on the world, in the paid phase; resolves when it serves. */
export async function startPaidProcess(
  world: TestWorld,
  given: { gate: Gate; facilitator: TestFacilitator; databaseUrl: string; env?: Record<string, string> },
): Promise<PaidProcess> {
  const optionsFile = join(world.dataDir, "payment-options.json");
  await writeFile(optionsFile, JSON.stringify({ options: localOptions(world.deployment) }));
  // One that was killed before has the log's lease for three seconds more.
  return startServing("api/server.ts", {
    ...settingsOn(world, given.databaseUrl),
    RPC_URL: given.gate.url,
    PAYMENT_PHASE: "paid",
    PAYMENT_PAY_TO: world.accounts.payee.address,
    PAYMENT_OPTIONS_FILE: optionsFile,
    FACILITATOR_URL: given.facilitator.url,
    FACILITATOR_TIMEOUT_MS: "1000",
    LOG_LEVEL: "debug",
    ...given.env,
  });
}

export type Replicas = Awaited<ReturnType<typeof openReplicas>>;

/** Several processes on one database, each with a role. @param env of all processes */
export async function openReplicas(world: TestWorld, databaseUrl: string, env: Record<string, string> = {}) {
  const db = openDatabase(databaseUrl);
  const { key } = await createKeys({ db, now: Date.now, randomBytes }).create(APPLICANT, "test");
  await recordLiquidity(world, db);
  const programs: Program[] = [];
  let jobs = 0;
  return {
    db,
    /** @param own such as RPC_URL, of this process alone */
    async start(role: "api" | "worker", own: Record<string, string> = {}): Promise<ServiceProcess> {
      // The local world's own start, where the work is done: it has a market to collect.
      const script = role === "api" ? "api/server.ts" : "devnet/api.ts";
      const settings = {
        ...settingsOn(world, databaseUrl),
        ROLE: role,
        LOG_LEVEL: "info",
        ...env,
        ...own,
      };
      const replica =
        role === "api"
          ? await startServing(script, settings)
          : await startServing(script, settings, "in the background");
      programs.push(replica.program);
      return replica;
    },
    /** With an API key of this service. */
    async call({ url }: { readonly url: string }, path: string, body?: unknown): Promise<Answer> {
      const init: RequestInit = body === undefined ? {} : json(body);
      const headers = { ...(init.headers as Record<string, string>), "x-api-key": key };
      return answerOf(await fetch(new URL(path, url), { ...init, headers }));
    },
    /** A body for POST /v1/jobs that STRICT_LIVE allows. */
    jobBody: () => ({ clientRequestId: `replicas-${++jobs}`, ...purchaseIn(world) }),
    /** Ends all that still runs, at once. */
    async stop() {
      // One that was frozen would not die of it.
      for (const program of programs) program.kill("SIGCONT");
      await Promise.all(programs.map((program) => program.crash()));
      await db.destroy();
    },
  };
}

/** One of a test's own is ended by `await using`. */
export type ApiProcess = Awaited<ReturnType<typeof startApi>>;

/** Writes the file of a deployment whose guard nobody has put there. @returns its path */
export function guardlessDeployment(folder: string): string {
  const path = join(folder, "deployment.json");
  const [guard, executor] = Array(2).fill("0x0000000000000000000000000000000000000001");
  const deployment = { chainId: 31337, guard, executor, deployedAtBlock: 1, registry: REGISTRY };
  writeFileSync(path, JSON.stringify({ ...deployment, source: "simulated" }));
  return path;
}

/**
 * `api/server.ts` with a chain that is away: for what happens around requests.
 * @param stdout a file descriptor, or "pipe"
 */
export async function startApi(stdout: number | "pipe", env: Record<string, string> = {}) {
  const folder = mkdtempSync(join(tmpdir(), "assay-process-"));
  const deploymentFile = guardlessDeployment(folder);
  const port = await freePort();
  const dataDir = join(folder, "data");
  const child = spawn(process.execPath, ["api/server.ts"], {
    cwd: new URL("../..", import.meta.url),
    env: {
      PATH: process.env.PATH,
      NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
      PORT: String(port),
      DATA_DIR: dataDir,
      RPC_URL: "http://127.0.0.1:1",
      DEPLOYMENT_FILE: deploymentFile,
      ATTESTOR_PRIVATE_KEY: `0x${"7".repeat(64)}`,
      ADDRESS_LIMIT_PER_MINUTE: "100000",
      ...env,
    },
    stdio: ["ignore", stdout, "pipe"],
  });
  child.stderr?.resume();
  const ended = once(child, "exit") as Promise<[number | null, NodeJS.Signals | null]>;
  const url = `http://127.0.0.1:${port}`;
  await until("the API serves", async () => {
    if (child.exitCode !== null) throw new Error("the API did not start");
    const answer = await fetch(`${url}/healthz`).catch(() => null);
    return answer?.status === 200;
  });
  const remove = async (): Promise<void> => {
    if (child.exitCode === null && child.signalCode === null) {
      child.kill("SIGKILL");
      await ended;
    }
    rmSync(folder, { recursive: true, force: true });
  };
  return {
    child,
    url,
    dataDir,
    /** Asks it to end. @returns exit code and signal, or null when it is still there after so long */
    end: async (withinMs: number) => {
      child.kill("SIGTERM");
      return Promise.race([ended, sleep(withinMs, null)]);
    },
    remove,
    [Symbol.asyncDispose]: remove,
  };
}
