/** The main job as a user meets it: the programs of the README, started for real. */
import { exec } from "node:child_process";
import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { expect } from "chai";
import { JsonRpcProvider } from "ethers";
import { localAccounts } from "../../devnet/accounts.ts";
import { type LocalFile, readLocalFile } from "../../devnet/localFile.ts";
import { TradeGuard__factory } from "../../types/contracts/factories/contracts/TradeGuard__factory.ts";
import { LocalDollar__factory } from "../../types/contracts/factories/devnet/contracts/LocalDollar__factory.ts";
import { inAll } from "../support/all.ts";
import { type Program, run, start } from "../support/programs.ts";
import { expectQuoted, shapeOf } from "../support/quoted.ts";
import { testFolder } from "../support/suite.ts";

/** What a command prints, with any exit code. */
function shell(command: string, options: { env: NodeJS.ProcessEnv }): Promise<{ stdout: string }> {
  const cwd = join(import.meta.dirname, "../..");
  return new Promise((resolve) =>
    exec(command, { ...options, cwd }, (_error, stdout) => resolve({ stdout })),
  );
}

/** Dollars of an account that the node signs for. */
async function payIn(
  { rpcUrl, tokens }: LocalFile,
  from: string,
  to: string,
  dollars: bigint,
): Promise<void> {
  const provider = new JsonRpcProvider(rpcUrl, undefined, { pollingInterval: 50 });
  const { address, decimals } = tokens.USDL!;
  const token = LocalDollar__factory.connect(address, await provider.getSigner(from));
  await (await token.transfer(to, dollars * 10n ** BigInt(decimals))).wait();
  provider.destroy();
}

