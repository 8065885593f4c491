/**
 * The transcript of client/README.md, word for word, by a newcomer: an empty folder, the packed files, and the settings that
 * `npm start -- --paid` writes.
 */
import { execFile } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect } from "chai";
import { failureOf } from "../support/failure.ts";
import { testNewcomer, transcriptOf } from "./newcomer.ts";

describe("the transcript of client/README.md", function () {
  this.timeout(600_000);

  const transcript = transcriptOf("client/README.md");
  const newcomer = testNewcomer("transcript", "--paid");
  const { folder } = newcomer;

  it("names the files that it makes and has a command for each, in the order in which they are run", () => {
    expect(transcript.map(({ kind, name }) => `${kind} ${name}`)).to.deep.equal([
      "commands install",
      "file trade.mjs",
      "commands run",
    ]);
  });

  it("buys, verifies and trades, and prints what it says there", async () => {
    await newcomer.follow(transcript);
  });

  /** What the trade says when its text was changed. What service and node may lie about is in test/client. */
  async function failing(...changes: (readonly [from: string, to: string])[]): Promise<string> {
    let text = await readFile(join(folder, "trade.mjs"), "utf8");
    for (const [from, to] of changes) text = text.replaceAll(from, to);
    await writeFile(join(folder, "changed.mjs"), text);
    const run = promisify(execFile)(process.execPath, ["changed.mjs"], { cwd: folder });
    const { code, stdout, stderr } = await failureOf(run);
    expect(code).to.equal(1);
    return stdout + stderr;
  }

  it("stops before it signs where the service asks for more than the limit", async () => {
    expect(await failing(["maxAmount: 10_000n", "maxAmount: 9_999n"])).to.include(
      "PaymentNotAllowed: It costs 10000 raw units, more than 9999. Nothing was signed.",
    );
  });

  it("pays nobody but the recipient that is written in it", async () => {
    const text = await readFile(join(folder, "trade.mjs"), "utf8");
    const payTo = /payTo = "(0x\w{40})"/.exec(text)![1]!;
    const output = await failing([payTo, `0x${"1".repeat(40)}`]);
    expect(output).to.include(`PaymentNotAllowed: It is to be paid to ${payTo}, not to 0x1111`);
  });
});
