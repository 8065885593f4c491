/** A stranger with the key alone follows the log of a service over HTTP, with a witness beside. */
import { createHash } from "node:crypto";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect } from "chai";
import { evidenceKey } from "../../../api/log/entries.ts";
import { developmentLogSigner } from "../../../api/log/key.ts";
import { newestShard } from "../../../api/log/shards.ts";
import { openCheckpoint } from "../../../attestor/log/checkpoint.ts";
import { parseVkey, verifierKey, vkeyText } from "../../../attestor/log/note.ts";
import { parseTlogProof } from "../../../attestor/log/tlogProof.ts";
import { canonicalJson } from "../../../attestor/values/canonical.ts";
import type { World } from "../../../cli/console.ts";
import { logCommand } from "../../../cli/log/logCommand.ts";
import { startWitness } from "../../../cli/witness/witnessCommand.ts";
import type { Database } from "../../../database/open.ts";
import { addRows, changeRows, memoryDatabase, rowOf } from "../../support/database.ts";
import { startTestApp } from "../../support/http.ts";
import { addJudgements, openLog, TEST_BASE, wordsFolder } from "../../support/log.ts";
import { ofSuite } from "../../support/suite.ts";
import { until } from "../../support/until.ts";

const logKey = developmentLogSigner().keyOf(TEST_BASE);
const KEY = ["--log-key", vkeyText(logKey)];

