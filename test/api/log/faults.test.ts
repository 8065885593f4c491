/** What a log must survive: a database set back, a row changed, a disk without room. */
import { copyFile, mkdir, readdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "chai";
import { findLogTree, type Logged } from "../../../api/log/entries.ts";
import { developmentLogSigner } from "../../../api/log/key.ts";
import { lastCheckpointsIn } from "../../../api/log/lastCheckpoint.ts";
import { createLog, type DecisionLog } from "../../../api/log/log.ts";
import { PUBLISHING } from "../../../api/log/state.ts";
import type { WitnessSetting } from "../../../api/settings/logSettings.ts";
import { parseCheckpoint } from "../../../attestor/log/checkpoint.ts";
import { parseNote, parseVkey, vkeyText } from "../../../attestor/log/note.ts";
import { parseTlogProof } from "../../../attestor/log/tlogProof.ts";
import { DatabaseUnavailable } from "../../../database/errors.ts";
import { leaseFault } from "../../../database/lease.ts";
import { migrate } from "../../../database/migrate.ts";
import { type Database, openDatabase } from "../../../database/open.ts";
import { createBackup, restoreBackup } from "../../../scripts/backup.ts";
import { supersedeLog } from "../../../scripts/log/supersede.ts";
import { forEachEngine } from "../../support/database.ts";
import { fakeConsole } from "../../support/fakeConsole.ts";
import { startTestApp } from "../../support/http.ts";
import {
  addJudgements,
  logDeps,
  openLog,
  rewriteEntry,
  TEST_ORIGIN,
  wordsFolder,
} from "../../support/log.ts";
import { smallDiskFor } from "../../support/smallDisk.ts";
import { typed } from "../../support/typed.ts";
import { until } from "../../support/until.ts";

/** Signs until nothing is left; what is refused stays. */
async function run(db: Database, folder: string): Promise<string | null> {
  const log = openLog(db, folder);
  await log.stop();
  return (await log.state().catch(() => null))?.refused ?? null;
}

const supersede = (databaseUrl: string) =>
  typed(supersedeLog, [], { ...fakeConsole().world, env: { DATABASE_URL: databaseUrl } });

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
    expect(await run(db, words)).to.match(/in the file has 9 entries, and the database 7: it was restored/);
    // More entries than were signed do not help: they are others.
    await addJudgements(db, 20);
    expect(await run(db, words)).to.contain("restored to an older state");
    const log = openLog(db, words);
    const problem = await log.assertSigning().catch((error) => error);
    expect(problem).to.include({ code: "unavailable", status: 503 });
    expect(await log.proofOf(made[0]!)).to.equal(null);
    await log.stop();

    await supersede(backup);
    const next = openLog(db, words);
    const proof = await next.signed(made[0]!);
    expect(proof).to.contain(`\n${TEST_ORIGIN}/2\n27\n`);
    await next.stop();
    const again = await supersede(backup).catch((error) => error.message);
    expect(again).to.contain("in order");
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
    await using db = openDatabase(join(folder, "between.db"));
    await migrate(db);
    await addJudgements(db, 2);
    const kept = lastCheckpointsIn(words);
    const dying = openLog(db, words, {
      lastCheckpoints: {
        ...kept,
        write: async (name, note) => {
          await kept.write(name, note);
          throw new Error("killed here");
        },
      },
    });
    await dying.stop();
    expect((await findLogTree(db))?.signed_size).to.equal(0);
    expect(await run(db, words)).to.equal(null);
    expect((await findLogTree(db))?.signed_size).to.equal(2);
  });

  it("remembers the larger of two checkpoints, whichever process wrote last", async () => {
    const words = join(folder, "two-writers");
    const [LOG, NEXT] = ["a.example/log", "a.example/log/2"];
    const note = (size: number) => `${LOG}\n${size}\nroot\n`;
    const [frozen, other] = [lastCheckpointsIn(words), lastCheckpointsIn(words)];
    expect(await frozen.read(LOG)).to.equal(null);
    await mkdir(words);
    await writeFile(join(words, "a.example_log.3.checkpoint"), note(3));
    await writeFile(join(words, "a.example_log_2.7.checkpoint"), note(7));
    expect(await frozen.read(LOG)).to.equal(note(3));
    await frozen.write(LOG, note(9));
    expect(await other.read(LOG)).to.equal(note(9));
    await other.write(LOG, note(30));
    await other.write(LOG, note(31));
    // It wakes with what it was about to write.
    await frozen.write(LOG, note(12));
    expect(await lastCheckpointsIn(words).read(LOG)).to.equal(note(31));
    expect(await lastCheckpointsIn(words).read(NEXT)).to.equal(note(7));
    const third = lastCheckpointsIn(words);
    await third.read(LOG);
    await third.write(LOG, note(40));
    expect((await readdir(words)).sort()).to.deep.equal([
      "a.example_log.40.checkpoint",
      "a.example_log_2.7.checkpoint",
    ]);
  });

  it("publishes nothing that it cannot write down first, and goes on when there is room", async () => {
    const words = join(folder, "full");
    await using db = openDatabase(join(folder, "full.db"));
    await migrate(db);
    const [made] = await addJudgements(db, 1);
    const full = openLog(db, words, {
      patienceMs: 250,
      lastCheckpoints: {
        read: async () => null,
        has: () => false,
        write: async () => {
          throw Object.assign(new Error("no space left on device"), { code: "ENOSPC" });
        },
        fault: () => null,
      },
    });
    const problem = await full.signed(made!).catch((error) => error);
    expect(problem).to.include({ code: "unavailable", status: 503 });
    expect(problem.message).to.contain("its state folder cannot be written (ENOSPC)");
    await full.stop();
    expect((await findLogTree(db))?.checkpoint).to.equal(null);
    expect(await run(db, words)).to.equal(null);
    expect((await findLogTree(db))?.signed_size).to.equal(1);
  });

  it("goes on from where it was after its disk was full, with the database and the file on it", async function () {
    using disk = smallDiskFor(this, 4);
    const words = join(disk.folder, "words");
    await using db = openDatabase(join(disk.folder, "assay.db"));
    await migrate(db);
    const log = openLog(db, words, { patienceMs: 250 });
    try {
      const [before] = await addJudgements(db, 1);
      await log.signed(before!);
      const [stored] = await addJudgements(db, 1);
      disk.fill();
      const refused = await log.signed(stored!).catch((error) => error);
      expect(refused).to.be.instanceOf(Error);
      // What cannot be stored is not acknowledged, here as anywhere.
      expect(await addJudgements(db, 50).catch((error) => error)).to.be.instanceOf(DatabaseUnavailable);
      disk.free();
      let proof: string | null = null;
      for (let tries = 0; proof === null && tries < 40; tries++)
        proof = await log.signed(stored!).catch(() => null);
      expect(proof).to.be.a("string");
      expect(await log.state()).to.include({ size: 2, signedSize: 2, waiting: 0, refused: null });
    } finally {
      await log.stop();
    }
  });

  const backup = (databaseUrl: string, verb: string, ...words: string[]) =>
    typed(verb === "create" ? createBackup : restoreBackup, words, {
      ...fakeConsole().world,
      env: { DATABASE_URL: databaseUrl },
    });

  forEachEngine((engine) => {
    it("signs nothing on a restored backup that is older than its last word, until another log takes over", async () => {
      const words = join(folder, `backup-${engine.name}`);
      // Backups are made of SQLite alone, and restored into both.
      const url = `sqlite:${join(folder, `${engine.name}.db`)}`;
      const later = await engine.createUrl();
      const file = join(folder, `${engine.name}.gz`);
      const db = openDatabase(url);
      await migrate(db);
      const [kept] = await addJudgements(db, 300);
      expect(await run(db, words)).to.equal(null);
      await backup(url, "create", file);
      await addJudgements(db, 4);
      expect(await run(db, words)).to.equal(null);
      await db.destroy();

      await backup(later, "restore", file);
      await using restored = openDatabase(later);
      const [made] = await addJudgements(restored, 1);
      expect(await run(restored, words)).to.match(/in the file has 304 entries, and the database 301/);
      const leased = (holder: string, expires_at_ms: number) =>
        restored.updateTable("leases").set({ holder, expires_at_ms }).execute();
      await leased("a worker", Date.now() + 60_000);
      const early = await supersede(later).catch((error) => error);
      expect(String(early)).to.contain("a worker of the service still runs");
      await leased("", 0);
      await supersede(later);
      await using log = openLog(restored, words);
      expect(await log.signed(made!)).to.contain(`\n${TEST_ORIGIN}/2\n301\n`);
      // What the backup has of the old log has its place in the new one.
      const again = (await log.proofOf(kept!))!;
      expect(again).to.contain(`\n${TEST_ORIGIN}/2\n301\n`);
      expect(parseTlogProof(again).index).to.equal(0);
    });

    it("does not sign a restored backup whose file of last words is gone, until a witness says what it signed, or another log takes over", async () => {
      const words = join(folder, `lost-${engine.name}`);
      const [key, late] = ["w1", "w2"].map((name) => ({
        key: parseVkey(vkeyText(developmentLogSigner().keyOf(name))),
        url: name,
      }));
      const url = `sqlite:${join(folder, `lost-${engine.name}.db`)}`;
      const later = await engine.createUrl();
      const file = join(folder, `lost-${engine.name}.gz`);
      const db = openDatabase(url);
      await migrate(db);
      await addJudgements(db, 5);
      expect(await run(db, words)).to.equal(null);
      const early = (await findLogTree(db))!.checkpoint!;
      await backup(url, "create", file);
      await addJudgements(db, 4);
      expect(await run(db, words)).to.equal(null);
      const newest = (await findLogTree(db))!.checkpoint!;
      await db.destroy();
      await backup(later, "restore", file);
      await rm(words, { recursive: true });

      const restored = openDatabase(later);
      /** What comes of it with these witnesses, which saw that, or cannot be asked. */
      const started = async (seen: Record<string, string | null>, asked: WitnessSetting[]) => {
        const lastOf = async ({ url: name }: WitnessSetting) => {
          const note = seen[name];
          if (note === undefined) throw new Error("no answer");
          return note === null ? null : parseCheckpoint(parseNote(note).text);
        };
        const [made] = await addJudgements(restored, 1);
        await restored.deleteFrom("leases").execute();
        const witnesses = { lastOf, cosign: () => Promise.reject(new Error("no")) };
        const log = openLog(restored, words, { witnesses, asked, patienceMs: 2_000 });
        const problem = await log.signed(made!).then(
          () => null,
          (error) => error,
        );
        for (let tries = 0; problem !== null && log.fault() !== null && tries < 100; tries++) {
          if ((await leaseFault(restored, PUBLISHING)) !== null) break;
          await sleep(50);
        }
        const judging = await log.assertSigning().catch((error) => error.message);
        await log.stop();
        const { refused } = (await findLogTree(restored))!;
        return { problem, judging, refused };
      };
      const LOST = "the file of its last checkpoint is missing, as after a restore from a backup, and";
      for (const [seen, asked, why] of [
        [{}, [], "no witness saw it (assay log supersede)"],
        [{ w1: null }, [key!], "no witness saw it (assay log supersede)"],
        [{ w1: early }, [key!, late!], "w2 cannot be asked what it cosigned"],
      ] as const) {
        const { problem, judging, refused } = await started(seen, [...asked]);
        expect(problem).to.include({ status: 503 });
        expect(problem.message).to.contain(`${LOST} ${why}`);
        expect(judging).to.contain(`${LOST} ${why}`);
        expect([await leaseFault(restored, PUBLISHING), refused]).to.deep.equal([`${LOST} ${why}`, null]);
      }
      await using app = await startTestApp({ db: restored });
      const { log: ready } = (await app.call("/readyz?verbose", { key: null })).body;
      expect(ready.fault).to.contain("w2 cannot be asked what it cosigned");
      expect((await started({ w1: early, w2: early }, [key!, late!])).problem).to.equal(null);
      // A witness that saw more is not outvoted.
      const { refused } = await started({ w1: newest, w2: early }, [key!, late!]);
      expect(refused).to.match(/that w1 has seen has the root .* at 9 entries, and the database/);
      await restored.updateTable("log_tree").set({ refused: null }).execute();
      await rm(words, { recursive: true, force: true });
      expect((await started({}, [])).problem).to.include({ status: 503 });
      await supersede(later);
      await addJudgements(restored, 1);
      expect(await run(restored, words)).to.equal(null);
      expect(await findLogTree(restored)).to.include({ origin: `${TEST_ORIGIN}/2`, refused: null });
    });

    for (const [what, why] of [
      ["key", "its key cannot sign"],
      ["folder", "its state folder cannot be written (EROFS)"],
    ] as const)
      it(`a process whose ${what} fails gives the lease back with the reason, and another that can signs`, async () => {
        const words = join(folder, `given-back-${engine.name}-${what}`);
        const db = await engine.create();
        let broken = false;
        await using one = openLog(db, words, {
          patienceMs: 1_000,
          signer: { ...developmentLogSigner(), fault: () => (broken && what === "key" ? "no token" : null) },
          lastCheckpoints: {
            ...lastCheckpointsIn(words),
            fault: () => (broken && what === "folder" ? why : null),
          },
        });
        const api = createLog(logDeps(db, words));
        const [before] = await addJudgements(db, 1);
        await one.signed(before!);
        await api.assertSigning();
        broken = true;
        const proved = (log: Pick<DecisionLog, "proofOf">, report: Logged) =>
          until("its proof", () => log.proofOf(report));
        const refused = () => api.assertSigning().catch((error) => error);
        expect(await until("a refusal", refused)).to.include({ code: "unavailable", status: 503 });
        expect((await refused()).message).to.contain(why);
        expect(await one.signed(before!)).to.be.a("string");
        const [made] = await addJudgements(db, 1);
        expect((await one.signed(made!).catch((error) => error)).message).to.contain(why);
        const other = openLog(db, words);
        await proved(other, made!);
        expect(await refused()).to.equal(undefined);
        await other.stop();
        broken = false;
        const [last] = await addJudgements(db, 1);
        await proved(one, last!);
      });

    const nodesOf = (db: Database, level: number) =>
      db
        .updateTable("log_nodes")
        .set({ hash: Buffer.alloc(32).toString("base64") })
        .where("level", "=", level);
    const changes: Record<string, (db: Database) => { execute(): Promise<unknown> }> = {
      "an entry": (db) => ({ execute: () => rewriteEntry(db, 3, "DENY", "ALLOW") }),
      "a hash": (db) => nodesOf(db, 0).where("position", "=", 3),
      "a tile's root": (db) => nodesOf(db, 1),
      "a lost entry": (db) => db.deleteFrom("log_entries").where("position", "=", 3),
    };
    for (const [what, change] of Object.entries(changes))
      it(`the decision log in trouble is not signed any more after the next start when ${what} was changed`, async () => {
        const words = join(folder, `${engine.name}-${what}`);
        await mkdir(words);
        const db = await engine.create();
        await addJudgements(db, 300);
        expect(await run(db, words)).to.equal(null);
        await change(db).execute();
        await addJudgements(db, 1);
        expect(await run(db, words)).to.be.a("string");
      });
  });
});
