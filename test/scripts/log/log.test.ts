/** A stranger with the key alone follows the log of a service over HTTP, with a witness beside. */
import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect } from "chai";
import { evidenceKey, findLogTree } from "../../../api/log/entries.ts";
import { developmentLogSigner } from "../../../api/log/key.ts";
import { openCheckpoint } from "../../../attestor/log/checkpoint.ts";
import { verifierKey, vkeyText } from "../../../attestor/log/note.ts";
import { parseTlogProof } from "../../../attestor/log/tlogProof.ts";
import { canonicalJson } from "../../../attestor/values/canonical.ts";
import type { Database } from "../../../database/open.ts";
import { addRows, changeRows, memoryDatabase, rowOf } from "../../support/database.ts";
import { startTestApp } from "../../support/http.ts";
import {
  addEntry,
  addJudgements,
  judgement,
  openLog,
  rewriteEntry,
  TEST_ORIGIN,
  wordsFolder,
} from "../../support/log.ts";
import { ofSuite } from "../../support/suite.ts";
import { until } from "../../support/until.ts";
import { startWitness } from "../../support/witness.ts";
import { assayLog } from "./assayLog.ts";

const logKey = developmentLogSigner().keyOf(TEST_ORIGIN);
const KEY = ["--log-key", vkeyText(logKey)];

