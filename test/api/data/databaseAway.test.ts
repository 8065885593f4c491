import { expect } from "chai";
import { DatabaseUnavailable } from "../../../database/errors.ts";
import { openDatabase } from "../../../database/open.ts";
import { inAll } from "../../support/all.ts";
import { recordHours } from "../../support/dataApi.ts";
import { memoryDatabase } from "../../support/database.ts";
import { expectProblem, startTestApp, type TestApp } from "../../support/http.ts";
import { validateAnswer } from "../../support/openapi.ts";
import { postgresServer } from "../../support/postgres.ts";
import { watching } from "../../support/watching.ts";

const START = Date.UTC(2025, 10, 14, 15, 20);

describe("the data API while its database is away", () => {
  const histories = ["/api/premium/history?symbol=AAPLx", "/api/basis/history?underlying=AAPL"];
  const publicPaths = ["/api/market-overview", ...histories];
  const keyPaths = ["/api/v1/assets", "/api/v1/liquidity-scores", "/api/v1/premium-history?symbol=AAPLx"];

  const logPaths = ["/log/checkpoint", "/log/tile/0/000", `/log/find?evidenceHash=0x${"0".repeat(64)}`];

  async function expectAway(app: TestApp): Promise<void> {
    for (const path of [...keyPaths, ...logPaths]) {
      const { status, body, headers } = await app.call(path);
      expect([status, body.code], path).to.deep.equal([503, "unavailable"]);
      expect(headers.get("retry-after")).to.equal("5");
      validateAnswer(app.openapi, "GET", path, status, body);
    }
    for (const path of publicPaths) {
      const { status, body, headers } = await app.call(path, { key: null });
      expect(status, path).to.equal(200);
      expect(headers.get("cache-control")).to.equal("no-store");
      expect(body.points ?? body.series).to.deep.equal([]);
      if ("series" in body) expect(body.live).to.equal(null);
      validateAnswer(app.openapi, "GET", path, status, body);
    }
    const [overview, premium, basis] = await Promise.all(
      publicPaths.map(async (path) => (await app.call(path, { key: null })).body),
    );
    expect([overview.days, premium.days]).to.deep.equal([90, 7]);
    expect([premium.symbol, basis.underlying]).to.deep.equal(["AAPLx", "AAPL"]);
  }

  async function expectThere(app: TestApp): Promise<void> {
    for (const path of [...keyPaths, ...publicPaths]) expect((await app.call(path)).status).to.equal(200);
    expect((await app.call(publicPaths[1]!)).body.points).to.have.length(24);
    expect((await app.call(publicPaths[0]!)).body.live).to.include({ assetCount: 1 });
  }

  inAll(
    "the service says so or says less, and recovers without a restart, when PostgreSQL stops",
    async () => {
      const server = await postgresServer();
      await using db = openDatabase(await server.createDatabase());
      await recordHours(db, 24, START);
      let now = START;
      await using app = await startTestApp({ db, data: { now: () => now, monotonic: () => now } });
      const ready = async () => {
        const { status, body } = await app.call("/readyz");
        return [status, body.checks];
      };
      await expectThere(app);
      expect(await ready()).to.deep.equal([200, { database: "up", chain: "up" }]);
      await server.stop();
      try {
        // What was answered before may still be: answers live for 30 seconds.
        expect((await app.call(publicPaths[1]!, { key: null })).body.points).to.have.length(24);
        now += 30_000;
        await expectAway(app);
        await expectAway(app);
        const { text, headers } = expectProblem(await app.call("/v1/assets"), 503, "unavailable");
        expect(headers.get("retry-after")).to.equal("5");
        expect(text).to.not.contain("ECONN").and.to.not.contain("127.0.0.1");
        expect((await app.call("/healthz")).status).to.equal(200);
        expect(await ready()).to.deep.equal([503, { database: "down", chain: "up" }]);
      } finally {
        await server.start();
      }
      await expectThere(app);
      now += 1_000;
      expect(await ready()).to.deep.equal([200, { database: "up", chain: "up" }]);
    },
  );

  it("the data API says so or says less, and recovers, while the file of SQLite fails", async () => {
    await using db = await memoryDatabase();
    await recordHours(db, 24, START);
    let away = false;
    const failing = watching(() => {
      if (away) throw new DatabaseUnavailable(new Error("disk I/O error"));
    });
    let now = START;
    await using app = await startTestApp({ db, data: { db: db.withPlugin(failing), now: () => now } });
    await expectThere(app);
    away = true;
    now += 30_000;
    await expectAway(app);
    away = false;
    await expectThere(app);
  });

  it("the data API tells of any other fault as its own, also to the public", async () => {
    await using db = await memoryDatabase();
    const broken = watching(() => {
      throw new Error("a mistake of ours");
    });
    await using app = await startTestApp({ db, data: { db: db.withPlugin(broken) } });
    for (const path of publicPaths) expect((await app.call(path)).body.code).to.equal("internal");
  });
});
