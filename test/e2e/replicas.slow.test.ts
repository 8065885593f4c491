/** One service as several processes on PostgreSQL: who does what, and what goes on when one of them is gone or frozen. */
import { expect } from "chai";
import type { Selectable } from "kysely";
import type { Database } from "../../database/open.ts";
import type { Schema } from "../../database/schema.ts";
import { changeRows, rowOf } from "../support/database.ts";
import { testPaidWorld } from "../support/payments.ts";
import { postgresServer } from "../support/postgres.ts";
import { carryOut, walletOf } from "../support/service.ts";
import {
  type Gate,
  openReplicas,
  type Replicas,
  type ServiceProcess,
  startGate,
} from "../support/serviceProcess.ts";
import { until } from "../support/until.ts";

type LeaseRow = Pick<Selectable<Schema["leases"]>, "name" | "holder" | "epoch">;

/** By name. */
async function leases(db: Database): Promise<Map<string, LeaseRow>> {
  const rows = await db.selectFrom("leases").select(["name", "holder", "epoch"]).execute();
  return new Map(rows.map((row) => [row.name, row]));
}

/** Whether a lease is a process's; those of this machine name their process. */
const isOf = ({ holder }: LeaseRow, { program }: ServiceProcess): boolean =>
  holder.split(" ")[1] === String(program.process.pid);

const TASKS = ["collector", "log-publisher", "retention", "watcher"];