describe("assay log", () => {
  const [folder, words] = [wordsFolder(), wordsFolder()];
  const app = ofSuite(() => startTestApp());
  let db: Database;
  let url: string;
  before(() => {
    db = app.db;
    url = `${app.url}/log`;
  });
  const witness = ofSuite(() => startWitness([logKey]));

  const asked = () => [{ key: witness.key, url: witness.url }];
  async function logged(count: number) {
    const log = openLog(db, words, { asked: asked() });
    const made = await addJudgements(db, count);
    await log.signed(made.at(-1)!);
    await log.stop();
    return made;
  }
  const text = async (path: string) => (await fetch(`${url}/${path}`)).text();

  it("an empty log has a checkpoint of size 0, which readers and a witness take and go on from", async () => {
    const state = ["--state", join(folder, "empty.json")];
    const log = openLog(db, words, { asked: asked() });
    await until("a cosigned checkpoint", async () => (await findLogTree(db))?.cosigned);
    await log.stop();
    const [origin, ...tree] = (await text("checkpoint")).split("\n");
    expect(origin).to.equal((await findLogTree(db))!.origin);
    expect(tree.slice(0, 2)).to.deep.equal(["0", createHash("sha256").digest("base64")]);
    const trust = { logs: [logKey], witnesses: [witness.key] };
    const cosigned = openCheckpoint(await text("cosigned"), trust);
    expect(cosigned).to.deep.include({ size: 0, witnesses: ["witness.example/w1"] });
    expect((await assayLog("check", url, ...KEY, ...state)).out).to.contain(": 0 entries, 0 new");
    const [made] = await logged(1);
    expect((await assayLog("check", url, ...KEY, ...state)).out).to.contain(": 1 entries, 1 new");
    expect((await assayLog("find", made!.evidenceHash, url, ...KEY)).code).to.equal(0);
    const json = async (...typed: string[]) =>
      JSON.parse((await assayLog(...typed, url, ...KEY, "--json")).out);
    const [found] = await json("find", made!.evidenceHash);
    expect([found.index, found.entry.evidenceHash]).to.deep.equal([0, made!.evidenceHash]);
    expect(await json("check")).to.deep.include({ size: 1, entries: 1, unknown: {}, notCosignedBy: [] });
  });

  it("check hashes every entry again, and goes on from what it saw", async () => {
    const state = ["--state", join(folder, "state.json")];
    await logged(299);
    expect(await assayLog("check", url, ...KEY, ...state)).to.deep.include({ code: 0 });
    await logged(5);
    const said = ": 305 entries, 5 new (5 denials), each hashed again, every tile compared.";
    const out = `${TEST_ORIGIN}${said}`;
    expect(await assayLog("check", url, ...KEY, ...state)).to.deep.equal({ code: 0, out });
    expect((await assayLog("check", url, ...KEY, ...state)).out).to.contain("305 entries, 0 new");
  });

  it("an entry of another kind is hashed and named, and is not taken for a judgement", async () => {
    const other = await memoryDatabase();
    const second = await startTestApp({ db: other });
    const [made] = await addJudgements(other, 1);
    const { evidenceHash } = made!;
    const entry = canonicalJson({ schema: "assay.log-entry/9", kind: "refund", evidenceHash });
    await addRows(other, "log_waiting", { entry, evidence_key: evidenceKey(evidenceHash) });
    await openLog(other, join(words, "kinds")).stop();
    const checked = await assayLog("check", `${second.url}/log`, ...KEY);
    expect(checked.out).to.contain("2 entries, 2 new (1 denials, 1 of the unknown kind refund), each hashed");
    const { out } = await assayLog("find", evidenceHash, `${second.url}/log`, ...KEY);
    expect(out.split("\n")).to.have.length(2);
    expect(out).to.match(/ 1 of the unknown kind refund$/);
    await second.stop();
  });

  it("check leaves with 1 where two entries answer one job and version, in one run or in two", async () => {
    const other = await memoryDatabase();
    await using second = await startTestApp({ db: other });
    const path = join(folder, "answers.json");
    const check = (...flags: string[]) =>
      assayLog("check", `${second.url}/log`, ...KEY, "--state", path, ...flags);
    const publish = async (...made: Parameters<typeof addEntry>[1][]) => {
      await other.transaction().execute(async (trx) => {
        for (const each of made) await addEntry(trx, each);
      });
      await openLog(other, join(words, "answers")).stop();
    };
    // Another version of one job is another answer.
    await publish(judgement({ jobId: "job_1" }), judgement({ jobId: "job_1", version: 2 }));
    expect((await check()).code).to.equal(0);
    await publish(judgement({ jobId: "job_2" }), judgement({ jobId: "job_1", decision: "ALLOW" }));
    for (const flags of [["--new-only"], []]) {
      const { code, out } = await check(...flags);
      expect(code).to.equal(1);
      expect(out).to.contain(
        "contradicts what it signed: it answers a job and version a second time in entries 3",
      );
    }
    expect(await readFile(`${path}.contradiction`, "utf8")).to.contain(TEST_ORIGIN);
  });

  it("check finds an old entry or tile that was rewritten after it saw it, unless it looks at new ones alone", async () => {
    const state = ["--state", join(folder, "rewritten.json")];
    expect((await assayLog("check", url, ...KEY, ...state)).code).to.equal(0);
    const entryAt = { position: 300 };
    const nodeAt = { ...entryAt, level: 0 };
    const { entry } = await rowOf(db, "log_entries", entryAt);
    const { hash } = await rowOf(db, "log_nodes", nodeAt);
    const setEntry = (text: string) => changeRows(db, "log_entries", { entry: text }, entryAt);
    const setNode = (text: string) => changeRows(db, "log_nodes", { hash: text }, nodeAt);
    for (const [rewrite, restore] of [
      [() => setEntry(entry.replace("DENY", "ALLOW")), () => setEntry(entry)],
      [() => setNode(Buffer.alloc(32).toString("base64")), () => setNode(hash)],
    ] as const) {
      await rewrite();
      const { code, out } = await assayLog("check", url, ...KEY, ...state);
      const quick = await assayLog("check", url, ...KEY, ...state, "--new-only");
      await restore();
      expect(code, out).to.equal(1);
      expect(out).to.contain("its tile 0/001.p/49 is not what its entries hash to");
      expect(quick.code, quick.out).to.equal(0);
      expect(quick.out).to.contain("only these hashed: 305 older entries and the tiles were not checked.");
    }
    expect((await assayLog("check", url, ...KEY, ...state)).code).to.equal(0);
    const typed = await assayLog("check", url, ...KEY, "--new-only");
    expect([typed.code, typed.out]).to.match(/^2,.*--new-only goes with --state/);
  });

  it("find names an entry with a proof that holds", async () => {
    const [made] = await logged(1);
    const { code, out } = await assayLog("find", made!.evidenceHash, url, ...KEY);
    expect([code, out.includes(` 305 {`)]).to.deep.equal([0, true]);
    expect((await assayLog("find", `0x${"0".repeat(64)}`, url, ...KEY)).code).to.equal(1);
  });

  it("a witness cosigns what goes on, and the service serves what it signed", async () => {
    const log = openLog(db, words, { asked: asked() });
    const [made] = await addJudgements(db, 1);
    await log.signed(made!);
    await until("entry 307 cosigned", async () => (await findLogTree(db))!.cosigned_size >= 307);
    const trust = { logs: [logKey], witnesses: [witness.key] };
    expect(openCheckpoint(await text("cosigned"), trust).witnesses).to.deep.equal(["witness.example/w1"]);
    const witnessed = ["--witness", witness.vkey, "--state", join(folder, "witnessed.json")];
    expect(await assayLog("check", url, ...KEY, ...witnessed)).to.deep.include({ code: 0 });
    expect(await assayLog("check", url, ...KEY, ...witnessed, "--new-only")).to.deep.include({ code: 0 });
    const stranger = ["--witness", vkeyText(verifierKey("witness.example/no", 4, logKey.publicKey))];
    const lacking = await assayLog("check", url, ...KEY, ...stranger);
    expect(lacking.code).to.equal(1);
    expect(lacking.out.split("\n")[1]).to.equal("Not cosigned by witness.example/no.");
    const proof = parseTlogProof((await log.proofOf(made!))!);
    expect(openCheckpoint(proof.checkpoint, trust).witnesses).to.deep.equal(["witness.example/w1"]);
    await log.stop();
  });

  it("a witness stops a log whose file and database were both set back", async () => {
    const other = await memoryDatabase();
    const log = openLog(other, join(words, "elsewhere"), { asked: asked() });
    await addJudgements(other, 3);
    await log.stop();
    expect((await findLogTree(other))?.refused).to.match(
      /witness.example\/w1 has seen has 307 entries, and the database 3/,
    );
    await other.destroy();
  });

  it("check leaves with 1 and keeps the checkpoints when the log shows another tree than it signed", async () => {
    const path = join(folder, "state.json");
    await assayLog("check", url, ...KEY, "--state", path);
    const tree = (await findLogTree(db))!;
    const sound = tree.checkpoint!;
    const { origin, signed_size: size } = tree;
    const lie = developmentLogSigner().sign({ origin, size, root: new Uint8Array(32) });
    await changeRows(db, "log_tree", { checkpoint: lie });
    const { code, out } = await assayLog("check", url, ...KEY, "--state", path);
    expect(code, out).to.equal(1);
    expect(out).to.contain("contradicts what it signed");
    expect(await readFile(`${path}.contradiction`, "utf8")).to.equal(`${sound}\n${lie}`);
    // So does a tree that it had cosigned.
    await changeRows(db, "log_tree", { checkpoint: sound, cosigned: lie });
    const split = await assayLog("check", url, ...KEY, "--witness", witness.vkey);
    expect(split.code, split.out).to.equal(1);
    expect(split.out).to.contain("contradicts what it signed: its first 307 entries hash to");
    // Without a state the entries themselves show a changed one.
    await changeRows(db, "log_tree", { checkpoint: sound });
    await rewriteEntry(db, 7, "DENY", "ALLOW");
    expect((await assayLog("check", url, ...KEY)).code).to.equal(1);
  });
});
