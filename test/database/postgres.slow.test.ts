import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "chai";
import { sql } from "kysely";
import { createLimits } from "../../api/http/limits.ts";
import { DatabaseOverloaded, isDatabaseUnavailable } from "../../database/errors.ts";
import { type Database, openDatabase, postgresPoolOf } from "../../database/open.ts";
import { addRows, changeRows, rowsOf } from "../support/database.ts";
import { failureOf } from "../support/failure.ts";
import { APPLICANT, json, startTestApp, type TestApp } from "../support/http.ts";
import { postgresServer } from "../support/postgres.ts";
import { type ThroughProxy, throughProxy } from "../support/silentProxy.ts";

/** What the service promises, with the probe's own second. */
const BACK_WITHIN_MS = 10_000;
const PUBLIC_WITHIN_MS = 2_000;
const PATIENCE_MS = 3_000;

const PUBLIC = ["/api/premium/history?symbol=AAPLx&days=", "/api/basis/history?underlying=AAPL&days="];
let asked = 0;

/** The slowest of a round over the public endpoints, each with parameters that no cache has seen. */
async function slowestPublic(app: TestApp): Promise<number> {
  const spans = await Promise.all(
    ["/api/market-overview?days=", ...PUBLIC].map(async (path) => {
      const started = performance.now();
      const answer = await app.call(`${path}${1 + (asked++ % 30)}`, { key: null });
      expect(answer.status, path).to.equal(200);
      if (path.startsWith("/api/market")) expect(answer.body).to.include({ live: null });
      return performance.now() - started;
    }),
  );
  return Math.max(...spans);
}

/** Milliseconds until /readyz says 200 and a key endpoint does its work again. */
async function untilBack(app: TestApp): Promise<number> {
  const started = performance.now();
  for (;;) {
    const [ready, assets] = await Promise.all([app.call("/readyz"), app.call("/v1/assets")]);
    const span = performance.now() - started;
    if (ready.status === 200 && assets.status === 200) return span;
    if (span > 4 * BACK_WITHIN_MS) expect.fail(`not back after ${span} ms`);
    await sleep(250);
  }
}

describe("a PostgreSQL that is silent", () => {
  let db: Database;
  let proxy: ThroughProxy;
  let app: TestApp;

  beforeEach(async () => {
    const direct = await (await postgresServer()).createDatabase();
    proxy = await throughProxy(direct);
    db = openDatabase(proxy.url, { patienceMs: PATIENCE_MS });
    app = await startTestApp({ db, limits: createLimits(postgresPoolOf(db)) });
    // A busy service: the pool is full of connections.
    await Promise.all(Array.from({ length: 10 }, () => sql`select pg_sleep(0.2)`.execute(db)));
  });
  afterEach(async () => {
    await app.stop();
    await proxy.close();
    await db.destroy();
  });

  it("delays no public answer, and a silent failover is over within 10 s", async () => {
    proxy.silence();
    const until = performance.now() + 4_500;
    const spans: number[] = [];
    while (performance.now() < until) {
      spans.push(await slowestPublic(app));
      await sleep(25);
    }
    expect(Math.max(...spans)).to.be.lessThan(PUBLIC_WITHIN_MS);
    const ready = await app.call("/readyz");
    expect([ready.status, ready.body.checks.database]).to.deep.equal([503, "down"]);
    expect((await app.call("/v1/assets")).status).to.equal(503);
    expect((await app.call("/api/v1/keys", json(APPLICANT))).status).to.equal(503);
    expect(app.log.join(""))
      .to.include("a dependency is unavailable")
      .and.include("the database is unavailable");
    proxy.recover();
    expect(await untilBack(app)).to.be.lessThan(BACK_WITHIN_MS);
  });

  it("a PostgreSQL that is silent fails a statement within 5 s, and the connection is destroyed", async () => {
    // As the service opens it.
    await using impatient = openDatabase(proxy.url, { patienceMs: 4_000 });
    await sql`select 1`.execute(impatient);
    const pool = postgresPoolOf(impatient)!;
    const closed = once(pool, "remove");
    proxy.silence();
    const started = performance.now();
    expect(isDatabaseUnavailable(await failureOf(sql`select 1`.execute(impatient)))).to.equal(true);
    expect(performance.now() - started).to.be.within(3_500, 5_000);
    await closed;
    expect(pool.totalCount).to.equal(0);
    proxy.recover();
    await sql`select 1`.execute(impatient);
  });

  it("ends a transaction at once when it fell silent in the middle of it", async () => {
    const started = performance.now();
    const cut = db.transaction().execute(async (transaction) => {
      await sql`select 1`.execute(transaction);
      proxy.silence();
      await sql`select 1`.execute(transaction);
    });
    expect(isDatabaseUnavailable(await failureOf(cut))).to.equal(true);
    expect(performance.now() - started).to.be.lessThan(PATIENCE_MS + 2_000);
    proxy.recover();
  });

  it("delays no public answer while its backends are frozen, and is back within 10 s", async () => {
    const { rows } = await sql<{ pid: number }>`select pid from pg_stat_activity
      where datname = current_database()`.execute(db);
    expect(rows.length).to.be.greaterThan(5);
    for (const { pid } of rows) process.kill(pid, "SIGSTOP");
    try {
      const started = performance.now();
      expect(await slowestPublic(app)).to.be.lessThan(PUBLIC_WITHIN_MS);
      // The server takes connections all the while.
      await untilBack(app);
      expect(performance.now() - started).to.be.lessThan(BACK_WITHIN_MS);
    } finally {
      for (const { pid } of rows) process.kill(pid, "SIGCONT");
    }
  });

  it("says that it is overloaded where others get through meanwhile, and unavailable where nobody does", async () => {
    await using busy = openDatabase(await (await postgresServer()).createDatabase(), { patienceMs: 30_000 });
    const slow = (seconds: number) =>
      sql`select pg_sleep(${seconds})`.execute(busy).then(
        () => null,
        (error: unknown) => error,
      );
    // Ten at a time, for three seconds.
    const all = await Promise.all(Array.from({ length: 60 }, () => slow(1)));
    const failed = all.filter((error) => error !== null);
    expect(failed.length).to.be.within(10, 40);
    for (const error of failed) expect(error).to.be.instanceOf(DatabaseOverloaded);
    const [waiting] = await Promise.all([
      sleep(500).then(() => slow(0)),
      ...Array.from({ length: 10 }, () => slow(5)),
    ]);
    expect(isDatabaseUnavailable(waiting)).to.equal(true);
    expect(waiting).to.not.be.instanceOf(DatabaseOverloaded);
  });

  it("leaves the work of a patient program alone", async () => {
    await using through = await throughProxy(await (await postgresServer()).createDatabase());
    await using patient = openDatabase(through.url, { patienceMs: 60_000 });
    await sql`select pg_sleep(${(PATIENCE_MS + 1_000) / 1_000})`.execute(patient);
  });
});

