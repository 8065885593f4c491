/**
 * The transcript of client/README.md, word for word, by a newcomer: an empty folder, the packed files, no checkout, against
 * `npm start -- --paid`. Only the two addresses are the ones that this start has.
 */
import { execFile } from "node:child_process";
import { copyFile, readFile, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { expect } from "chai";
import { type LocalFile, readLocalFile } from "../../devnet/localFile.ts";
import { transcript } from "../support/clientReadme.ts";
import { packedFiles, runIn } from "../support/packages.ts";
import { type Program, start } from "../support/programs.ts";
import { rewriting } from "../support/rewriting.ts";
import { testFolder } from "../support/suite.ts";

/** What one run shows and no other: `…` stands for it. */
const pattern = (line: string) =>
  new RegExp(
    `^${line
      .split("…")
      .map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"))
      .join("\\S+")}$`,
  );

describe("the transcript of client/README.md", function () {
  this.timeout(600_000);

  const dataDir = testFolder("transcript-data");
  const folder = testFolder("transcript");
  let service: Program;
  let local: LocalFile;

  before(async () => {
    for (const file of Object.values(await packedFiles())) await copyFile(file, join(folder, basename(file)));
    service = start("devnet/start.ts", ["--paid"], { DATA_DIR: dataDir, PORT: "0", RPC_PORT: "0" });
    await service.printed("Ready after");
    local = (await readLocalFile(dataDir))!;
  });
  after(() => service?.crash());

  const placed = (text: string) =>
    text.replaceAll("http://127.0.0.1:3000", local.baseUrl).replaceAll("http://127.0.0.1:8545", local.rpcUrl);

  it("names the files that it makes and has a command for each, in the order in which they are run", () => {
    expect(transcript.map(({ kind, name }) => `${kind} ${name}`)).to.deep.equal([
      "commands install",
      "file trade.mjs",
      "commands run",
    ]);
  });

  it("buys, verifies and trades, and prints what it says there", async () => {
    for (const part of transcript) {
      if (part.kind === "file") {
        await writeFile(join(folder, part.name), placed(part.content));
        continue;
      }
      for (const { command, output } of part.commands) {
        const { status, output: printed } = runIn(folder, "sh", ["-c", placed(command)]);
        const lines = printed.split("\n").filter((line) => line !== "" && !line.startsWith("npm warn"));
        expect(lines, `${command}\n${printed}`).to.have.length(output.length);
        for (const [index, line] of output.entries()) expect(lines[index]).to.match(pattern(line));
        expect(status, printed).to.equal(0);
      }
    }
  });

  it("says in one line what is wrong when the service is away", async () => {
    const text = (await readFile(join(folder, "trade.mjs"), "utf8")).replaceAll(
      local.baseUrl,
      "http://127.0.0.1:9",
    );
    await writeFile(
      join(folder, "away.mjs"),
      text.replace("createClient({ baseUrl", "createClient({ retries: 0, baseUrl"),
    );
    const { status, output } = runIn(folder, process.execPath, ["away.mjs"]);
    expect(status).to.equal(1);
    expect(output).to.match(/^ServiceError: No service answers at http:\/\/127\.0\.0\.1:9\.$/m);
  });

  it("stops before it signs where the service asks for more than the limit", async () => {
    const text = await readFile(join(folder, "trade.mjs"), "utf8");
    await writeFile(join(folder, "mean.mjs"), text.replace("maxAmount: 10_000n", "maxAmount: 9_999n"));
    const { status, output } = runIn(folder, process.execPath, ["mean.mjs"]);
    expect(status).to.equal(1);
    expect(output).to.include(
      "PaymentNotAllowed: It costs 10000 raw units, more than 9999. Nothing was signed.",
    );
  });

  /** Beside this process, which serves the lies. */
  async function lied(name: string, from: string, to: string): Promise<{ status: number; output: string }> {
    const text = (await readFile(join(folder, "trade.mjs"), "utf8")).replaceAll(from, to);
    await writeFile(join(folder, name), text);
    return new Promise((resolve) => {
      execFile(process.execPath, [name], { cwd: folder }, (error, stdout, stderr) =>
        resolve({ status: error === null ? 0 : 1, output: stdout + stderr }),
      );
    });
  }

  it("signs no trade that the service has put in the place of what was asked for, its example included", async () => {
    const other = await rewriting(local.baseUrl, (body) => body.replaceAll('"250000000"', '"240000000"'));
    const { status, output } = await lied("swapped.mjs", local.baseUrl, other.url);
    await other.close();
    expect(output).to.include("TradeRefused: It is not the trade that was asked for: amountInRaw.");
    expect(output)
      .to.match(/^bought /)
      .and.not.match(/^checked /m);
    expect(status).to.equal(1);
  });

  it("pays nobody but the recipient that is written in it", async () => {
    const text = await readFile(join(folder, "trade.mjs"), "utf8");
    const payTo = /payTo: "(0x\w{40})"/.exec(text)![1]!;
    await writeFile(join(folder, "payee.mjs"), text.replace(payTo, `0x${"1".repeat(40)}`));
    const { status, output } = runIn(folder, process.execPath, ["payee.mjs"]);
    expect(status).to.equal(1);
    expect(output).to.include(`PaymentNotAllowed: It is to be paid to ${payTo}, not to 0x1111`);
  });

  it("stops at a transaction that has failed", async () => {
    const failing = await rewriting(local.rpcUrl, (body) =>
      body.replace(/"status":\s*"0x1"/, '"status":"0x0"'),
    );
    const { status, output } = await lied("failed.mjs", local.rpcUrl, failing.url);
    await failing.close();
    expect(output).to.match(/^Error: the transaction failed: 0x[0-9a-f]{64}$/m);
    expect(output)
      .to.match(/^checked /m)
      .and.not.match(/^confirmed /m);
    expect(status).to.equal(1);
  });
});
