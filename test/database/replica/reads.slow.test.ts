/** The data API on a real streaming replica: what is read there, and that its faults reach nobody. */
import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "chai";
import { sql } from "kysely";
import { expositionOf } from "../../../api/metrics/instruments.ts";
import { replicaFamilies } from "../../../api/status/engines.ts";
import { isDatabaseUnavailable } from "../../../database/databaseErrors.ts";
import { migrate } from "../../../database/migrate.ts";
import { type Database, openDatabase } from "../../../database/open.ts";
import { openReads, type Reads, type ReplicaState } from "../../../database/replica/reads.ts";
import { recordPremiums } from "../../../market/series/premium.ts";
import { recordImpactSamples } from "../../../market/series/samples.ts";
import { startApi } from "../../support/apiProcess.ts";
import { failureOf } from "../../support/failure.ts";
import { APPLICANT, REGISTRY, startTestApp, type TestApp } from "../../support/http.ts";
import { validateAnswer } from "../../support/openapi.ts";
import { freePort } from "../../support/ports.ts";
import { startReplicated } from "../../support/replica.ts";
import { impactSample, premiumSample } from "../../support/samples.ts";
import { type ThroughProxy, throughProxy } from "../../support/silentProxy.ts";
import { ofSuite } from "../../support/suite.ts";

/** What an answer may take while the replica fails, with room for a machine that is busy. */
const WITHIN_MS = 3_000;
const MAX_LAG_MS = 2_000;
/** How long new answers are asked for while a server fails; those under way at the end are waited for. */
const FAULT_MS = 2_500;
const ASSET = REGISTRY.assets[0]!.assetKey;