describe("a PostgreSQL that takes no writes", () => {
  it("a PostgreSQL that takes no writes is unavailable to them, as a standby is, and goes on reading", async () => {
    await using db = openDatabase(await (await postgresServer()).createDatabase());
    await db.connection().execute(async (connection) => {
      await sql`set default_transaction_read_only = on`.execute(connection);
      expect((await connection.selectFrom("api_keys").selectAll().execute()).length).to.equal(0);
      const write = connection.insertInto("owner_nonces").values({ owner: "0x", next: 1 }).execute();
      expect(isDatabaseUnavailable(await failureOf(write))).to.equal(true);
    });
  });
});

describe("a PostgreSQL", () => {
  const rowOf = (owner: string) => ({ owner, next: 0 });

  it("is unavailable to one of two transactions that wait for each other, which is undone", async () => {
    await using db = openDatabase(await (await postgresServer()).createDatabase());
    await addRows(db, "owner_nonces", rowOf("a"), rowOf("b"));
    let holding = 0;
    const both = Promise.withResolvers<void>();
    const bothHold = () => {
      if (++holding === 2) both.resolve();
      return both.promise;
    };
    const set = (next: number, [first, second]: readonly [string, string]) =>
      db.transaction().execute(async (transaction) => {
        await changeRows(transaction, "owner_nonces", { next }, { owner: first });
        await bothHold();
        await changeRows(transaction, "owner_nonces", { next }, { owner: second });
      });
    const outcomes = await Promise.allSettled([set(1, ["a", "b"]), set(2, ["b", "a"])]);
    const failed = outcomes.flatMap((outcome) => (outcome.status === "rejected" ? [outcome.reason] : []));
    expect(failed.map(isDatabaseUnavailable)).to.deep.equal([true]);
    const winner = outcomes[0].status === "fulfilled" ? 1 : 2;
    expect((await rowsOf(db, "owner_nonces")).map(({ next }) => next)).to.deep.equal([winner, winner]);
  });

  it("is unavailable while its server is away, and goes on when it is back", async () => {
    const server = await postgresServer();
    await using db = openDatabase(await server.createDatabase());
    await addRows(db, "owner_nonces", rowOf("a"));
    const inTransaction = db.transaction().execute(async (transaction) => {
      await rowsOf(transaction, "owner_nonces");
      await server.stop();
      await rowsOf(transaction, "owner_nonces");
    });
    try {
      expect(isDatabaseUnavailable(await failureOf(inTransaction))).to.equal(true);
      expect(isDatabaseUnavailable(await failureOf(rowsOf(db, "owner_nonces")))).to.equal(true);
    } finally {
      await server.start();
    }
    expect(await rowsOf(db, "owner_nonces")).to.have.length(1);
  });
});
