/** A SQLite file that others change, cut off or replace, that is damaged, or whose process is killed: no acknowledged row is lost. */
import { type ChildProcess, spawnSync } from "node:child_process";
import { once } from "node:events";
import {
  copyFileSync,
  cpSync,
  existsSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
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
import { addRows, rowsOf } from "../support/database.ts";
import { failureOf } from "../support/failure.ts";
import { startFunction } from "../support/programs.ts";
import { folderOfTest } from "../support/suite.ts";

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

/** What another process does: it writes four rows at a time, and tells each as soon as it is acknowledged. */
async function writeOn(path: string): Promise<void> {
  const { openDatabase } = await import("../../database/open.ts");
  const db = openDatabase(path);
  let last = 0;
  const write = async () => {
    for (;;) {
      const owner = String(++last);
      await db.insertInto("owner_nonces").values({ owner, next: 0 }).execute();
      process.send!(owner);
    }
  };
  await Promise.all([write(), write(), write(), write()]);
}

describe("a process that is killed while it writes to a SQLite file", () => {
  const folder = folderOfTest("killed");

  /** @returns the signal that ended it, what it had acknowledged by then, and what a next one finds */
  async function killedBy(kill: (writer: ChildProcess, path: string) => void) {
    const path = join(folder, "assay.db");
    await using db = openDatabase(path);
    await migrate(db);
    await db.destroy();
    const acknowledged: string[] = [];
    const writer = startFunction(import.meta.dirname, writeOn, path);
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