describe("npm start and npm run agent", () => {
  const dataDir = testFolder("e2e");
  const env = { DATA_DIR: dataDir, PORT: "0", RPC_PORT: "0" };
  let service: Program;

  const startService = async () => {
    service = start("devnet/start.ts", [], env);
    await service.printed("Ready after");
  };
  const stopService = async () => {
    service.kill("SIGTERM");
    expect(await service.ended, service.output()).to.equal(0);
  };
  const agent = (...args: string[]) => run("scripts/assay.ts", ["agent", ...args], env);
  const local = async () => (await readLocalFile(dataDir))!;

  before(() => startService());
  after(() => service.crash());

  it("prints the base URL, a key and three curl lines that work", async () => {
    const { baseUrl, apiKey } = await local();
    const output = service.output();
    expect(output).to.include(baseUrl).and.to.include(apiKey);
    const lines = output.split("\n").filter((line) => line.trim().startsWith("curl "));
    expect(lines).to.have.length(3);
    for (const line of lines) {
      const url = /https?:\/\/[^\s'"]+/.exec(line)?.[0] as string;
      const answer = await fetch(url, { headers: { "x-api-key": apiKey } });
      expect(answer.status, line).to.equal(200);
    }
  });

  it("writes local.json for its owner's eyes only", async () => {
    expect((await stat(join(dataDir, "local.json"))).mode & 0o777).to.equal(0o600);
  });

  it("names in local.json what a first trade needs: the guard, its signer, an owner, both dollars and their use", async () => {
    const { rpcUrl, guard, signer, owner, tokens } = await local();
    const provider = new JsonRpcProvider(rpcUrl);
    try {
      expect(await TradeGuard__factory.connect(guard, provider).getFunction("signer")()).to.equal(signer);
      expect(await provider.send("eth_accounts", [])).to.include(owner.toLowerCase());
      for (const [symbol, { assetKey, address, decimals }] of Object.entries(tokens)) {
        const token = LocalDollar__factory.connect(address, provider);
        expect(await token.symbol()).to.equal(symbol);
        expect(Number(await token.decimals())).to.equal(decimals);
        expect(assetKey).to.equal(`eip155:31337:${address}`);
      }
      const { USDL, USDT, AAPLx } = tokens;
      const kinds = [USDL, USDT, AAPLx].map((token) => token?.kind);
      expect(kinds).to.deep.equal(["settlement", "payment", "stock"]);
    } finally {
      provider.destroy();
    }
  });

  it("brings an agent from an intent to a confirmed trade as the owner's own transaction", async () => {
    const { code, output } = await agent("--symbol", "AAPLx");
    expect(code, output).to.equal(0);
    expect(output).to.match(/confirmed\s+block \d+/);
    expect(output).to.match(/checked +VALID: evidence 0x[0-9a-f]{64}/);
  });

  inAll("brings a relayed trade through the other DEX to the same end", async () => {
    const { code, output } = await agent("--symbol", "TSLAx", "--relay", "--account", "2");
    expect(code, output).to.equal(0);
    expect(output).to.match(/confirmed\s+block \d+/);
  });

  inAll("sells, too, and a token that is worth more than one share", async () => {
    const { code, output } = await agent("--symbol", "SPYx", "--side", "sell", "--amount", "0.5");
    expect(code, output).to.equal(0);
  });

  inAll(
    "brings an agent's own key to trades within the mandate of a Safe, and to none beyond it",
    async () => {
      const { users } = localAccounts();
      const [owner, , , , , , , , key] = users.map(({ address }) => address);
      const terms = `--owner ${owner} --agent ${key} --stocks AAPLx --per-day 500 --execute`;
      const records = ["--dir", join(dataDir, "deployments")];
      const where = { ...env, RPC_PORT: new URL((await local()).rpcUrl).port };
      const make = await run(
        "scripts/assay.ts",
        ["mandate", "create", ...terms.split(" "), ...records],
        where,
      );
      expect(make.code, make.output).to.equal(0);
      const [, safe = ""] = /Granted: 0x\w{40} can trade for (0x\w{40})/.exec(make.output) ?? [];
      await payIn(await local(), owner!, safe, 1_000n);
      const first = await agent("--mandate", safe);
      expect(first.code, first.output).to.equal(0);
      const beyond = await agent("--mandate", safe, "--amount", "251");
      expect(beyond.code, beyond.output).to.equal(4);
      expect(beyond.output)
        .to.contain("The contract refuses the trade: PerDayExceeded(")
        .and.not.match(/^sent /m);
      expect((await agent("--mandate", safe, "--relay")).code).to.equal(2);
      expect((await agent(safe)).code).to.equal(2);
      expect((await agent("--mandate", "none")).code).to.equal(2);
    },
  );

  it("tells the agent which check denied a trade, and executes nothing", async () => {
    const { code, output } = await agent("--symbol", "AAPLx", "--slippage", "5000");
    expect(code, output).to.equal(4);
    expect(output).to.include("slippage");
    expect(output).not.to.match(/^sent /m);
  });

  inAll(
    "goes on with a new chain: the agent trades again, and an older trade is VALID without that chain",
    async () => {
      const before = join(dataDir, "before.json");
      const saved = await agent("--save", before);
      expect(saved.code, saved.output).to.equal(0);
      const { apiKey, guard, chainId } = await local();
      await stopService();
      await startService();
      expect(await local()).to.include({ apiKey, guard });
      const executed = await agent();
      expect(executed.code, executed.output).to.equal(0);
      expect(executed.output).to.match(/confirmed\s+block \d+/);
      const verify = (...flags: string[]) =>
        run("scripts/assay.ts", ["verify", before, "--guard", `${chainId}:${guard}`, ...flags], env);
      const offline = await verify();
      expect(offline.code, offline.output).to.equal(0);
      const byChain = await verify("--rpc", (await local()).rpcUrl);
      expect(byChain.output).to.not.match(/^VALID/);
    },
  );

  inAll("prints what README and docs/verify.md show of a trade, verified and changed", async () => {
    const saved = join(dataDir, "trade.json");
    // An account that has approved nothing yet, as a reader's.
    const { code, output } = await agent("--save", saved, "--account", "4");
    expect(code, output).to.equal(0);
    expectQuoted("docs/first-trade.md", "npm run agent -- --save trade.json", output, "whole");
    const pages = ["README.md", "docs/verify.md"].map((path) => join(import.meta.dirname, "../..", path));
    const text = (await Promise.all(pages.map((path) => readFile(path, "utf8")))).join("\n");
    const [, named] = /^\$ (guard=.*)$/m.exec(text)!;
    const shown = [...text.matchAll(/^\$ (.*assay -- verify .*)\n(.*)$/gm)];
    expect(shown.map(([, , answer]) => answer?.split(".")[0])).to.deep.equal(["VALID", "VALID", "INVALID"]);
    for (const [, command, answer] of shown) {
      const own = command!
        .replaceAll("npm run --silent assay --", `'${process.execPath}' scripts/assay.ts`)
        .replaceAll("trade.json", `'${saved}'`);
      const said = named!.replace("./data/", `${dataDir}/`);
      // A shell, as a reader has one.
      const { stdout } = await shell(`${said}; ${own}`, { env: { ...process.env, ...env } });
      const sentence = shapeOf(answer!).replace(/;? …$/, "");
      expect(shapeOf(stdout).replaceAll(/\s+/g, " "), command).to.contain(sentence);
    }
  });

  inAll(
    "npm start and npm run agent has an agent that sends nothing for another guard than its user named",
    async () => {
      const other = "0x00000000000000000000000000000000000000aa";
      const { code, output } = await agent("--guard", `31337:${other}`);
      expect(code, output).to.equal(1);
      expect(output).to.contain("There is no guard at").and.contain("Nothing was signed or sent.");
      expect((await agent("--guard", "31337")).code).to.equal(2);
    },
  );

  it("ends with SIGTERM, all of it", async () => {
    const { baseUrl, rpcUrl } = await local();
    await stopService();
    for (const url of [baseUrl, rpcUrl])
      await fetch(url).then(
        () => expect.fail(`${url} still answers`),
        () => {},
      );
  });
});
