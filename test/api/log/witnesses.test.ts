/** A log whose witnesses are away. */
import { join } from "node:path";
import { expect } from "chai";
import { findLogTree } from "../../../api/log/entries.ts";
import { developmentLogSigner } from "../../../api/log/key.ts";
import { openCheckpoint } from "../../../attestor/log/checkpoint.ts";
import { verifierKey } from "../../../attestor/log/note.ts";
import { parseTlogProof } from "../../../attestor/log/tlogProof.ts";
import { memoryDatabase } from "../../support/database.ts";
import { addJudgements, openLog, TEST_ORIGIN, wordsFolder } from "../../support/log.ts";
import { localServer } from "../../support/ports.ts";
import { ofSuite } from "../../support/suite.ts";

const logKey = developmentLogSigner().keyOf(TEST_ORIGIN);

describe("a decision log whose witness is away", () => {
  const folder = wordsFolder();
  const key = verifierKey("witness.example/dead", 4, logKey.publicKey);
  // Takes what comes and never answers.
  const silent = ofSuite(() => localServer(() => {}));

  for (const [what, url] of [
    ["refuses connections", () => "http://127.0.0.1:1"],
    ["answers nothing", () => silent.url],
  ] as const)
    it(`a decision log whose witness ${what} is signed and proves as without one`, async () => {
      const db = await memoryDatabase();
      const log = openLog(db, join(folder, what), { asked: [{ key, url: url() }] });
      // The first checkpoint of a process waits until the witness was asked what it has seen, or does not answer.
      await log.signed((await addJudgements(db, 1)).at(-1)!);
      for (let size = 2; size <= 20; size++) {
        const [made] = await addJudgements(db, 1);
        const { checkpoint } = parseTlogProof(await log.signed(made!));
        expect(openCheckpoint(checkpoint, { logs: [logKey] })).to.include({ size });
      }
      expect((await findLogTree(db))?.cosigned_size).to.equal(0);
      await log.stop();
      await db.destroy();
    });
});
