/** The service through a real PgBouncer in transaction mode, where every transaction may have another connection. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { expect } from "chai";
import { sql } from "kysely";
import { createLimits } from "../../api/http/limits.ts";
import { fenced } from "../../database/fenced.ts";
import { LeaseLost, takeLease } from "../../database/lease.ts";
import { migrate } from "../../database/migrate.ts";
import { type Database, openDatabase, postgresPoolOf } from "../../database/open.ts";
import { addRows, countOf, rowsOf } from "../support/database.ts";
import { debianProgram } from "../support/debian.ts";
import { failureOf } from "../support/failure.ts";
import { expectStatus, json } from "../support/http.ts";
import { buyerOf, startPaidService, testPaidWorld } from "../support/payments.ts";
import { type Pooler, startPooler } from "../support/pooler.ts";
import { postgresServer } from "../support/postgres.ts";
import { carryOut, walletOf } from "../support/service.ts";
import { preparedTrade } from "../support/submitted.ts";
import { ofSuite } from "../support/suite.ts";

describe("through a pooler in transaction mode", () => {
  let pooler: Pooler;
  let serverPort: number;
  const open: Database[] = [];
  before(async function () {
    const program = debianProgram(this, "pgbouncer");
    const server = await postgresServer();
    serverPort = server.port;
    // Three for everybody: a client that relies on a session soon has another's.
    pooler = await startPooler(serverPort, { program, connections: 3 });
  });
  afterEach(async () => {
    for (const db of open.splice(0)) await db.destroy();
  });
  after(() => pooler?.stop());

  /** @returns the same database through the pooler, and past it */
  async function urls(isEmpty = false): Promise<{ pooled: string; direct: string }> {
    const server = await postgresServer();
    const url = new URL(await (isEmpty ? server.createEmptyDatabase() : server.createDatabase()));
    const at = (port: number) => {
      url.port = String(port);
      return url.href;
    };
    return { pooled: at(pooler.port), direct: at(serverPort) };
  }
  const opened = (url: string, options = {}) => {
    const db = openDatabase(url, options);
    open.push(db);
    return db;
  };

  it("processes that start at once migrate once, wait for each other, and leave no lock", async () => {
    const { pooled, direct } = await urls(true);
    const db = opened(direct);
    // Longer than the pooler's own limit of a statement.
    const blocker = db.transaction().execute(async (trx) => {
      await sql`select pg_advisory_xact_lock(3853314791062309107)`.execute(trx);
      await sql`select pg_sleep(5)`.execute(trx);
    });
    const migrating = async () => {
      const child = spawn(process.execPath, ["test/support/migrate-once.ts", pooled], { stdio: "ignore" });
      return (await once(child, "exit"))[0];
    };
    const codes = await Promise.all([migrating(), migrating(), migrating()]);
    await blocker;
    expect(codes).to.deep.equal([0, 0, 0]);
    const { rows } = await sql`select 1 from pg_locks where locktype = 'advisory'`.execute(db);
    expect(rows).to.have.length(0);
    expect(await migrate(opened(pooled))).to.deep.equal([]);
  });

  it("a statement that runs away is ended, by the pooler's limits", async () => {
    const { pooled } = await urls();
    const db = opened(pooled, { patienceMs: 20_000 });
    const ended = await sql`select pg_sleep(15)`.execute(db).catch((error) => error);
    expect(ended).to.include({ code: "database_unavailable" });
    expect(ended.cause.message).to.contain("statement timeout");
  });

  it("limits count exactly over two processes", async () => {
    const { pooled } = await urls();
    const [one, two] = [opened(pooled), opened(pooled)];
    const limits = [one, two].map((db) => createLimits(postgresPoolOf(db)));
    // One after the other: a count that keeps a loaded machine waiting is made in memory instead.
    let taken = 0;
    for (let index = 0; index < 24; index++)
      if (!((await limits[index % 2]!.take("key:a", 20).catch((error) => error)) instanceof Error)) taken++;
    expect(taken).to.equal(20);
    const { rows } = await sql<{ points: number }>`select points from rate_limits`.execute(one);
    expect(rows.map(({ points }) => Number(points))).to.deep.equal([24]);
  });

  it("leases have one holder, and fence what another writes", async () => {
    const { pooled } = await urls();
    const processes = [opened(pooled), opened(pooled), opened(pooled)];
    let now = Date.now();
    const take = async (index: number) => {
      const db = processes[index]!;
      const fence = await takeLease({ db, holder: `p${index}`, ttlMs: 1_000, now: () => now }, "work");
      return fence && { db: fenced(db, fence), index };
    };
    const taken = async (by: number[]) => (await Promise.all(by.map(take))).find((each) => each !== null)!;
    const first = await taken([0, 1, 2]);
    now += 1_000;
    const next = await taken([0, 1, 2].filter((each) => each !== first.index));
    const write = (db: Database, block: number) => addRows(db, "chain_cursors", { name: `c${block}`, block });
    await Promise.all(Array.from({ length: 30 }, (_, block) => write(next.db, block)));
    await failureOf(write(first.db, 99), LeaseLost);
    expect(await countOf(processes[0]!, "chain_cursors")).to.equal(30);
  });

  describe("a service", () => {
    const world = testPaidWorld();
    const service = ofSuite(async () => startPaidService(world, (await urls()).pooled));

    it("sells a report, once", async () => {
      const buyer = buyerOf(service);
      expectStatus(await buyer.pay("/a2mcp/verify", json(service.verifyBody())), 200);
      const rows = await rowsOf(service.server.db, "payments");
      expect(rows.map(({ state }) => state)).to.deep.equal(["settled"]);
    });

    it("certifies a trade by a signed checkpoint, and confirms it", async () => {
      await using free = await startPaidService(world, (await urls()).pooled, { PAYMENT_PHASE: "free" });
      const { jobId, execution } = await preparedTrade(free);
      const transactionHash = await carryOut(walletOf(world), execution);
      await free.post(`/v1/jobs/${jobId}/submissions`, { transactionHash });
      await free.jobWhen(jobId, (job) => job.executions[0]?.state === "confirmed");
    });
  });
});