describe("reads on a replica", () => {
  const servers = ofSuite(startReplicated);
  let db: Database;
  let proxy: ThroughProxy;
  let reads: Reads;
  let app: TestApp;
  const lines: { level: string; state: string }[] = [];
  const log = {
    warn: ({ state }: any) => void lines.push({ level: "warn", state }),
    info: ({ state }: any) => void lines.push({ level: "info", state }),
  };
  const open = (url: string, maxLagMs = MAX_LAG_MS, primary = db) =>
    openReads({ primary, url, maxLagMs, monotonic: () => performance.now(), log });

  beforeEach(async () => {
    lines.length = 0;
    const urls = await servers.createDatabase();
    db = openDatabase(urls.url, { patienceMs: 4_000 });
    await migrate(db);
    await servers.caughtUp();
    proxy = await throughProxy(urls.readUrl);
    reads = await open(proxy.url);
    const settings = { keyLimitPerMinute: 1e6, addressLimitPerMinute: 1e6 };
    const limits = { counts: "local", reason: "OOM" } as const;
    const engines = () => ({ readReplica: reads.status(), limits });
    app = await startTestApp({ db, settings, data: { read: reads.run }, engines });
  });
  afterEach(async () => {
    await app.stop();
    await reads.close();
    await proxy.close();
    await db.destroy();
  });

  const stateOf = (each: Reads = reads) => each.status()?.state;
  const until = async (wanted: ReplicaState, each: Reads = reads) => {
    for (let tries = 0; stateOf(each) !== wanted; tries++) {
      if (tries > 600) throw new Error(`the replica did not become ${wanted}: ${stateOf(each)}`);
      await sleep(50);
    }
  };
  const port = async (from: Database) => {
    const { rows } = await sql<{ port: string }>`select current_setting('port') as port`.execute(from);
    return Number(rows[0]?.port);
  };
  const readFrom = (each: Reads = reads) => each.run(port);
  /** While the replica receives what is written, and does not apply it. */
  const whilePaused = async (work: () => Promise<void>) => {
    await servers.replica.ask("select pg_wal_replay_pause()");
    await work().finally(() => servers.replica.ask("select pg_wal_replay_resume()"));
  };
  let asked = 0;
  /** Data answers that no cache has, for so long. @returns the slowest, milliseconds */
  const answersFor = async (ms: number) => {
    let slowest = 0;
    const { address } = REGISTRY.assets[0]!;
    for (const end = performance.now() + ms; performance.now() < end; ) {
      const other = `symbol=X${asked++}&address=${address}`;
      const paths = [
        `/api/premium/history?${other}`,
        `/api/v1/premium-history?${other}`,
        `/api/v1/assets?address=${address}`,
        `/api/market-overview?days=${1 + (asked % 365)}`,
      ];
      const ask = async (path: string) => {
        const started = performance.now();
        const answer = await app.call(path);
        expect(answer.status, path).to.equal(200);
        // What is not kept lacks what the database would have told.
        expect(answer.headers.get("cache-control"), path).to.not.equal("no-store");
        slowest = Math.max(slowest, performance.now() - started);
      };
      await Promise.all(paths.map(ask));
      await sleep(50);
    }
    return slowest;
  };

  it("reads on a replica are those of the data API, and all else is read and written on the primary", async () => {
    expect(stateOf()).to.equal("used");
    expect(await readFrom()).to.equal(servers.replica.port);
    const now = Math.floor(Date.now() / 1_000);
    const at = (hours: number) => impactSample(ASSET, now - hours * 3_600, "4", { impact10kBps: "40" });
    await recordImpactSamples(db, [1, 2, 3].map(at));
    await servers.caughtUp();
    const before = reads.status()!.reads.replica;
    // The score is not kept yet. It is computed on the replica, and not written there.
    const scores = await app.call("/api/v1/liquidity-scores");
    expect(scores.body.scores).to.have.length(1);
    expect(scores.body.scores[0]).to.include({ grade: "A", sample_n: 3 });
    const status = reads.status()!;
    expect(status.reads.replica).to.equal(before + 1);
    expect(status.reads.failedOver).to.equal(0);
    expect(status.lagMs).to.be.within(0, MAX_LAG_MS);
    const text = await expositionOf(replicaFamilies(status));
    expect(text).to.match(/^assay_read_replica_used 1$/m);
    expect(text).to.match(/^assay_data_reads\{server="replica"\} \d+$/m);
    // A key that was made this moment opens at once: it is looked for on the primary.
    await whilePaused(async () => {
      const { key } = await app.keys.create(APPLICANT, "test");
      expect((await app.call("/v1/policies", { key })).status).to.equal(200);
    });
  });

  it("reads on a replica that is idle for longer than the bound stay there, since it lags behind nothing", async () => {
    await sleep(2 * MAX_LAG_MS);
    expect(stateOf()).to.equal("used");
    expect(await readFrom()).to.equal(servers.replica.port);
    expect(lines).to.deep.equal([{ level: "info", state: "used" }]);
  });

  it("reads on a replica that lags are the primary's, so that no answer is older than the bound", async () => {
    await whilePaused(async () => {
      const hour = Math.floor(Date.now() / 3_600_000) * 3_600;
      const premium = (sampledAt: number) => premiumSample(ASSET, sampledAt);
      await recordPremiums(db, [premium(hour - 60)], hour);
      const written = performance.now();
      const pointsNow = () =>
        app.call(`/api/v1/premium-history?symbol=OTHER&address=${REGISTRY.assets[0]!.address}`);
      // By another symbol it is never kept: each answer is read anew.
      for (;;) {
        const { body } = await pointsNow();
        if (body.points.length > 0) break;
        expect(performance.now() - written).to.be.below(MAX_LAG_MS + 1_000);
        await sleep(50);
      }
      expect(stateOf()).to.equal("lagging");
      expect(reads.status()!.lagMs).to.be.above(MAX_LAG_MS);
      for (let n = 0; n < 20; n++) expect((await pointsNow()).body.points).to.have.length(1);
    });
    await until("used");
    expect(await readFrom()).to.equal(servers.replica.port);
    expect(lines.map(({ state }) => state)).to.deep.equal(["used", "lagging", "used"]);
  });

  it("reads on a replica that lags are not taken for the last resort while the primary is only crowded", async () => {
    let isCrowded = true;
    // Every connection that requests share is busy, for longer than one waits to be given one.
    const crowd = Array.from({ length: 10 }, () =>
      db.transaction().execute(async (trx) => {
        while (isCrowded) await sql`select pg_sleep(0.5)`.execute(trx);
      }),
    );
    await whilePaused(async () => {
      await servers.primary.ask("create table if not exists written (id integer)");
      await until("lagging");
      const seen = new Set<unknown>();
      for (const end = performance.now() + 6_000; performance.now() < end; await sleep(100))
        seen.add(stateOf());
      expect([...seen]).to.deep.equal(["lagging"]);
    }).finally(async () => {
      isCrowded = false;
      await Promise.all(crowd);
    });
  });

  it("reads on a replica that is killed are answered by the primary without an error, and by the replica when it is back", async () => {
    const answers = answersFor(FAULT_MS);
    await sleep(500);
    await servers.replica.kill();
    try {
      expect(await answers).to.be.below(WITHIN_MS);
      expect(stateOf()).to.equal("away");
      expect(await readFrom()).to.equal(servers.primary.port);
    } finally {
      await servers.replica.start();
    }
    await until("used");
    expect(await readFrom()).to.equal(servers.replica.port);
  });

  it("reads on a replica that is frozen wait for it once and no longer than half a second", async () => {
    const sleeping = () => reads.run((from) => sql`select pg_sleep(0.1)`.execute(from));
    await Promise.all(Array.from({ length: 10 }, sleeping));
    servers.replica.freeze();
    try {
      expect(await answersFor(FAULT_MS)).to.be.below(WITHIN_MS);
      expect(stateOf()).to.equal("away");
    } finally {
      servers.replica.thaw();
    }
    await until("used");
    expect(await answersFor(500)).to.be.below(WITHIN_MS);
  });

  it("reads on a replica behind a network that swallows packets go on, and over a new connection when it is back", async () => {
    proxy.silence();
    expect(await answersFor(FAULT_MS)).to.be.below(WITHIN_MS);
    expect(stateOf()).to.equal("away");
    proxy.recover();
    await until("used");
  });

  it("reads on a replica go on while the primary is away, and say so; what must be the primary's is refused", async () => {
    const other = await servers.createDatabase();
    await using through = await throughProxy(other.url);
    await using own = openDatabase(through.url, { patienceMs: 1_000 });
    await migrate(own);
    await servers.caughtUp();
    const other_ = await open(other.readUrl, MAX_LAG_MS, own);
    try {
      await until("used", other_);
      through.silence();
      await until("primary_away", other_);
      await sleep(2 * MAX_LAG_MS);
      expect(await readFrom(other_)).to.equal(servers.replica.port);
      expect(other_.status()!.lagMs).to.be.above(MAX_LAG_MS);
      const refused = await sql`select 1`.execute(own).catch((error) => error);
      expect(isDatabaseUnavailable(refused)).to.equal(true);
      through.recover();
      await until("used", other_);
    } finally {
      await other_.close();
    }
  });

  it("reads on a replica are refused where the URL is that of the primary, of another database or of another cluster", async () => {
    const { rows } = await sql<{ name: string }>`select current_database() as name`.execute(db);
    const own = `postgres://postgres:password@127.0.0.1:${servers.primary.port}/${rows[0]!.name}`;
    const another = await servers.createDatabase();
    for (const [url, state] of [
      [own, "not_a_replica"],
      [another.readUrl, "other_history"],
      ["postgres://reader:password@127.0.0.1:1/x", "away"],
    ] as const) {
      const wrong = await open(url);
      expect(stateOf(wrong)).to.equal(state);
      expect(await readFrom(wrong)).to.equal(servers.primary.port);
      await wrong.close();
    }
  });

  it("reads on a replica whose tables are older than the program are the primary's", async () => {
    await whilePaused(async () => {
      await sql`create table newer (id integer)`.execute(db);
      await reads.run((from) => sql`select * from newer`.execute(from));
      expect(reads.status()!.reads.failedOver).to.equal(1);
      // The replica did what it could.
      expect(stateOf()).to.equal("used");
      const wrong = await failureOf(reads.run((from) => sql`select * from nowhere`.execute(from)));
      expect(wrong.code).to.equal("42P01");
    });
  });

  it("reads on a replica are the primary's after a promotion until the replica is known to follow the new timeline", async () => {
    expect(await readFrom()).to.equal(servers.replica.port);
    await servers.beginTimeline();
    await until("other_history");
    expect(await readFrom()).to.equal(servers.primary.port);
    // A role that may not see what is received learns it from the replica's next checkpoint.
    for (let tries = 0; stateOf() !== "used"; tries++) {
      if (tries > 100) throw new Error("the replica did not follow");
      for (const server of [servers.primary, servers.replica]) await server.ask("checkpoint");
      await sleep(200);
    }
    expect(await readFrom()).to.equal(servers.replica.port);
  });

  it("reads on a replica are shown by /readyz?verbose, by the metrics and in the log, without an address", async () => {
    await app.call("/api/market-overview");
    const ready = await app.call("/readyz?verbose");
    expect(ready.status).to.equal(200);
    validateAnswer(app.openapi, "GET", "/readyz", 200, ready.body);
    expect(ready.body.engines.limits).to.deep.equal({ counts: "local", reason: "OOM" });
    expect(ready.body.engines.readReplica.state).to.equal("used");
    expect(ready.body.engines.readReplica.reads).to.deep.equal({ replica: 1, primary: 0, failedOver: 0 });
    expect((await app.call("/readyz")).body).to.not.have.property("engines");

    const urls = await servers.createDatabase();
    const metricsPort = await freePort();
    const env = { DATABASE_URL: urls.url, DATABASE_READ_URL: urls.readUrl };
    await using api = await startApi("pipe", { ...env, METRICS_PORT: String(metricsPort) });
    let output = "";
    api.child.stdout?.on("data", (chunk) => (output += chunk));
    const metrics = async () => (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text();
    // Its tables come to the replica a moment after they were made.
    for (let tries = 0; !/^assay_read_replica_used 1$/m.test(await metrics()); tries++) {
      if (tries > 200) throw new Error("the service does not read its replica");
      await sleep(50);
    }
    expect((await fetch(`${api.url}/api/market-overview`)).status).to.equal(200);
    const text = await metrics();
    expect(text).to.match(/^assay_data_reads\{server="replica"\} 1$/m);
    expect(text).to.match(/^assay_data_reads_failed_over 0$/m);
    expect(text).to.match(/^assay_read_replica_lag_seconds [0-9.]+$/m);
    expect(output).to.not.contain("reader:password");
  });

  it("reads on a replica end when it is promoted: it follows nobody any more", async () => {
    expect(await readFrom()).to.equal(servers.replica.port);
    await servers.replica.ask("select pg_promote()");
    await until("not_a_replica");
    expect(await readFrom()).to.equal(servers.primary.port);
    expect(await answersFor(300)).to.be.below(WITHIN_MS);
  });
});
