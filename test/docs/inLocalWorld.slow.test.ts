/** Commands of pages that are no runbook, in the order of each page, in a local world that sells its reports. */

import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { expect } from "chai";
import { readLocalFile } from "../../devnet/localFile.ts";
import { startFilled } from "../support/filledWorld.ts";
import { withoutNpm } from "../support/runbooks.ts";
import { ofSuite, testFolder } from "../support/suite.ts";
import { until } from "../support/until.ts";

const ROOT = join(import.meta.dirname, "../..");

/** Commands of the page's `sh` blocks that have no name. */
function commandsOf(page: string): string[] {
  const text = readFileSync(join(ROOT, page), "utf8");
  return [...text.matchAll(/^```sh\n([\s\S]*?)\n```$/gm)].flatMap(([, block]) =>
    block!.split("\n").map((line) => line.replace(/\s+#.*$/, "")),
  );
}

describe("commands of the documents, in the local world", function () {
  this.timeout(300_000);
  const folder = testFolder("documents");
  const dataDir = testFolder("documents-data");
  const world = ofSuite(async () => {
    const program = await startFilled(dataDir, ["--paid"]);
    return { ...(await readLocalFile(dataDir))!, stop: () => program.crash() };
  });

  /** In a folder of its own, so that files which commands write stay there. @returns what it printed */
  async function run(command: string): Promise<string> {
    // Hardhat looks for it in the folder.
    const env = { ...process.env, DATA_DIR: dataDir, HARDHAT_CONFIG: join(ROOT, "hardhat.config.ts") };
    try {
      const { stdout } = await promisify(execFile)("sh", ["-c", withoutNpm(command)], { cwd: folder, env });
      return stdout;
    } catch (error) {
      const { stdout, stderr } = error as { stdout: string; stderr: string };
      throw new Error(`${command}\n${stdout}${stderr}`);
    }
  }

  /** Each command that `page` shows and `isHere` takes, with these words instead of the page's. */
  async function follow(page: string, words: [string | RegExp, string][], isHere: RegExp): Promise<string[]> {
    const commands = commandsOf(page).filter((command) => isHere.test(command));
    expect(commands, page).to.not.have.length(0);
    const outputs: string[] = [];
    for (const command of commands)
      outputs.push(await run(words.reduce((text, [word, own]) => text.replaceAll(word, own), command)));
    return outputs;
  }

  it("make, approve, limit and revoke an API key, as docs/run/keys.md shows", async () => {
    const [apply] = await follow("docs/run/keys.md", [], /keys apply/);
    const [, id = ""] = /\b(key_[\w-]+)/.exec(apply!) ?? [];
    const [list, history, approved] = await follow("docs/run/keys.md", [["<id>", id]], /keys (?!apply)/);
    expect(list).to.contain(id).and.contain("pending");
    expect(history).to.contain(id);
    expect(approved).to.match(new RegExp(`${id}.*active`));
    expect(await run("npm run assay -- keys list")).to.match(new RegExp(`${id}.*revoked`));
  });

  it("account for payments and propose a refund, as docs/run/payments.md shows", async () => {
    await run("npm run agent -- --pay --save bought.json");
    const { jobId } = JSON.parse(readFileSync(join(folder, "bought.json"), "utf8"));
    const words: [string, string][] = [["job_…", jobId]];
    const [check, list, open, ofJob, csv] = await follow(
      "docs/run/payments.md",
      words,
      /payments (?!refund)/,
    );
    expect(check).to.contain("the same");
    expect(list).to.contain(jobId);
    expect(open).to.not.contain(jobId);
    expect(ofJob).to.contain("0.01").and.contain(jobId);
    expect(csv).to.equal("");
    expect(readFileSync(join(folder, "payments.csv"), "utf8")).to.contain(jobId);
    const [proposed, refunds] = await follow(
      "docs/run/payments.md",
      words,
      /payments refund(?!.*--(?:safe|confirm|withdraw))/,
    );
    expect(proposed).to.contain("0.01");
    expect(refunds).to.contain(jobId);
  });

  it("verify a trade with a guard, a node, and from its transaction, as docs/verify.md shows", async () => {
    const printed = await run("npm run agent -- --pay --save trade.json");
    const [, tx = ""] = /verify --tx (0x\w+)/.exec(printed)!;
    const [, evidence = ""] = /\/evidence\/(0x\w+)/.exec(printed)!;
    await until("the trade's evidence", async () => {
      // Requests of an address are limited.
      await sleep(1_000);
      return (await fetch(`${world.baseUrl}/evidence/${evidence}`)).ok;
    });
    const words: [string | RegExp, string][] = [
      ["56:0x…", `${world.chainId}:${world.guard}`],
      ["--tx 0x…", `--tx ${tx}`],
      ["--rpc https://…", `--rpc ${world.rpcUrl}`],
      ["--service https://…", `--service ${world.baseUrl}`],
    ];
    const verdicts = await follow("docs/verify.md", words, /assay -- verify/);
    for (const verdict of verdicts) expect(verdict).to.match(/^VALID\W/m);
  });

  it("check the decision log and find a judgement in it, as docs/spec/log.md shows", async () => {
    const vkey = await (await fetch(`${world.baseUrl}/log/vkey`)).text();
    const { report } = JSON.parse(readFileSync(join(folder, "trade.json"), "utf8"));
    const words: [string, string][] = [
      ["https://assay.example.com/log", `${world.baseUrl}/log`],
      ["$VKEY", vkey.trim()],
      ["0xEVIDENCE_HASH", report.evidenceHash],
      ["report.json", "trade.json"],
    ];
    const [checked, verdict, found] = await follow(
      "docs/spec/log.md",
      words,
      /log (?:check|find)|assay -- verify/,
    );
    expect(checked).to.contain("entries");
    expect(verdict).to.match(/^VALID\W/m);
    expect(found).to.contain(report.evidenceHash);
  });
});
