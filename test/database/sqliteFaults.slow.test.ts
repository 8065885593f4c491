/** What happens to a file: a disk without room, a lock of another process, a file that goes away. */
import { type ChildProcess, fork, spawnSync } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  copyFileSync,
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import BetterSqlite3 from "better-sqlite3";
import { expect } from "chai";
import { toProblem } from "../../api/http/problems.ts";
import { createLogger } from "../../api/metrics/logger.ts";
import { startServer } from "../../api/server.ts";
import { parseConfig } from "../../api/settings/config.ts";
import { isDatabaseUnavailable } from "../../database/errors.ts";
import { migrate } from "../../database/migrate.ts";
import { type Database, openDatabase } from "../../database/open.ts";
import { probeWriting } from "../../database/probe.ts";
import { type ApiProcess, startApi } from "../support/apiProcess.ts";
import { addRows, countOf, rowsOf } from "../support/database.ts";
import { failureOf } from "../support/failure.ts";
import { answerOf, json, startTestApp, type TestApp } from "../support/http.ts";
import { NO_MOUNT, type SmallDisk, smallDisk, smallDiskFor } from "../support/smallDisk.ts";
import { folderOfTest } from "../support/suite.ts";

const expectUnavailable = async (work: Promise<unknown>) =>
  expect(isDatabaseUnavailable(await failureOf(work))).to.equal(true);