describe("assay log and assay witness", () => {
  const [folder, words] = [wordsFolder(), wordsFolder()];
  const app = ofSuite(() => startTestApp());
  let db: Database;
  let url: string;
  before(() => {
    db = app.db;
    url = `${app.url}/log`;
  });
  const witness = ofSuite(() => {
    const place = { state: join(folder, "witness.json"), port: 0, host: "127.0.0.1" };
    return startWitness({ name: "witness.example/w1", logKeys: [vkeyText(logKey)], ...place }, Date.now);
  });

  const asked = () => [{ key: parseVkey(witness.vkey), url: witness.url }];
  async function logged(count: number) {
    const log = openLog(db, words, { asked: asked() });
    const made = await addJudgements(db, count);
    await log.signed(made.at(-1)!);
    await log.stop();
    return made;
  }
  async function assay(...args: string[]): Promise<{ code: number; out: string }> {
    const lines: string[] = [];
    const world = {
      out: (line: string) => lines.push(line),
      readText: (path: string) => readFile(path, "utf8"),
    } as unknown as World;
    const outside = { fetch, databaseUrl: () => "", now: Date.now };
    return { code: await logCommand(args, world, outside), out: lines.join("\n") };
  }

  it("an empty log has a checkpoint of size 0, which readers and a witness take and go on from", async () => {
    const state = ["--state", join(folder, "empty.json")];
    const log = openLog(db, words, { asked: asked() });
    await until("a cosigned checkpoint", async () => (await newestShard(db))?.cosigned);
    await log.stop();
    const note = await (await fetch(`${url}/checkpoint`)).text();
    expect(note.split("\n").slice(0, 3)).to.deep.equal([
      (await newestShard(db))!.origin,
      "0",
      createHash("sha256").digest("base64"),
    ]);
    const trust = { logs: [logKey], witnesses: [parseVkey(witness.vkey)] };
    const cosigned = openCheckpoint(await (await fetch(`${url}/cosigned`)).text(), trust);
    expect(cosigned).to.deep.include({ size: 0, witnesses: ["witness.example/w1"] });
    expect((await assay("check", url, ...KEY, ...state)).out).to.contain(": 0 entries, 0 new");
    const [made] = await logged(1);
    expect((await assay("check", url, ...KEY, ...state)).out).to.contain(": 1 entries, 1 new");
    expect((await assay("find", made!.evidenceHash, url, ...KEY)).code).to.equal(0);
  });

  it("check hashes every entry again, and goes on from what it saw", async () => {
    const state = ["--state", join(folder, "state.json")];
    await logged(299);
    expect(await assay("check", url, ...KEY, ...state)).to.deep.include({ code: 0 });
    await logged(5);
    const { code, out } = await assay("check", url, ...KEY, ...state);
    expect([code, out]).to.deep.equal([
      0,
      `${TEST_BASE}/${(await newestShard(db))!.name}: 305 entries, 5 new (5 denials), each hashed again, every tile compared.`,
    ]);
    expect((await assay("check", url, ...KEY, ...state)).out).to.contain("305 entries, 0 new");
  });

  it("an entry of another kind is hashed and named, and is not taken for a judgement", async () => {
    const other = await memoryDatabase();
    const second = await startTestApp({ db: other });
    const [made] = await addJudgements(other, 1);
    const entry = canonicalJson({
      schema: "assay.log-entry/9",
      kind: "refund",
      evidenceHash: made!.evidenceHash,
    });
    await addRows(other, "log_waiting", { entry, evidence_key: evidenceKey(made!.evidenceHash) });
    await openLog(other, join(words, "kinds")).stop();
    const checked = await assay("check", `${second.url}/log`, ...KEY);
    expect(checked.out).to.contain("2 entries, 2 new (1 denials, 1 of the unknown kind refund), each hashed");
    const { out } = await assay("find", made!.evidenceHash, `${second.url}/log`, ...KEY);
    expect(out.split("\n")).to.have.length(2);
    expect(out).to.match(/ 1 of the unknown kind refund$/);
    await second.stop();
  });

  it("check finds an old entry or tile that was rewritten after it saw it, unless it looks at new ones alone", async () => {
    const state = ["--state", join(folder, "rewritten.json")];
    expect((await assay("check", url, ...KEY, ...state)).code).to.equal(0);
    const entryAt = { shard: 1, position: 300 };
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
      const { code, out } = await assay("check", url, ...KEY, ...state);
      const quick = await assay("check", url, ...KEY, ...state, "--new-only");
      await restore();
      expect([code, out]).to.deep.equal([1, out]);
      expect(out).to.contain("its tile 0/001.p/49 is not what its entries hash to");
      expect([quick.code, quick.out]).to.deep.equal([0, quick.out]);
      expect(quick.out).to.contain("only these hashed: 305 older entries and the tiles were not checked.");
    }
    expect((await assay("check", url, ...KEY, ...state)).code).to.equal(0);
    const typed = await assay("check", url, ...KEY, "--new-only").catch((error) => error.message);
    expect(typed).to.equal("--new-only goes with --state");
  });

  it("find and prove name an entry with a proof that holds", async () => {
    const [made] = await logged(1);
    const { code, out } = await assay("find", made!.evidenceHash, url, ...KEY);
    expect([code, out.includes(` 305 {`)]).to.deep.equal([0, true]);
    const file = join(folder, "report.json");
    await writeFile(file, JSON.stringify(made));
    const { index, checkpoint } = parseTlogProof(`${(await assay("prove", file, url, ...KEY)).out}\n`);
    expect([index, openCheckpoint(checkpoint, { logs: [logKey] }).size]).to.deep.equal([305, 306]);
    expect((await assay("find", `0x${"0".repeat(64)}`, url, ...KEY)).code).to.equal(1);
  });

  it("a witness cosigns what goes on, and the service serves what it signed", async () => {
    const log = openLog(db, words, { asked: asked() });
    const [made] = await addJudgements(db, 1);
    await log.signed(made!);
    await until("entry 307 cosigned", async () => (await newestShard(db))!.cosigned_size >= 307);
    const trust = { logs: [logKey], witnesses: [parseVkey(witness.vkey)] };
    const cosigned = await (await fetch(`${url}/cosigned`)).text();
    expect(openCheckpoint(cosigned, trust).witnesses).to.deep.equal(["witness.example/w1"]);
    const witnessed = ["--witness", witness.vkey, "--state", join(folder, "witnessed.json")];
    expect(await assay("check", url, ...KEY, ...witnessed)).to.deep.include({ code: 0 });
    expect(await assay("check", url, ...KEY, ...witnessed, "--new-only")).to.deep.include({ code: 0 });
    const stranger = ["--witness", vkeyText(verifierKey("witness.example/no", 4, logKey.publicKey))];
    const lacking = await assay("check", url, ...KEY, ...stranger);
    expect([lacking.code, lacking.out.split("\n")[1]]).to.deep.equal([
      1,
      "Not cosigned by witness.example/no.",
    ]);
    const proof = parseTlogProof((await log.proofOf(made!))!);
    expect(openCheckpoint(proof.checkpoint, trust).witnesses).to.deep.equal(["witness.example/w1"]);
    await log.stop();
  });

  it("a witness refuses what contradicts, what is not signed, and what it does not know", async () => {
    const name = (await newestShard(db))!.name;
    const post = async (body: string) => {
      const answer = await fetch(`${witness.url}/add-checkpoint`, { method: "POST", body });
      return [answer.status, await answer.text()];
    };
    const signer = developmentLogSigner();
    const lie = (size: number) =>
      signer.sign({ origin: `${TEST_BASE}/${name}`, size, root: new Uint8Array(32) });
    expect(await post(`old 0\n\n${lie(9)}`)).to.deep.equal([409, "307\n"]);
    expect((await post(`old 307\n\n${lie(307)}`))[0]).to.equal(422);
    expect((await post(`old 307\n\n${lie(400)}`))[0]).to.equal(422);
    expect((await post(`old 308\n\n${lie(307)}`))[0]).to.equal(400);
    expect((await post(`old 307\n\n${lie(308).replace("\n308\n", "\n309\n")}`))[0]).to.equal(403);
    const foreign = signer.sign({ origin: "other.example/log", size: 1, root: new Uint8Array(32) });
    expect((await post(`old 0\n\n${foreign}`))[0]).to.equal(404);
    expect((await post("nonsense"))[0]).to.equal(400);
  });

  it("a witness stops a log whose file and database were both set back", async () => {
    const other = await memoryDatabase();
    const fresh = join(words, "elsewhere");
    const log = openLog(other, fresh, { asked: asked() });
    await addJudgements(other, 3);
    await log.stop();
    expect((await newestShard(other))?.refused).to.match(
      /witness.example\/w1 has seen has 307 entries, and the database 3/,
    );
    await other.destroy();
  });

  it("check leaves with 1 and keeps the checkpoints when the log shows another tree than it signed", async () => {
    const path = join(folder, "state.json");
    await assay("check", url, ...KEY, "--state", path);
    const shard = (await newestShard(db))!;
    const sound = shard.checkpoint!;
    const { origin, signed_size: size } = shard;
    const lie = developmentLogSigner().sign({ origin, size, root: new Uint8Array(32) });
    await changeRows(db, "log_shards", { checkpoint: lie });
    const { code, out } = await assay("check", url, ...KEY, "--state", path);
    expect([code, out]).to.deep.equal([1, out]);
    expect(out).to.contain("contradicts what it signed");
    expect(await readFile(`${path}.contradiction`, "utf8")).to.equal(`${sound}\n${lie}`);
    // So does a tree that it had cosigned.
    await changeRows(db, "log_shards", { checkpoint: sound, cosigned: lie });
    const split = await assay("check", url, ...KEY, "--witness", witness.vkey);
    expect([split.code, split.out]).to.deep.equal([1, split.out]);
    expect(split.out).to.contain("contradicts what it signed: its first 307 entries hash to");
    // Without a state the entries themselves show a changed one.
    await changeRows(db, "log_shards", { checkpoint: sound });
    await db
      .updateTable("log_entries")
      .set((eb) => ({ entry: eb.fn("replace", ["entry", eb.val("DENY"), eb.val("ALLOW")]) }))
      .where("position", "=", 7)
      .execute();
    expect((await assay("check", url, ...KEY)).code).to.equal(1);
  });
});
