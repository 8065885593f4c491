/** `assay witness` as its operator runs it, and a log whose witnesses are away. */
import { join } from "node:path";
import { expect } from "chai";
import { developmentLogSigner } from "../../../api/log/key.ts";
import { newestShard } from "../../../api/log/shards.ts";
import { openCheckpoint } from "../../../attestor/log/checkpoint.ts";
import { parseVkey, vkeyText } from "../../../attestor/log/note.ts";
import { parseTlogProof } from "../../../attestor/log/tlogProof.ts";
import type { Database } from "../../../database/open.ts";
import { memoryDatabase } from "../../support/database.ts";
import { addJudgements, openLog, TEST_BASE, wordsFolder } from "../../support/log.ts";
import { localServer } from "../../support/ports.ts";
import { type Program, run, start } from "../../support/programs.ts";
import { ofSuite } from "../../support/suite.ts";
import { until } from "../../support/until.ts";

const logKey = developmentLogSigner().keyOf(TEST_BASE);
const NAME = "witness.example/w2";

describe("assay witness as a program", () => {
  const folder = wordsFolder();
  const state = join(folder, "witness.json");
  const args = ["witness", "--name", NAME, "--state", state, "--log-key", vkeyText(logKey)];
  const running: Program[] = [];
  after(() => Promise.all(running.map((program) => program.crash())));

  async function startWitness() {
    const program = start("cli/assay.ts", args, {});
    running.push(program);
    await program.printed("http://");
    const [, vkey = "", url = ""] = /(witness\S+) (http:\S+)\n/.exec(program.output()) ?? [];
    return { program, asked: { key: parseVkey(vkey), url }, vkey };
  }

  /** Until the log's newest checkpoint has its witness's signature. */
  async function cosigned(db: Database, size: number): Promise<string> {
    const shard = await until(
      "it",
      () => newestShard(db),
      (found) => found?.cosigned_size === size,
    );
    return shard!.cosigned!;
  }

  it("cosigns, is killed, and goes on as the same witness from what it saw", async () => {
    const db = await memoryDatabase();
    const first = await startWitness();
    const log = openLog(db, join(folder, "a"), { asked: [first.asked] });
    await log.signed((await addJudgements(db, 5)).at(-1)!);
    await cosigned(db, 5);
    await log.stop();
    await first.program.crash();

    const second = await startWitness();
    expect(second.vkey).to.equal(first.vkey);
    const again = openLog(db, join(folder, "a"), { asked: [second.asked] });
    await again.signed((await addJudgements(db, 2)).at(-1)!);
    const trust = { logs: [logKey], witnesses: [second.asked.key] };
    expect(openCheckpoint(await cosigned(db, 7), trust).witnesses).to.deep.equal([NAME]);
    await again.stop();
    second.program.kill("SIGTERM");
    expect(await second.program.ended).to.equal(0);
    await db.destroy();
  });

  it("assay witness as a program does not run on a state that is another's, and says so", async () => {
    const other = ["witness", "--name", "witness.example/other", "--state", state];
    const { code, output } = await run("cli/assay.ts", [...other, "--log-key", vkeyText(logKey)], {});
    expect([code, output]).to.deep.equal([2, output]);
    expect(output).to.contain(`is the state of the witness ${NAME}`);
  });
});

describe("a decision log whose witness is away", () => {
  const folder = wordsFolder();
  const key = parseVkey(vkeyText(developmentLogSigner().keyOf("witness.example/dead")));
  // Takes what comes and never answers.
  const silent = ofSuite(() => localServer(() => {}));

  for (const [what, url] of [
    ["refuses connections", () => "http://127.0.0.1:1"],
    ["answers nothing", () => silent.url],
  ] as const)
    it(`signs and proves as without, where the witness ${what}`, async () => {
      const db = await memoryDatabase();
      const log = openLog(db, join(folder, what), { asked: [{ key, url: url() }] });
      // The first checkpoint of a process waits until the witness was asked what it has seen, or does not answer.
      await log.signed((await addJudgements(db, 1)).at(-1)!);
      for (let size = 2; size <= 20; size++) {
        const [made] = await addJudgements(db, 1);
        const { checkpoint } = parseTlogProof(await log.signed(made!));
        expect(openCheckpoint(checkpoint, { logs: [logKey] })).to.include({ size });
      }
      expect((await newestShard(db))?.cosigned_size).to.equal(0);
      await log.stop();
      await db.destroy();
    });
});
