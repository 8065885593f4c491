/** What the page of the decision log finds of logs that are honest, grown, rewritten and forked. */
import { expect } from "chai";
import { createLogAnswers } from "../../../api/log/answers.ts";
import { developmentLogSigner } from "../../../api/log/key.ts";
import type { LogSource } from "../../../attestor/log/served.ts";
import { parseTileName } from "../../../attestor/log/tiles.ts";
import type { Database } from "../../../database/open.ts";
import { checkLog } from "../../../web/log/check.ts";
import { ownCaches } from "../../support/caches.ts";
import { memoryDatabase } from "../../support/database.ts";
import { addJudgements, openLog, rewriteEntry, TEST_BASE, wordsFolder } from "../../support/log.ts";

/** A log's files as its routes serve them. */
function filesOf(db: Database) {
  const signer = developmentLogSigner();
  const answers = createLogAnswers({ db, signer, base: TEST_BASE, caches: ownCaches(), now: Date.now });
  const text = async (found: Promise<string | null>) => new TextEncoder().encode((await found) ?? "");
  const source: LogSource = {
    async file(path) {
      const name = path.replace(/^[0-9]{4}\//, "");
      if (name === "checkpoint") return text(answers.checkpoint(undefined));
      const [, kind = "", tile = ""] = /^tile\/([^/]+)\/(.+)$/.exec(name) ?? [];
      const parsed = parseTileName(tile);
      if (parsed === null) throw new Error(`${path} answers 404`);
      const level = kind === "entries" ? 0 : Number(kind);
      const found = await (kind === "entries"
        ? answers.entries(undefined, { level, ...parsed })
        : answers.tile(undefined, { level, ...parsed }));
      if (found === null) throw new Error(`${path} answers 404`);
      return new Uint8Array(found);
    },
    pause: async () => {},
  };
  return { ...answers, source };
}

describe("the decision log as its page checks it", () => {
  const folder = wordsFolder();
  /** A signed log of so many judgements. */
  async function logOf(count: number, name: string) {
    const db = await memoryDatabase();
    const made = await addJudgements(db, count);
    const sign = () => openLog(db, `${folder}-${name}`).stop();
    await sign();
    const files = filesOf(db);
    const shown = async (seen: string | null = null) => ({
      vkey: (await files.vkey(undefined))!.trim(),
      note: (await files.checkpoint(undefined))!,
      entries: made.map(({ evidenceHash, decision }, index) => ({ index, evidenceHash, decision })),
      seen,
    });
    return { db, files, shown, sign };
  }
  const outcomes = async (...asked: Parameters<typeof checkLog>) =>
    Object.fromEntries((await checkLog(...asked)).map(({ name, outcome }) => [name, outcome]));
  const GOOD = { signature: "ok", consistency: "ok", entries: "ok" };

  it("an honest log holds, at a first visit and when it has grown since the last", async () => {
    const { db, files, shown, sign } = await logOf(300, "honest");
    const first = await shown();
    expect(await outcomes(first, files.source)).to.deep.equal({ ...GOOD, memory: "absent" });
    await addJudgements(db, 30);
    await sign();
    expect((await shown()).note).not.to.equal(first.note);
    expect(await outcomes({ ...(await shown()), seen: first.note }, files.source)).to.deep.equal({
      ...GOOD,
      memory: "ok",
    });
  });

  it("an entry that was rewritten, or is shown otherwise than it is logged, contradicts", async () => {
    const { db, files, shown } = await logOf(5, "rewritten");
    const honest = await shown();
    const told = honest.entries.map((entry) => (entry.index === 3 ? { ...entry, decision: "ALLOW" } : entry));
    const checks = await checkLog({ ...honest, entries: told }, files.source);
    expect(checks.at(-1)).to.deep.equal({ name: "entries", outcome: "wrong", detail: "4" });
    await rewriteEntry(db, 3, "DENY", "ALLOW");
    expect(await outcomes({ ...honest, entries: told }, files.source)).to.include({ entries: "wrong" });
  });

  it("a log that tells another story than the one that this browser saw contradicts", async () => {
    const [one, other] = [await logOf(4, "one"), await logOf(6, "other")];
    const { note: seen } = await one.shown();
    expect(await outcomes(await other.shown(seen), other.files.source)).to.deep.equal({
      ...GOOD,
      memory: "wrong",
    });
  });

  it("a checkpoint that the key did not sign contradicts, and a log that does not answer is not known", async () => {
    const { files, shown } = await logOf(2, "silent");
    const { note, ...rest } = await shown();
    const forged = note.replace("\n2\n", "\n3\n");
    expect(await outcomes({ ...rest, note: forged }, files.source)).to.deep.equal({ signature: "wrong" });
    const silent: LogSource = { ...files.source, file: () => Promise.reject(new Error("nobody answers")) };
    expect(await outcomes({ ...rest, note }, silent)).to.include({
      signature: "ok",
      consistency: "unknown",
      entries: "unknown",
    });
  });
});
