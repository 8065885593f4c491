/** Runs the example of docs/spec/log.md verbatim. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect } from "chai";
import { measureLog } from "../../../api/log/state.ts";
import { createMetrics } from "../../../api/metrics/metrics.ts";
import { memoryDatabase } from "../../support/database.ts";
import { startTestApp } from "../../support/http.ts";
import { addJudgements, openLog, rewriteEntry, wordsFolder } from "../../support/log.ts";
import { testFolder } from "../../support/suite.ts";
import { until } from "../../support/until.ts";

const page = await readFile(new URL("../../../docs/spec/log.md", import.meta.url), "utf8");

describe("docs/spec/log.md", () => {
  const [words, folder] = [wordsFolder(), testFolder("example")];

  it("docs/spec/log.md has a program that follows the log with its key alone", async () => {
    const program = /```js example\n([\s\S]*?)```/.exec(page)![1]!;
    await writeFile(join(folder, "example.mjs"), program);
    const db = await memoryDatabase();
    const app = await startTestApp({ db });
    const log = openLog(db, words);
    await until("a checkpoint", async () => (await fetch(`${app.url}/log/checkpoint`)).ok);
    const vkey = (await (await fetch(`${app.url}/log/vkey`)).text()).trim();
    const run = async (...args: string[]) => {
      const child = spawn(process.execPath, [join(folder, "example.mjs"), ...args]);
      let out = "";
      for (const stream of [child.stdout, child.stderr]) stream.on("data", (data) => (out += data));
      await once(child, "close");
      return out.trim();
    };
    const url = `${app.url}/log`;
    expect(await run(url, vkey, "nothing")).to.equal("0 entries, none of them it");
    const made = await addJudgements(db, 261);
    await log.signed(made[0]!);
    expect(await run(url, vkey, made[260]!.evidenceHash)).to.equal("261 entries, it is entry 260");
    expect(await run(url, vkey, "nothing")).to.equal("261 entries, none of them it");
    await rewriteEntry(db, 7, "DENY", "ALLOW");
    expect(await run(url, vkey, "nothing")).to.contain("the log lied");
    await log.stop();
    await app.stop();
    await db.destroy();
  });

  it("names the metric by which an alert finds a log that is no longer signed", async () => {
    const signed = { signedSize: 2, signedAt: 1_000, cosignedSize: 0 };
    const state = { name: "2026", size: 3, ...signed, waiting: 7, fault: null, refused: "why" };
    const metrics = createMetrics();
    measureLog(
      metrics,
      async () => state,
      () => 5_000,
    );
    const families = (await metrics.getMetricsAsJSON()) as { name: string; values: { value: number }[] }[];
    expect(families.map(({ values }) => values[0]!.value)).to.deep.equal([3, 7, 2, 0, 4, 4, 1]);
    expect(families.at(-1)!.name).to.equal("assay_log_refused");
    expect(page).to.contain("`assay_log_refused`");
  });
});