const application = (n: number) =>
  json({ name: "n".repeat(90), email: `a${n}@example.org`, purpose: "p".repeat(900) });

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

  it("on a full disk answers writes 503 with the reason in the log, goes on reading, and recovers by itself", async function () {
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

  it("with the write lock held elsewhere answers all writes 503 within five seconds, and goes on when it is free", async () => {
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

  it("that was moved away acknowledges nothing, says so, and goes on when it is back", async () => {
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

  it("the service on a SQLite file is for its owner alone, with all files beside it, also one that was not", async () => {
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

/** What is done to the files; `older` is a copy of the log as it was some rows ago. */
const CHANGES: readonly {
  readonly what: string;
  /** Whether what is left is damaged, and not read either. */
  readonly isCut: boolean;
  readonly make: (path: string, older: string) => void;
}[] = [
  { what: "-wal was deleted", isCut: false, make: (path) => rmSync(`${path}-wal`) },
  { what: "-wal was replaced", isCut: false, make: (path, older) => renameSync(older, `${path}-wal`) },
  { what: "-shm was deleted", isCut: false, make: (path) => rmSync(`${path}-shm`) },
  { what: "the file itself was deleted", isCut: false, make: (path) => rmSync(path) },
  { what: "the file itself was replaced", isCut: false, make: (path, older) => renameSync(older, path) },
  { what: "-wal was cut off", isCut: true, make: (path) => truncateSync(`${path}-wal`) },
  { what: "-wal lost its end", isCut: true, make: (path, older) => copyFileSync(older, `${path}-wal`) },
  { what: "the file itself was cut off", isCut: true, make: (path) => truncateSync(path) },
];

describe("a SQLite file of which, while it was open,", () => {
  const folder = folderOfTest("sqlite");
  const path = join(folder, "data", "assay.db");
  let db: Database;
  beforeEach(async () => {
    db = openDatabase(path);
    await migrate(db);
  });
  afterEach(() => db.destroy());
  const insert = (to: Database, name: string) => addRows(to, "chain_cursors", { name, block: 1 });
  async function found(there = join(folder, "data")): Promise<string[]> {
    await using again = openDatabase(join(there, "assay.db"));
    return (await rowsOf(again, "chain_cursors")).map(({ name }) => name).sort();
  }
  const older = () => join(folder, "older");
  async function fill() {
    await insert(db, "one");
    copyFileSync(`${path}-wal`, older());
    await insert(db, "two");
  }
  const refusal = async (write: Promise<unknown>) => {
    const failure = await failureOf(write);
    expect(isDatabaseUnavailable(failure)).to.equal(true);
    expect(toProblem(failure).message).to.match(/(cut off|moved, deleted or replaced) while the service ran/);
  };

  for (const { what, isCut, make } of CHANGES) {
    it(`${what} acknowledges nothing from then on, and says so`, async () => {
      await fill();
      make(path, older());
      await refusal(insert(db, "three"));
      await refusal(db.transaction().execute((trx) => insert(trx, "four")));
      await refusal(probeWriting(db, 1));
      if (isCut) await refusal(rowsOf(db, "chain_cursors"));
      else expect(await rowsOf(db, "chain_cursors")).to.have.length(2);
    });

    it(`${what} during a transaction does not acknowledge it`, async () => {
      await fill();
      const transaction = db.transaction().execute(async (trx) => {
        await insert(trx, "three");
        make(path, older());
      });
      await refusal(transaction);
      await refusal(probeWriting(db, 1));
    });
  }

  for (const { what, make } of CHANGES.filter(({ what }) => /^-wal was (del|rep)|^-shm/.test(what)))
    it(`${what} has every row that was acknowledged once it is closed`, async () => {
      await fill();
      make(path, older());
      await refusal(insert(db, "three"));
      await db.destroy();
      expect(await found()).to.deep.equal(["one", "two"]);
    });

  it("-wal lost its end is left as it is when it is closed, since what is left would be mixed with it", async () => {
    await fill();
    copyFileSync(older(), `${path}-wal`);
    await refusal(insert(db, "three"));
    const before = readFileSync(path);
    await db.destroy();
    expect(readFileSync(path).equals(before)).to.equal(true);
  });

  it("the files were copied, read, written, vacuumed and checkpointed by others still takes writes", async () => {
    const other = (sql: string) => {
      const script = `const d = new (require("better-sqlite3"))(${JSON.stringify(path)}); d.exec(${JSON.stringify(sql)}); d.close();`;
      expect(spawnSync(process.execPath, ["-e", script], { encoding: "utf8" }).stderr).to.equal("");
    };
    for (let n = 0; n < 3_000; n++) await insert(db, `row ${n}`);
    await db.deleteFrom("chain_cursors").where("name", "!=", "row 1").execute();
    const before = statSync(path).size;
    for (const sql of [
      "insert into chain_cursors values ('theirs', 1)",
      "vacuum",
      "pragma wal_checkpoint(truncate)",
      "insert into chain_cursors values ('theirs too', 1)",
      "pragma wal_checkpoint(restart)",
      "select 1",
    ]) {
      other(sql);
      await insert(db, sql);
    }
    expect(statSync(path).size).to.be.lessThan(before);
    const beside = openDatabase(path);
    await insert(beside, "beside");
    await beside.destroy();
    expect(existsSync(`${path}-wal`)).to.equal(true);
    await insert(db, "last");
    const killed = join(folder, "killed");
    cpSync(join(folder, "data"), killed, { recursive: true });
    expect(await found(killed)).to.include.members(["row 1", "theirs", "theirs too", "beside", "last"]);
  });
});

describe("a SQLite file that is damaged when the service starts", () => {
  const start = (path: string) => {
    const config = parseConfig({ DATABASE_URL: `sqlite:${path}`, PORT: "0" });
    return startServer(config, { logger: createLogger({ level: "silent" }) });
  };
  const DAMAGES: Record<string, (path: string) => void> = {
    "is no database": (path) => writeFileSync(path, "x".repeat(100_000)),
    "lost its end": (path) => truncateSync(path, 40_960),
    "is cut off within a page": (path) => truncateSync(path, statSync(path).size - 1_000),
    "lost its end beside a WAL": (path) => {
      renameSync(`${path}-killed`, path);
      renameSync(`${path}-wal-killed`, `${path}-wal`);
      truncateSync(path, 40_960);
    },
    "has zeros in its midst": (path) => {
      const bytes = readFileSync(path);
      writeFileSync(path, bytes.fill(0, bytes.length / 2, bytes.length / 2 + 8_192));
    },
    "was cut off to nothing beside a WAL": (path) => {
      writeFileSync(path, "");
      writeFileSync(`${path}-wal`, "rows");
    },
  };

  const folder = folderOfTest("corrupt");
  for (const [what, damage] of Object.entries(DAMAGES))
    it(`and ${what}, stops the start with its path and what to do`, async () => {
      const path = join(folder, "assay.db");
      const db = openDatabase(path);
      await migrate(db);
      const other = new BetterSqlite3(path);
      other.pragma("wal_checkpoint(truncate)");
      other.close();
      await addRows(db, "chain_cursors", { name: "one", block: 1 });
      // As a process leaves them that is killed.
      copyFileSync(path, `${path}-killed`);
      copyFileSync(`${path}-wal`, `${path}-wal-killed`);
      await db.destroy();
      damage(path);
      const failure = await failureOf(start(path));
      expect(failure.message)
        .to.match(/^the database file \S+ is damaged \([^\n]+\): move it aside .+ restore .+$/)
        .and.to.include(path);
      expect(failure).to.include({ code: "database_damaged" });
    });
});

describe("a process that is killed while it writes to a SQLite file", () => {
  const folder = folderOfTest("killed");

  /** @returns the signal that ended it, what it had acknowledged by then, and what a next one finds */
  async function killedBy(kill: (writer: ChildProcess, path: string) => void) {
    const path = join(folder, "assay.db");
    await using db = openDatabase(path);
    await migrate(db);
    await db.destroy();
    const acknowledged: string[] = [];
    const writer = fork(new URL("../support/keep-writing.ts", import.meta.url), [path]);
    writer.on("message", (owner: string) => {
      acknowledged.push(owner);
      if (acknowledged.length === 100) kill(writer, path);
    });
    const [, signal] = await once(writer, "exit");
    await using again = openDatabase(path, { isChecked: true });
    const found = new Set((await rowsOf(again, "owner_nonces")).map(({ owner }) => owner));
    return { signal, lost: acknowledged.filter((owner) => !found.has(owner)) };
  }

  it("loses nothing that it had acknowledged", async () => {
    const { signal, lost } = await killedBy((writer) => void writer.kill("SIGKILL"));
    expect({ signal, lost }).to.deep.equal({ signal: "SIGKILL", lost: [] });
  });

  it("loses nothing where SIGBUS kills it, since -shm was cut off under it", async () => {
    const { signal, lost } = await killedBy((_writer, path) => truncateSync(`${path}-shm`));
    expect({ signal, lost }).to.deep.equal({ signal: "SIGBUS", lost: [] });
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
    const mounted = smallDisk(8);
    if (mounted === null) {
      console.log(NO_MOUNT);
      this.skip();
    }
    disk = mounted;
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

  it("goes on reading, and answers writes 503 with the reason in the log", async () => {
    const { status, body } = await apply();
    expect([status, body.code]).to.deep.equal([503, "unavailable"]);
    expect(log).to.include("SQLITE_READONLY");
    expect(await database()).to.equal("down");
    for (const path of ["/api/premium/history?symbol=AAPLx", "/api/basis/history?underlying=AAPL"])
      expect((await ask(path)).status, path).to.equal(200);
    expect((await ask("/api/market-overview")).body.live).to.not.equal(null);
  });

  it("writes again once the mount accepts writes, without another start", async () => {
    disk.remount("rw");
    const from = performance.now();
    while ((await database()) !== "up" && performance.now() - from < 10_000) await sleep(100);
    expect(await database()).to.equal("up");
    expect((await apply()).status).to.equal(202);
    const db = openDatabase(`sqlite:${join(disk.folder, "assay.db")}`);
    expect(await countOf(db, "api_keys")).to.equal(2);
    await db.destroy();
  });

  it("says why it does not start where it had ended cleanly, which leaves SQLite nothing that it could read", async () => {
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

/** Another process that holds the write lock until it gets a message. */
async function lockElsewhere(path: string): Promise<ChildProcess> {
  const holder = fork(new URL("../support/hold-lock.ts", import.meta.url), [path]);
  await once(holder, "message");
  return holder;
}
