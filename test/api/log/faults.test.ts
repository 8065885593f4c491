/** What a log must survive: a database set back, a row changed, a disk without room. */
import { copyFile, mkdir } from "node:fs/promises";
import { join } from "node:path";
import { expect } from "chai";
import { lastWordsIn } from "../../../api/log/files.ts";
import { newestShard, yearOf } from "../../../api/log/shards.ts";
import { supersedeLog } from "../../../cli/log/supersede.ts";
import { migrate } from "../../../database/migrate.ts";
import { type Database, openDatabase } from "../../../database/open.ts";
import { forEachEngine } from "../../support/database.ts";
import { addJudgements, openLog, TEST_BASE, wordsFolder } from "../../support/log.ts";

const world = { out: () => {} } as never;

/** Signs until nothing is left; what is refused stays. */
async function run(db: Database, folder: string): Promise<string | null> {
  const log = openLog(db, folder);
  await log.stop();
  return (await log.state().catch(() => null))?.refused ?? null;
}

describe("the decision log in trouble", () => {
  const folder = wordsFolder();

  it("signs nothing on a database that was set back, says so, and goes on in a log that takes over", async () => {
    const words = join(folder, "restored");
    const [path, backup] = [join(folder, "restored.db"), join(folder, "backup.db")];
    let db = openDatabase(path);
    await migrate(db);
    await addJudgements(db, 5);
    expect(await run(db, words)).to.equal(null);
    await db.destroy();
    await copyFile(path, backup);
    db = openDatabase(path);
    await addJudgements(db, 4);
    expect(await run(db, words)).to.equal(null);
    await db.destroy();

    db = openDatabase(backup);
    const made = await addJudgements(db, 2);
    expect(await run(db, words)).to.match(/in the file has 9 entries, and the database 7: it was set back/);
    // More entries than were signed do not help: they are others.
    await addJudgements(db, 20);
    expect(await run(db, words)).to.contain("set back");
    const log = openLog(db, words);
    const problem = await log.assertSigning().catch((error) => error);
    expect(problem).to.include({ code: "unavailable", status: 503 });
    expect(await log.proofOf(made[0]!)).to.equal(null);
    await log.stop();

    await supersedeLog(backup, Date.now(), world);
    const next = openLog(db, words);
    const proof = await next.signed(made[0]!);
    expect(proof).to.contain(`\n${TEST_BASE}/${yearOf(Date.now())}-2\n22\n`);
    await next.stop();
    expect(await supersedeLog(backup, Date.now(), world).catch((error) => error.message)).to.contain(
      "in order",
    );
    await db.destroy();
  });

  it("signs nothing on an empty database where it signed before, once it has entries", async () => {
    const words = join(folder, "empty");
    const [one, other] = [openDatabase(join(folder, "one.db")), openDatabase(join(folder, "other.db"))];
    for (const db of [one, other]) await migrate(db);
    await addJudgements(one, 3);
    expect(await run(one, words)).to.equal(null);
    await addJudgements(other, 3);
    expect(await run(other, words)).to.match(
      /has the root .* at 3 entries, and the database .*: rows were changed/,
    );
    await one.destroy();
    await other.destroy();
  });

  it("remembers what it may have said when it was killed between the file and the database", async () => {
    const words = join(folder, "between");
    const db = openDatabase(join(folder, "between.db"));
    await migrate(db);
    await addJudgements(db, 2);
    const kept = lastWordsIn(words);
    const dying = openLog(db, words, {
      lastWords: {
        ...kept,
        write: async (name, note) => {
          await kept.write(name, note);
          throw new Error("killed here");
        },
      },
    });
    await dying.stop();
    expect((await newestShard(db))?.signed_size).to.equal(0);
    expect(await run(db, words)).to.equal(null);
    expect((await newestShard(db))?.signed_size).to.equal(2);
    await db.destroy();
  });

  it("publishes nothing that it cannot write down first, and goes on when there is room", async () => {
    const words = join(folder, "full");
    const db = openDatabase(join(folder, "full.db"));
    await migrate(db);
    const [made] = await addJudgements(db, 1);
    const full = openLog(db, words, {
      patienceMs: 250,
      lastWords: {
        read: async () => null,
        write: async () => {
          throw Object.assign(new Error("no space left on device"), { code: "ENOSPC" });
        },
      },
    });
    await full.signed(made!).then(
      () => expect.fail("it signed"),
      () => {},
    );
    await full.stop();
    expect((await newestShard(db))?.checkpoint).to.equal(null);
    expect(await run(db, words)).to.equal(null);
    expect((await newestShard(db))?.signed_size).to.equal(1);
    await db.destroy();
  });

  forEachEngine((engine) => {
    for (const [what, change] of [
      [
        "an entry",
        (db: Database) =>
          db
            .updateTable("log_entries")
            .set((eb) => ({ entry: eb.fn("replace", ["entry", eb.val("DENY"), eb.val("ALLOW")]) }))
            .where("position", "=", 3),
      ],
      [
        "a hash",
        (db: Database) =>
          db
            .updateTable("log_nodes")
            .set({ hash: Buffer.alloc(32).toString("base64") })
            .where("level", "=", 0)
            .where("position", "=", 3),
      ],
      [
        "a tile's root",
        (db: Database) =>
          db
            .updateTable("log_nodes")
            .set({ hash: Buffer.alloc(32).toString("base64") })
            .where("level", "=", 1),
      ],
      ["a lost entry", (db: Database) => db.deleteFrom("log_entries").where("position", "=", 3)],
    ] as const)
      it(`is not signed any more after the next start when ${what} was changed`, async () => {
        const words = join(folder, `${engine.name}-${what}`);
        await mkdir(words);
        const db = await engine.create();
        await addJudgements(db, 300);
        expect(await run(db, words)).to.equal(null);
        await (change(db) as { execute(): Promise<unknown> }).execute();
        await addJudgements(db, 1);
        expect(await run(db, words)).to.be.a("string");
      });
  });
});