describe("a service of several processes", function () {
  this.timeout(180_000);
  const world = testPaidWorld();
  let databaseUrl: string;
  let replicas: Replicas;
  const gates: Gate[] = [];
  before(async () => {
    databaseUrl = await (await postgresServer()).createDatabase();
  });
  beforeEach(async () => {
    replicas = await openReplicas(world, databaseUrl);
    // Those of processes that were killed would hold the new ones up.
    await replicas.db.deleteFrom("leases").execute();
  });
  afterEach(async () => {
    await replicas.stop();
    for (const gate of gates.splice(0)) await gate.stop();
  });

  /** A process with a way of its own to the chain, at which the test stands. */
  async function gated(role: "api" | "worker"): Promise<ServiceProcess & { gate: Gate }> {
    const gate = await startGate(world);
    gates.push(gate);
    return { ...(await replicas.start(role, { RPC_URL: gate.url })), gate };
  }
  const heartbeats = async (
    replica: ServiceProcess,
  ): Promise<{ task: string; heartbeatAgo: number | null }[]> =>
    (await replicas.call(replica, "/readyz?verbose")).body.tasks;
  const isWorking = (replica: ServiceProcess) => async () => {
    const held = await leases(replicas.db);
    return TASKS.every((name) => held.has(name) && isOf(held.get(name)!, replica));
  };
  async function prepared(api: ServiceProcess): Promise<{ jobId: string; execution: any }> {
    await world.tick(0);
    const { jobId } = (await replicas.call(api, "/v1/jobs", replicas.jobBody())).body;
    const { status, body, text } = await replicas.call(api, `/v1/jobs/${jobId}/prepare-execution`, {});
    expect(status, text).to.equal(200);
    expect(body.execution, JSON.stringify(body.report?.findings)).to.not.equal(null);
    return { jobId, execution: body.execution };
  }
  const stateOf = async (api: ServiceProcess, jobId: string): Promise<string | undefined> =>
    (await replicas.call(api, `/v1/jobs/${jobId}`)).body.executions[0]?.state;

  it("has processes that only serve, and processes that only run background tasks", async () => {
    const api = await replicas.start("api", { LOG_WAIT_MS: "300", METRICS_PORT: "0" });
    expect(await heartbeats(api)).to.deep.equal(
      TASKS.filter((task) => task !== "collector").map((task) => ({ task, heartbeatAgo: null })),
    );
    const { jobId } = (await replicas.call(api, "/v1/jobs", replicas.jobBody())).body;
    const early = await replicas.call(api, `/v1/jobs/${jobId}/prepare-execution`, {});
    expect([early.status, early.body.code]).to.deep.equal([503, "unavailable"]);
    expect((await leases(replicas.db)).size).to.equal(0);

    const worker = await replicas.start("worker");
    await until("the worker has every task", isWorking(worker));
    for (const task of await heartbeats(api)) expect(task.heartbeatAgo, task.task).to.be.within(0, 10);
    expect((await replicas.call(worker, "/healthz")).body).to.deep.equal({ status: "live" });
    expect((await replicas.call(worker, "/readyz")).body.status).to.equal("ready");
    for (const path of ["/", "/v1/policies", "/openapi.json", "/mcp", "/status", `/v1/jobs/${jobId}`])
      expect((await replicas.call(worker, path)).status, path).to.equal(404);

    const trade = await prepared(await replicas.start("api"));
    const transactionHash = await carryOut(walletOf(world), trade.execution);
    await replicas.call(api, `/v1/jobs/${trade.jobId}/submissions`, { transactionHash });
    await until("the worker confirms it", async () => (await stateOf(api, trade.jobId)) === "confirmed");
  });

  it("another worker takes over every task of one that is killed, and none is done by two", async () => {
    const [one, two] = [await replicas.start("worker"), await replicas.start("worker")];
    const api = await replicas.start("api");
    await until("the first worker has every task", isWorking(one));
    const before = await leases(replicas.db);
    one.program.kill("SIGKILL");
    await until("the second worker has every task", isWorking(two));
    for (const [name, { epoch }] of await leases(replicas.db))
      expect(epoch, name).to.equal(before.get(name)!.epoch + 1);
    const trade = await prepared(api);
    const transactionHash = await carryOut(walletOf(world), trade.execution);
    await replicas.call(api, `/v1/jobs/${trade.jobId}/submissions`, { transactionHash });
    await until("it is confirmed", async () => (await stateOf(api, trade.jobId)) === "confirmed");
  });

  it("a worker that is frozen in the midst of a round, and wakes when another has its task, writes nothing any more", async () => {
    const frozen = await gated("worker");
    await until("it has every task", isWorking(frozen));
    const api = await replicas.start("api");
    const trade = await prepared(api);

    // It looks for a transaction that is not there yet, and freezes with that answer in hand.
    let look = () => {};
    const asked = new Promise<void>((resolve) => {
      look = resolve;
    });
    let letGo = () => {};
    const held = new Promise<void>((resolve) => {
      letGo = resolve;
    });
    const unknown = `0x${"ab".repeat(32)}`;
    frozen.gate.before = (method, params) => {
      if (method !== "eth_getTransactionReceipt" && method !== "eth_getTransactionByHash") return undefined;
      if (params[0] !== unknown) return undefined;
      look();
      return held;
    };
    await replicas.call(api, `/v1/jobs/${trade.jobId}/submissions`, { transactionHash: unknown });
    await asked;
    frozen.program.kill("SIGSTOP");

    const awake = await replicas.start("worker");
    await until("the other worker has every task", isWorking(awake));
    const moved = await leases(replicas.db);
    // What the frozen one is about to write would be seen: the other's state of it.
    const ofUnknown = { transaction_hash: unknown };
    const execution = () => rowOf(replicas.db, "executions", ofUnknown);
    const theOthers = { state: "confirmed", reason: "the other's", next_look_at: null } as const;
    await changeRows(replicas.db, "executions", theOthers, ofUnknown);
    const written = await execution();
    letGo();
    frozen.program.kill("SIGCONT");
    await until("it knows that it lost its tasks", () =>
      TASKS.every((task) =>
        frozen.program.output().includes(`"task":"${task}","msg":"another process does this task now"`),
      ),
    );
    await until("it has ended its round", () => frozen.program.output().includes("lease_lost"));
    expect(await execution()).to.deep.equal(written);
    expect(await leases(replicas.db)).to.deep.equal(moved);
    // It is the next one, and good for it.
    awake.program.kill("SIGKILL");
    await until("it has every task again", isWorking(frozen));
    expect((await prepared(api)).execution).to.not.equal(null);
  });
});
