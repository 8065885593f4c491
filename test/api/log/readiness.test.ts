/** What /readyz says of the decision log: how it does, and that the service serves without it. */
import { expect } from "chai";
import { findLogTree } from "../../../api/log/entries.ts";
import { MOST_WAITING } from "../../../api/log/state.ts";
import { addRows, changeRows, forEachEngine } from "../../support/database.ts";
import { startTestApp } from "../../support/http.ts";
import { addJudgements, openLog, wordsFolder } from "../../support/log.ts";
import { validateAnswer } from "../../support/openapi.ts";

describe("/readyz", () => {
  const words = wordsFolder();

  forEachEngine((engine) => {
    const db = engine.database();

    /** Of an app of its own, since an answer counts for a second. */
    async function readyz(changes: Parameters<typeof startTestApp>[0] = {}) {
      const app = await startTestApp({ db, ...changes });
      const answer = await app.call("/readyz?verbose", { key: null });
      validateAnswer(app.openapi, "GET", "/readyz", 200, answer.body);
      await app.stop();
      return answer.body.log;
    }

    it("/readyz reports the log's size, its checkpoint's size and age, and what waits", async () => {
      await addJudgements(db, 3);
      const well = { refused: null, fault: null, keyFault: null };
      const empty = { name: null, entries: 0, signedEntries: 0, signedAgo: null };
      expect(await readyz()).to.deep.equal({ ...empty, ...well, waiting: 3 });
      const log = openLog(db, `${words}/${engine.name}`);
      await log.stop();
      await addJudgements(db, 2);
      const { origin: name, signed_at } = (await findLogTree(db))!;
      const later = await readyz({ data: { now: () => signed_at! + 61_000 } });
      const signed = { name, entries: 3, signedEntries: 3, signedAgo: 61 };
      expect(later).to.deep.equal({ ...signed, ...well, waiting: 2 });
    });

    it("/readyz stays ready, with the reason, when the log is not signed any more", async () => {
      await changeRows(db, "log_tree", { refused: "it was restored" });
      const log = openLog(db, `${words}/${engine.name}`);
      await log.stop();
      expect(await readyz()).to.include({ refused: "it was restored", entries: 3, waiting: 2 });
    });

    it("/readyz counts what waits no further than it has to", async () => {
      const waiting = (_each: unknown, place: number) => ({ entry: `${place}`, evidence_key: place });
      for (let added = 0; added <= MOST_WAITING; added += 1_000)
        await addRows(db, "log_waiting", ...Array.from({ length: 1_000 }, waiting));
      expect(await readyz()).to.include({ waiting: MOST_WAITING });
    });
  });
});
