/** A log whose database is not the one that it signed last: it is not signed, until what was signed is known or given up. */
import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { expect } from "chai";
import { findLogTree } from "../../../api/log/entries.ts";
import { developmentLogSigner } from "../../../api/log/key.ts";
import { PUBLISHING } from "../../../api/log/state.ts";
import type { WitnessSetting } from "../../../api/settings/logSettings.ts";
import { parseCheckpoint } from "../../../attestor/log/checkpoint.ts";
import { parseNote, parseVkey, vkeyText } from "../../../attestor/log/note.ts";
import { parseTlogProof } from "../../../attestor/log/tlogProof.ts";
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
  openLog,
  rewriteEntry,
  signAll,
  TEST_ORIGIN,
  wordsFolder,
} from "../../support/log.ts";
import { ofSuite } from "../../support/suite.ts";
import { typed } from "../../support/typed.ts";
import { until } from "../../support/until.ts";

const onConsole = (databaseUrl: string) => ({
  ...fakeConsole().world,
  env: { DATABASE_URL: databaseUrl },
});
const backUp = (databaseUrl: string, file: string) => typed(createBackup, [file], onConsole(databaseUrl));
const restore = (databaseUrl: string, file: string) => typed(restoreBackup, [file], onConsole(databaseUrl));
const supersede = (databaseUrl: string) => typed(supersedeLog, [], onConsole(databaseUrl));

/** A database with judgements that were signed, and later ones of which its backup knows nothing. */
async function signedWithBackup(folder: string, words: string, name: string, signed: number) {
  // Backups are made of SQLite alone, and restored into both engines.
  const url = `sqlite:${join(folder, `${name}.db`)}`;
  const backup = join(folder, `${name}.gz`);
  await using db = openDatabase(url);
  await migrate(db);
  const [first] = await addJudgements(db, signed);
  expect(await signAll(db, words)).to.equal(null);
  const early = (await findLogTree(db))!.checkpoint!;
  await backUp(url, backup);
  await addJudgements(db, 4);
  expect(await signAll(db, words)).to.equal(null);
  const newest = (await findLogTree(db))!.checkpoint!;
  return { backup, first: first!, early, newest };
}

