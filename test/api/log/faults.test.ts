/** A log that cannot write what it is about to sign, or cannot sign: a kill, a full disk, a key that is away. */
import { mkdir, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect } from "chai";
import { findLogTree, type Logged } from "../../../api/log/entries.ts";
import { developmentLogSigner } from "../../../api/log/key.ts";
import { lastCheckpointsIn } from "../../../api/log/lastCheckpoint.ts";
import { createLog, type DecisionLog } from "../../../api/log/log.ts";
import { DatabaseUnavailable } from "../../../database/errors.ts";
import { migrate } from "../../../database/migrate.ts";
import { openDatabase } from "../../../database/open.ts";
import { forEachEngine, memoryDatabase } from "../../support/database.ts";
import { addJudgements, logDeps, openLog, signAll, wordsFolder } from "../../support/log.ts";
import { smallDiskFor } from "../../support/smallDisk.ts";
import { until } from "../../support/until.ts";

describe("a log that cannot go on", () => {
  const folder = wordsFolder();

  it("a log remembers what it may have said when it was killed between the file and the database", async () => {
    const words = join(folder, "between");
    await using db = await memoryDatabase();
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
    expect(await signAll(db, words)).to.equal(null);
    expect((await findLogTree(db))?.signed_size).to.equal(2);
  });

  it("a log remembers the larger of two checkpoints, whichever process wrote last", async () => {
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

  it("a log publishes nothing that it cannot write down first, and goes on when there is room", async () => {
    const words = join(folder, "full");
    await using db = await memoryDatabase();
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
    expect(await signAll(db, words)).to.equal(null);
    expect((await findLogTree(db))?.signed_size).to.equal(1);
  });

  it("a log goes on from where it was after its disk was full, with the database and the file on it", async function () {
    using disk = smallDiskFor(this, 4);
    await using db = openDatabase(join(disk.folder, "assay.db"));
    await migrate(db);
    await using log = openLog(db, join(disk.folder, "words"), { patienceMs: 250 });
    const [before] = await addJudgements(db, 1);
    await log.signed(before!);
    const [stored] = await addJudgements(db, 1);
    disk.fill();
    const refused = await log.signed(stored!).catch((error) => error);
    expect(refused).to.be.instanceOf(Error);
    // What cannot be stored is not acknowledged, here as anywhere.
    expect(await addJudgements(db, 50).catch((error) => error)).to.be.instanceOf(DatabaseUnavailable);
    disk.free();
    await until("the proof", () => log.signed(stored!).catch(() => null));
    expect(await log.state()).to.include({ size: 2, signedSize: 2, waiting: 0, refused: null });
  });

  forEachEngine((engine) => {
    for (const [what, why] of [
      ["key", "its key cannot sign"],
      ["folder", "its state folder cannot be written (EROFS)"],
    ] as const)
      it(`a log whose ${what} fails gives its lease back with the reason, and a process that can signs it`, async () => {
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
  });
});
