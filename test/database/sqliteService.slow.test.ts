/** What the service does while something happens to its SQLite file: no room, a lock of another process, the file gone, a read-only disk. */
import { type ChildProcess, spawnSync } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdtempSync, readdirSync, renameSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "chai";
import { isDatabaseUnavailable } from "../../database/errors.ts";
import { migrate } from "../../database/migrate.ts";
import { type Database, openDatabase } from "../../database/open.ts";
import { probeWriting } from "../../database/probe.ts";
import { addRows, countOf, rowsOf } from "../support/database.ts";
import { failureOf } from "../support/failure.ts";
import { answerOf, json, startTestApp, type TestApp } from "../support/http.ts";
import { startFunction } from "../support/programs.ts";
import { type ApiProcess, startApi } from "../support/serviceProcess.ts";
import { type SmallDisk, smallDiskFor } from "../support/smallDisk.ts";

const expectUnavailable = async (work: Promise<unknown>) =>
  expect(isDatabaseUnavailable(await failureOf(work))).to.equal(true);

const application = (n: number) =>
  json({ name: "n".repeat(90), email: `a${n}@example.org`, purpose: "p".repeat(900) });

/** What another process does: it holds the write lock of a file until a message releases it. */
async function holdLock(path: string): Promise<void> {
  const { default: BetterSqlite3 } = await import("better-sqlite3");
  const file = new BetterSqlite3(path);
  file.exec("begin immediate");
  process.on("message", () => {
    file.exec("commit");
    file.close();
    process.disconnect();
  });
  process.send!("held");
}

async function lockElsewhere(path: string): Promise<ChildProcess> {
  const holder = startFunction(import.meta.dirname, holdLock, path);
  await once(holder, "message");
  return holder;
}

describe("the service on a SQLite file", () => {
  let folder: string;
  let db: Database;
  let app: TestApp;

  async function open(at: string): Promise<void> {
    folder = at;
    // As the service opens it.
    db = openDatabase(`sqlite:${join(at, "assay.db")}`, { busyTimeoutMs: 1_500 });
    await migrate(db);
    const settings = { addressLimitPerMinute: 100_000, keyLimitPerMinute: 100_000 };
    app = await startTestApp({ db, settings });
  }
  const openTemporary = () => open(mkdtempSync(join(tmpdir(), "assay-sqlite-")));
  afterEach(async () => {
    await app?.stop();
    await db?.destroy();
    rmSync(folder, { recursive: true, force: true });
  });

  const readiness = async () => {
    // A probe counts for a second.
    await sleep(1_100);
    const { status, body } = await app.call("/readyz");
    return [status, body.checks.database];
  };

  it("the service on a full disk answers writes 503 with the reason in the log, goes on reading, and recovers by itself", async function () {
    using disk = smallDiskFor(this);
    try {
      await open(disk.folder);
      disk.fill();
      let answer = await app.call("/api/v1/keys", application(0));
      for (let n = 1; answer.status === 202 && n < 500; n++)
        answer = await app.call("/api/v1/keys", application(n));
      expect([answer.status, answer.body.code]).to.deep.equal([503, "unavailable"]);
      expect(app.log.join("")).to.include("SQLITE_FULL");
      expect(await readiness()).to.deep.equal([503, "down"]);
      expect((await app.call("/v1/assets")).status).to.equal(200);
      expect((await app.call("/api/market-overview")).body.live).to.not.equal(null);
      disk.free();
      expect(await readiness()).to.deep.equal([200, "up"]);
      expect((await app.call("/api/v1/keys", application(999))).status).to.equal(202);
    } finally {
      await app.stop();
      await db.destroy();
    }
  });

  it("the service answers all writes 503 within five seconds while the write lock is held elsewhere, and goes on when it is free", async () => {
    await openTemporary();
    using holder = await lockElsewhere(join(folder, "assay.db"));
    const started = performance.now();
    const others = Array.from({ length: 10 }, () => failureOf(probeWriting(db, 1)));
    const write = app.call("/api/v1/keys", application(1));
    await sleep(50);
    for (const path of ["/healthz", "/v1/assets", "/api/market-overview"]) {
      const asked = performance.now();
      expect((await app.call(path)).status).to.equal(200);
      expect(performance.now() - asked, path).to.be.lessThan(1_000);
    }
    const second = await write;
    expect([second.status, second.body.code]).to.deep.equal([503, "unavailable"]);
    expect(second.body.detail).to.include("another process has locked it");
    for (const failure of await Promise.all(others)) expect(isDatabaseUnavailable(failure)).to.equal(true);
    expect(performance.now() - started).to.be.within(1_000, 5_000);
    expect(app.log.join("")).to.include("SQLITE_BUSY");
    expect(await readiness()).to.deep.equal([503, "down"]);
    expect((await app.call("/readyz")).body.detail).to.include("another process has locked it");
    const waiting = app.call("/api/v1/keys", application(2));
    await sleep(300);
    holder.send("free");
    expect((await waiting).status).to.equal(202);
  });

  it("a SQLite file that was moved away acknowledges nothing, says so, and goes on when it is back", async () => {
    await openTemporary();
    const [here, there] = [join(folder, "assay.db"), join(folder, "elsewhere.db")];
    renameSync(here, there);
    expect((await app.call("/api/v1/keys", application(1))).status).to.equal(503);
    const row = { owner: "0x", next: 1 };
    await expectUnavailable(db.transaction().execute((trx) => addRows(trx, "owner_nonces", row)));
    expect(await readiness()).to.deep.equal([503, "down"]);
    const told = "the database file was moved, deleted or replaced while the service ran";
    expect((await app.call("/readyz")).body.detail).to.include(told);
    expect(app.log.join("")).to.include(told);
    for (const path of ["/v1/assets", "/api/market-overview"])
      expect((await app.call(path)).status, path).to.equal(200);
    renameSync(there, here);
    expect(await readiness()).to.deep.equal([200, "up"]);
    expect((await app.call("/api/v1/keys", application(2))).status).to.equal(202);
    expect(await rowsOf(db, "owner_nonces")).to.deep.equal([]);
  });

  it("a SQLite file is for its owner alone, with all files beside it, also one that was not", async () => {
    await openTemporary();
    await app.call("/api/v1/keys", application(1));
    const modes = () =>
      readdirSync(folder).map((name) => [name, (statSync(join(folder, name)).mode & 0o777).toString(8)]);
    const files = ["assay.db", "assay.db-shm", "assay.db-wal"];
    expect(modes().sort()).to.deep.equal(files.map((name) => [name, "600"]));
    for (const [name] of modes()) chmodSync(join(folder, name as string), 0o644);
    const again = openDatabase(`sqlite:${join(folder, "assay.db")}`);
    expect(modes().map(([, mode]) => mode)).to.deep.equal(["600", "600", "600"]);
    await again.destroy();
  });
});

