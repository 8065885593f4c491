/** The paid phase as a user and an operator meet it: the programs of the README, started for real. */
import { join } from "node:path";
import { expect } from "chai";
import { readLocalFile } from "../../devnet/localFile.ts";
import { onDatabase } from "../support/database.ts";
import { startFilled } from "../support/filledWorld.ts";
import { addPayment } from "../support/paymentRows.ts";
import { type Program, run, start } from "../support/programs.ts";
import { expectQuoted } from "../support/quoted.ts";
import { testFolder } from "../support/suite.ts";

describe("npm start -- --paid", () => {
  const dataDir = testFolder("e2e-paid");
  const env = { DATA_DIR: dataDir, PORT: "0", RPC_PORT: "0" };
  let service: Program;

  const agent = (...args: string[]) => run("scripts/assay.ts", ["agent", ...args], env);
  const payments = async (...args: string[]) => {
    const { code, output } = await run("scripts/assay.ts", ["payments", ...args, "--json"], env);
    expect(code, output).to.equal(0);
    return JSON.parse(output);
  };
  const local = async () => (await readLocalFile(dataDir))!;

  before(async () => {
    service = await startFilled(dataDir, ["--paid"]);
  });
  after(() => service.crash());

  it("says what a report costs, and its curl line gets the 402", async () => {
    expect(service.output()).to.include("a report costs 0.01 USDL or 0.01 USDT");
    expect(service.output()).to.include("npm run agent -- --pay --keyless");
    const line = service
      .output()
      .split("\n")
      .find((text) => text.includes("/a2mcp/verify"));
    const answer = await fetch(/https?:\S+/.exec(line ?? "")?.[0] as string, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: /-d '(.*)'/.exec(line ?? "")?.[1] as string,
    });
    expect(answer.status).to.equal(402);
    const { accepts } = JSON.parse(Buffer.from(answer.headers.get("payment-required")!, "base64").toString());
    const { payee, tokens } = await local();
    expect(accepts.map(({ asset, payTo }: any) => [asset, payTo])).to.deep.equal(
      [tokens.USDL!, tokens.USDT!].map(({ address }) => [address, payee]),
    );
  });

  it("npm start -- --paid has the agent say what the report costs and stop, unless it may pay", async () => {
    const { code, output } = await agent();
    expect(code, output).to.equal(5);
    expect(output).to.include("The report costs 0.01 USDL").and.to.include("--pay");
    expect(await payments("list")).to.deep.equal([]);
  });

  it("brings an agent that pays from an intent to a confirmed trade, for one transfer of the price", async () => {
    const { code, output } = await agent("--pay");
    expect(code, output).to.equal(0);
    expectQuoted("docs/payments.md", "npm run agent -- --pay", output);
    expect(output).to.match(/confirmed\s+block \d+/);
    const [bought] = await payments("list");
    expect(bought).to.include({ state: "settled", amount: "0.01", symbol: "USDL", versions: 2 });
    expect(output).to.include(bought.jobId).and.to.include(bought.transaction);
    expect(bought.keyId).to.match(/^key_/);
  });

  it("npm start -- --paid does it without the API key, in one shot", async () => {
    const { code, output } = await agent("--pay", "--keyless", "--account", "2", "--symbol", "TSLAx");
    expect(code, output).to.equal(0);
    expect(output).to.match(/confirmed\s+block \d+/);
    const [bought] = await payments("list");
    expect(bought).to.include({ state: "settled", keyId: null });
    expect(output).to.include(bought.jobId);
  });

  it("npm start -- --paid has a book that equals the chain", async () => {
    const { output } = await run("scripts/assay.ts", ["payments", "check"], env);
    expectQuoted("docs/payments.md", "npm run assay -- payments check", output, "any");
    const checked = await payments("check");
    expect(checked).to.not.deep.equal([]);
    for (const { agrees, booked, onChain } of checked)
      expect([agrees, booked]).to.deep.equal([true, onChain]);
  });

  it("npm start -- --paid is free again without the option, and the reports that were paid for stay paid", async () => {
    const [bought] = (await payments("list")).filter(({ keyId }: any) => keyId !== null);
    service.kill("SIGTERM");
    await service.ended;
    // As a crash leaves it between the intent to charge and the block.
    const open = await onDatabase(`sqlite:${join(dataDir, "assay.db")}`, (db) =>
      addPayment(db, Math.floor(Date.now() / 1_000), { state: "settling" }),
    );
    service = start("devnet/start.ts", [], env);
    await service.printed("Ready after");
    expect(service.output()).not.to.include("a report costs");
    expect(service.output()).to.include("Payments that failed with it: 1.");
    const ended = (await payments("list")).find(({ jobId }: any) => jobId === open);
    expect(ended).to.include({ state: "expired", fault: "earlier_chain" });
    const { code, output } = await agent();
    expect(code, output).to.equal(0);
    const { baseUrl, apiKey } = await local();
    const job = await fetch(`${baseUrl}/v1/jobs/${bought.jobId}/report`, {
      headers: { "x-api-key": apiKey },
    });
    expect(job.status).to.equal(200);
  });
});