describe("a log on a database of another past", () => {
  const folder = wordsFolder();

  forEachEngine((engine) => {
    it("a log is not signed on a restored backup that is older than its last checkpoint, until another log takes over", async () => {
      const words = join(folder, `backup-${engine.name}`);
      const { backup, first } = await signedWithBackup(folder, words, `backup-${engine.name}`, 300);
      const url = await engine.createUrl();
      await restore(url, backup);
      await using db = openDatabase(url);
      const [made] = await addJudgements(db, 1);
      expect(await signAll(db, words)).to.match(/in the file has 304 entries, and the database 301: it was/);
      // More entries than were signed do not help: they are others.
      await addJudgements(db, 20);
      expect(await signAll(db, words)).to.contain("restored to an older state");
      const refusing = openLog(db, words);
      const problem = await refusing.assertSigning().catch((error) => error);
      expect(problem).to.include({ code: "unavailable", status: 503 });
      expect(await refusing.proofOf(made!)).to.equal(null);
      await refusing.stop();

      const leased = (holder: string, expires_at_ms: number) =>
        db.updateTable("leases").set({ holder, expires_at_ms }).execute();
      await leased("a worker", Date.now() + 60_000);
      const early = await supersede(url).catch((error) => error);
      expect(String(early)).to.contain("a worker of the service still runs");
      await leased("", 0);
      await supersede(url);
      await using log = openLog(db, words);
      expect(await log.signed(made!)).to.contain(`\n${TEST_ORIGIN}/2\n321\n`);
      // What the backup has of the old log has its place in the new one.
      const again = (await log.proofOf(first))!;
      expect(again).to.contain(`\n${TEST_ORIGIN}/2\n321\n`);
      expect(parseTlogProof(again).index).to.equal(0);
      const needless = await supersede(url).catch((error) => error.message);
      expect(needless).to.contain("in order");
    });

    it("a log is not signed on an empty database where it signed before, once that has entries", async () => {
      const words = join(folder, `empty-${engine.name}`);
      const [one, other] = [await engine.create(), await engine.create()];
      await addJudgements(one, 3);
      expect(await signAll(one, words)).to.equal(null);
      await addJudgements(other, 3);
      expect(await signAll(other, words)).to.match(
        /has the root .* at 3 entries, and the database .*: rows were changed/,
      );
    });

    const nodesOf = (db: Database, level: number) =>
      db
        .updateTable("log_nodes")
        .set({ hash: Buffer.alloc(32).toString("base64") })
        .where("level", "=", level);
    const changes: Record<string, (db: Database) => Promise<unknown>> = {
      "an entry was changed": (db) => rewriteEntry(db, 3, "DENY", "ALLOW"),
      "a hash was changed": (db) => nodesOf(db, 0).where("position", "=", 3).execute(),
      "a tile's root was changed": (db) => nodesOf(db, 1).execute(),
      "an entry was lost": (db) => db.deleteFrom("log_entries").where("position", "=", 3).execute(),
    };
    for (const [what, change] of Object.entries(changes))
      it(`a log is not signed any more from the next start on when ${what}`, async () => {
        const words = join(folder, `${engine.name} ${what}`);
        await mkdir(words);
        const db = await engine.create();
        await addJudgements(db, 300);
        expect(await signAll(db, words)).to.equal(null);
        await change(db);
        await addJudgements(db, 1);
        expect(await signAll(db, words)).to.be.a("string");
      });

    describe("whose folder of checkpoints is gone too", () => {
      const LOST = "the file of its last checkpoint is missing, as after a restore from a backup, and";
      const NOBODY = "no witness saw it (assay log supersede)";
      const words = join(folder, `lost-${engine.name}`);
      const [first, second] = ["w1", "w2"].map((name) => ({
        key: parseVkey(vkeyText(developmentLogSigner().keyOf(name))),
        url: name,
      })) as [WitnessSetting, WitnessSetting];
      let url: string;
      let early: string;
      let newest: string;
      const db = ofSuite(async () => {
        const made = await signedWithBackup(folder, words, `lost-${engine.name}`, 5);
        ({ early, newest } = made);
        url = await engine.createUrl();
        await restore(url, made.backup);
        await rm(words, { recursive: true });
        return openDatabase(url);
      });

      /** What comes of a start with witnesses that saw these checkpoints; one without an entry does not answer. */
      async function started(asked: WitnessSetting[], seen: Record<string, string | null>) {
        const lastOf = async ({ url: name }: WitnessSetting) => {
          const note = seen[name];
          if (note === undefined) throw new Error("no answer");
          return note === null ? null : parseCheckpoint(parseNote(note).text);
        };
        const [made] = await addJudgements(db, 1);
        await db.deleteFrom("leases").execute();
        const witnesses = { lastOf, cosign: () => Promise.reject(new Error("no")) };
        const log = openLog(db, words, { witnesses, asked, patienceMs: 2_000 });
        const problem = await log.signed(made!).then(
          () => null,
          (error) => error,
        );
        const isTold = async () => log.fault() === null || (await leaseFault(db, PUBLISHING)) !== null;
        if (problem !== null) await until("the reason with the lease", isTold);
        const judging = await log.assertSigning().catch((error) => error.message);
        await log.stop();
        return { problem, judging, refused: (await findLogTree(db))!.refused };
      }

      for (const [what, asked, seen, why] of [
        ["no witness is asked", [], () => ({}), NOBODY],
        ["its witness saw nothing", [first], () => ({ w1: null }), NOBODY],
        [
          "one of two witnesses cannot be asked",
          [first, second],
          () => ({ w1: early }),
          "w2 cannot be asked what it cosigned",
        ],
      ] as [string, WitnessSetting[], () => Record<string, string | null>, string][])
        it(`a log is not signed without its folder where ${what}, and says so to callers and on /readyz`, async () => {
          const { problem, judging, refused } = await started(asked, seen());
          expect(problem).to.include({ status: 503 });
          expect(problem.message).to.contain(`${LOST} ${why}`);
          expect(judging).to.contain(`${LOST} ${why}`);
          expect([await leaseFault(db, PUBLISHING), refused]).to.deep.equal([`${LOST} ${why}`, null]);
          await using app = await startTestApp({ db });
          const { log } = (await app.call("/readyz?verbose", { key: null })).body;
          expect(log.fault).to.contain(why);
        });

      it("a log is signed without its folder once every witness says that it saw no more than the database has", async () => {
        expect((await started([first, second], { w1: early, w2: early })).problem).to.equal(null);
      });

      it("a log is not signed where one of its witnesses saw more than the database has", async () => {
        const { refused } = await started([first, second], { w1: newest, w2: early });
        expect(refused).to.match(/that w1 has seen has the root .* at 9 entries, and the database/);
      });

      it("a log without its folder is signed when another one takes over", async () => {
        await db.updateTable("log_tree").set({ refused: null }).execute();
        await rm(words, { recursive: true, force: true });
        expect((await started([], {})).problem).to.include({ status: 503 });
        await supersede(url);
        await addJudgements(db, 1);
        expect(await signAll(db, words)).to.equal(null);
        expect(await findLogTree(db)).to.include({ origin: `${TEST_ORIGIN}/2`, refused: null });
      });
    });
  });
});
