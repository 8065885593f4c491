/** One row of the log is rewritten behind the service's back: the monitor, the verifier and the next start each notice. */
import { expect } from "chai";
import { findLogTree } from "../../../api/log/entries.ts";
import { developmentLogSigner } from "../../../api/log/key.ts";
import { entryOf, entryText } from "../../../attestor/log/entry.ts";
import { Frontier } from "../../../attestor/log/frontier.ts";
import { HASHER } from "../../../attestor/log/hasher.ts";
import { vkeyText } from "../../../attestor/log/note.ts";
import { tlogProofText } from "../../../attestor/log/tlogProof.ts";
import { utf8 } from "../../../attestor/values/bytes.ts";
import { verifyReport } from "../../../attestor/verify/verify.ts";
import type { Database } from "../../../database/open.ts";
import { overHttp, verifyCommand } from "../../../scripts/verify/verify.ts";
import { soundReport } from "../../attestor/fixtures.ts";
import { changeRows, forEachEngine } from "../../support/database.ts";
import { fakeConsole } from "../../support/fakeConsole.ts";
import { startTestApp, type TestApp } from "../../support/http.ts";
import {
  addEntry,
  addJudgements,
  openLog,
  rewriteEntry,
  TEST_ORIGIN,
  wordsFolder,
} from "../../support/log.ts";
import { typed } from "../../support/typed.ts";
import { assayLog } from "./assayLog.ts";

const logKey = developmentLogSigner().keyOf(TEST_ORIGIN);
const PLACE = 299;

const KNOWING_NONE = verifyCommand("", () => overHttp(async () => []));

describe("a rewritten row of the decision log", () => {
  const words = wordsFolder();

  forEachEngine((engine) => {
    let db: Database;
    let app: TestApp;
    let folder: string;
    const report = { ...soundReport(), log: { salt: `0x${"5a".repeat(16)}` } };

    /** The report as the service answers it after another start. */
    async function answered() {
      const log = openLog(db, folder);
      await log.stop();
      const proof = await log.proofOf(report);
      return { ...report, log: { ...report.log, proof } };
    }
    const verdict = (document: object) => verifyReport(document, { logKeys: [logKey] }).verdict;
    const monitored = () => assayLog("check", `${app.url}/log`, "--log-key", vkeyText(logKey));
    const refused = async () => (await findLogTree(db))!.refused;

    beforeEach(async () => {
      db = await engine.create();
      app = await startTestApp({ db });
      folder = `${words}/${engine.name}-${Math.floor(performance.now())}`;
      await addJudgements(db, PLACE);
      await db.transaction().execute((trx) => addEntry(trx, report));
      await addJudgements(db, 40);
    });
    afterEach(() => app.stop());

    it("a rewritten row of the decision log is none at first: all three are content", async () => {
      expect(verdict(await answered())).to.equal("VALID");
      expect((await monitored()).out).to.contain("340 entries, 340 new");
      expect(await refused()).to.equal(null);
    });

    it("assay verify --service holds a report against the log that is served: sound ones are VALID, one of a private tree is INVALID", async () => {
      const sound = await answered();
      const { origin } = (await findLogTree(db))!;
      const tree = new Frontier(0, []);
      const { salt } = report.log;
      tree.append(HASHER.leaf(utf8(entryText(entryOf(report, salt)))));
      const checkpoint = developmentLogSigner().sign({ origin, size: 1, root: tree.root() });
      const isolated = { ...report, log: { salt, proof: tlogProofText({ index: 0, path: [], checkpoint }) } };
      const verified = async (document: object, service: string) => {
        const { world, shown } = fakeConsole([], { "-": JSON.stringify(document) });
        const args = ["-", "--json", "--service", service, "--log-key", vkeyText(logKey)];
        await typed(KNOWING_NONE, args, world);
        const result = JSON.parse(shown.join("\n"));
        const log = result.steps.find(({ name }: { name: string }) => name === "log");
        return [result.verdict, ...log.faults.map(({ code }: { code: string }) => code)];
      };
      await addJudgements(db, 300);
      const log = openLog(db, folder);
      await log.stop();
      expect(await verified(sound, app.url)).to.deep.equal(["VALID"]);
      expect(verdict(isolated), "by its own proof").to.equal("VALID");
      expect(await verified(isolated, app.url)).to.deep.equal(["INVALID", "log_contradicts"]);
      expect(await verified(sound, `${app.url}/docs`)).to.deep.equal(["UNVERIFIABLE", "log_not_served"]);
    });

    it("a rewritten row of the decision log is noticed where it is the entry", async () => {
      const before = await answered();
      await rewriteEntry(db, PLACE, "ALLOW", "DENY");
      const { code, out } = await monitored();
      expect(code).to.equal(1);
      expect(out).to.contain("contradicts what it signed");
      // The report with the judgement that the row has now, and the proof of the one that it had.
      expect(verdict({ ...before, decision: "DENY" })).to.equal("INVALID");
      // What its holder has saved stands, and proves what the log signed.
      expect(verdict(before)).to.equal("VALID");
      expect(verdict(await answered()), "no proof any more").to.equal("UNVERIFIABLE");
      expect(await refused(), "after that start").to.match(/entry 299 is not what its hash says/);
    });

    it("a rewritten row of the decision log is noticed where it is a hash of the tree", async () => {
      await answered();
      const hash = Buffer.alloc(32, 7).toString("base64");
      await changeRows(db, "log_nodes", { hash }, { level: 0, position: PLACE - 1 });
      expect(verdict(await answered())).to.equal("INVALID");
      expect(await refused()).to.be.a("string");
    });
  });
});
