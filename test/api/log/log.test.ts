/** The decision log on both engines: from an entry to its proof, by several processes, over restarts. */
import { expect } from "chai";
import { beginLog, findLogTree } from "../../../api/log/entries.ts";
import { createGrower } from "../../../api/log/grow.ts";
import { developmentLogSigner, logSigner } from "../../../api/log/key.ts";
import { createLogAnswers } from "../../../api/log/serve.ts";
import { openCheckpoint } from "../../../attestor/log/checkpoint.ts";
import { entryOf, entryText } from "../../../attestor/log/entry.ts";
import { HASHER } from "../../../attestor/log/hasher.ts";
import { isConsistent, isIncluded } from "../../../attestor/log/merkle.ts";
import { consistencyProof } from "../../../attestor/log/proving.ts";
import { nodesFromTiles } from "../../../attestor/log/tiles.ts";
import { parseTlogProof } from "../../../attestor/log/tlogProof.ts";
import { utf8 } from "../../../attestor/values/bytes.ts";
import { openDatabase } from "../../../database/open.ts";
import { ownCaches } from "../../support/caches.ts";
import { forEachEngine, leaseToAnother } from "../../support/database.ts";
import { addJudgements, judgement, logDeps, openLog, TEST_ORIGIN, wordsFolder } from "../../support/log.ts";
import { watching } from "../../support/watching.ts";

const key = developmentLogSigner().keyOf(TEST_ORIGIN);

/** What a stranger checks who has the key alone. */
function opened(proof: string, entry: string) {
  const { index, path, checkpoint } = parseTlogProof(proof);
  const { size, root, origin } = openCheckpoint(checkpoint, { logs: [key] });
  const leafHash = HASHER.leaf(utf8(entry));
  expect(isIncluded({ index, size, leafHash, proof: path, root })).to.equal(true);
  return { index, size, root, origin };
}

describe("the decision log", () => {
  forEachEngine((engine) => {
    const db = engine.database();
    const folder = `${wordsFolder()}/${engine.name}`;
    const answers = () => {
      const signer = developmentLogSigner();
      return createLogAnswers({ db, signer, origin: TEST_ORIGIN, caches: ownCaches() });
    };

    it("the decision log has a key and no checkpoint before its first entry", async () => {
      expect(await answers().checkpoint()).to.equal(null);
      expect(await answers().vkey()).to.contain(`${TEST_ORIGIN}+`);
    });

    it("the decision log proves an entry within its patience, and every entry by the newest checkpoint", async () => {
      await using log = openLog(db, folder);
      const made = await addJudgements(db, 3);
      const first = opened(await log.signed(made[0]!), entryText(entryOf(made[0]!, made[0]!.log.salt)));
      expect(first).to.include({ index: 0, size: 3, origin: TEST_ORIGIN });
      for (const each of made) opened((await log.proofOf(each))!, entryText(entryOf(each, each.log.salt)));
      expect(await log.proofOf(judgement())).to.equal(null);
      const { log: dropped, ...before } = judgement();
      expect(await log.proofOf(before)).to.equal(null);
    });

    it("the decision log gives each entry one place under several processes, and loses none", async () => {
      const made = (await Promise.all(Array.from({ length: 7 }, () => addJudgements(db, 100)))).flat();
      const growers = [1, 2, 3].map(() => createGrower(logDeps(db, folder)));
      const placed = await Promise.all(
        growers.map(async (grow) => {
          let count = 0;
          for (let step = await grow(); step.count > 0; step = await grow()) count += step.count;
          return count;
        }),
      );
      expect(placed.reduce((sum, count) => sum + count)).to.equal(700);
      await using log = openLog(db, folder);
      for (const each of [made[0]!, made[699]!]) {
        const { size } = opened(await log.signed(each), entryText(entryOf(each, each.log.salt)));
        expect(size).to.equal(703);
      }
    });

    it("the decision log finds entries by their evidence hash", async () => {
      await using log = openLog(db, folder);
      const [made] = await addJudgements(db, 1);
      expect(await answers().find(made!.evidenceHash)).to.deep.equal([]);
      await log.signed(made!);
      const [found] = await answers().find(made!.evidenceHash);
      expect(found!.entry).to.equal(entryText(entryOf(made!, made!.log.salt)));
      opened(found!.proof, found!.entry);
    });

    it("the decision log goes on from what it signed, checkpoint after checkpoint", async () => {
      await using log = openLog(db, folder);
      const seen: { size: number; root: Uint8Array }[] = [];
      for (const count of [1, 60, 2]) {
        const made = await addJudgements(db, count);
        await log.signed(made.at(-1)!);
        seen.push(openCheckpoint((await answers().checkpoint())!, { logs: [key] }));
      }
      for (const [index, { size, root }] of seen.entries()) {
        const old = seen[index - 1];
        if (old === undefined) continue;
        const nodes = nodesFromTiles(size, async (tile) => (await answers().tile(tile))!);
        const proof = await consistencyProof(old.size, size, nodes);
        expect(isConsistent({ oldSize: old.size, oldRoot: old.root, size, root, proof })).to.equal(true);
      }
    });

    it("the decision log is signed by one process at a time, and by another soon after that one is gone", async () => {
      await leaseToAnother(db, "log-publisher", Date.now() + 2_000);
      const log = openLog(db, folder, { patienceMs: 250 });
      const [made] = await addJudgements(db, 1);
      const refused = await log.signed(made!).catch((problem) => problem);
      expect(refused).to.include({ code: "unavailable" });
      expect(refused.headers["Retry-After"]).to.equal("1");
      await log.stop();
      await using next = openLog(db, folder);
      opened(await next.signed(made!), entryText(entryOf(made!, made!.log.salt)));
    });

    it("the decision log is signed anew by a key that takes the other's place", async () => {
      const next = logSigner(new Uint8Array(32).fill(9));
      await using log = openLog(db, folder, { signer: next });
      const [made] = await addJudgements(db, 1);
      await log.signed(made!);
      const note = (await answers().checkpoint())!;
      expect(() => openCheckpoint(note, { logs: [key] })).to.throw("did not sign it");
      expect(openCheckpoint(note, { logs: [next.keyOf(key.name)] }).size).to.equal((await log.state()).size);
    });

    it("the decision log begins once, of several processes that find it is time", async () => {
      const url = await engine.createUrl();
      const [db, other] = [openDatabase(url), openDatabase(url)];
      await addJudgements(db, 1);
      let begun: Promise<void> | undefined;
      // Between what this one reads and what it makes of it.
      const another = watching(undefined, async () => {
        begun ??= beginLog(other, TEST_ORIGIN, 1_763_000_000_000);
        await begun;
      });
      const deps = { db: db.withPlugin(another), origin: TEST_ORIGIN, now: Date.now };
      await createGrower(deps)();
      expect(await findLogTree(db)).to.include({ size: 1, created_at: 1_763_000_000_000 });
      for (const each of [db, other]) await each.destroy();
    });
  });
});