describe("a server that was killed and starts again on a disk that is mounted read-only by now", () => {
  let disk: SmallDisk;
  let api: ApiProcess;
  let log = "";
  const ask = (path: string, init: RequestInit = {}) => fetch(`${api.url}${path}`, init).then(answerOf);
  const apply = () => ask("/api/v1/keys", application(1));
  const database = async () => (await ask("/readyz")).body.checks.database;

  before(async function () {
    disk = smallDiskFor(this, 8);
    const env = { DATABASE_URL: `sqlite:${join(disk.folder, "assay.db")}` };
    api = await startApi("pipe", env);
    expect((await apply()).status).to.equal(202);
    await api.remove();
    disk.remount("ro");
    api = await startApi("pipe", env);
    api.child.stdout?.on("data", (chunk) => (log += chunk));
  });
  after(async () => {
    await api?.remove();
    disk?.remove();
  });

  it("a server on a disk that became read-only goes on reading, and answers writes 503 with the reason in the log", async () => {
    const { status, body } = await apply();
    expect([status, body.code]).to.deep.equal([503, "unavailable"]);
    expect(log).to.include("SQLITE_READONLY");
    expect(await database()).to.equal("down");
    for (const path of ["/api/premium/history?symbol=AAPLx", "/api/basis/history?underlying=AAPL"])
      expect((await ask(path)).status, path).to.equal(200);
    expect((await ask("/api/market-overview")).body.live).to.not.equal(null);
  });

  it("a server on a disk that became read-only writes again once the mount accepts writes, without another start", async () => {
    disk.remount("rw");
    const from = performance.now();
    while ((await database()) !== "up" && performance.now() - from < 10_000) await sleep(100);
    expect(await database()).to.equal("up");
    expect((await apply()).status).to.equal(202);
    const db = openDatabase(`sqlite:${join(disk.folder, "assay.db")}`);
    expect(await countOf(db, "api_keys")).to.equal(2);
    await db.destroy();
  });

  it("a server that had ended cleanly says why it does not start on a read-only disk, where SQLite has nothing that it could read", async () => {
    expect(await api.end(15_000)).to.deep.equal([0, null]);
    disk.remount("ro");
    const env = {
      PATH: process.env.PATH,
      PORT: "0",
      DATABASE_URL: `sqlite:${join(disk.folder, "assay.db")}`,
    };
    const options = { cwd: new URL("../..", import.meta.url), env, encoding: "utf8" } as const;
    const { status, stderr } = spawnSync(process.execPath, ["api/server.ts"], options);
    const said = "the database is unavailable: unable to open database file\n";
    expect([status, stderr]).to.deep.equal([1, said]);
  });
});
