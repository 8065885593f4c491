/**
 * Runs docs/guard/mandates.md up to a revoked mandate: its commands, with only the Safe's address replaced, on the programs of
 * `npm start`. In between, an agent trades over MCP by the official client, with a key that is not the owner's.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { Contract, JsonRpcProvider, parseUnits, Wallet } from "ethers";
import { mandateContracts } from "../../chain/mandateContracts.ts";
import { mandateCall } from "../../client/client.ts";
import { localAccounts } from "../../devnet/accounts.ts";
import { type LocalFile, readLocalFile } from "../../devnet/localFile.ts";
import { MandateModule__factory } from "../../types/contracts/factories/contracts/MandateModule__factory.ts";
import { startFilled } from "../support/filledWorld.ts";
import { connectHost, type Host } from "../support/mcp.ts";
import { type Program, run } from "../support/programs.ts";
import { testFolder } from "../support/suite.ts";
import { until } from "../support/until.ts";

const PAGE = readFileSync(join(import.meta.dirname, "../../docs/guard/mandates.md"), "utf8");
const BLOCKS = [...PAGE.matchAll(/^```sh (mandate-[a-z0-9-]+)\nnpm run assay -- (.*)\n```$/gm)];

describe("docs/guard/mandates.md", () => {
  const dataDir = testFolder("mandates");
  const [owner, , ...others] = localAccounts().users;
  const [successor, agent] = others.slice(-2);
  let service: Program;
  let local: LocalFile;
  let provider: JsonRpcProvider;
  let host: Host;
  let module: string;
  let safe = "";
  const ran = new Set<string>();

  before(async () => {
    service = await startFilled(dataDir);
    local = (await readLocalFile(dataDir))!;
    module = mandateContracts(local.guard).module.address;
    provider = new JsonRpcProvider(local.rpcUrl, undefined, { pollingInterval: 50, cacheTimeout: -1 });
    host = await connectHost("2026", local.baseUrl, local.apiKey);
  });
  after(async () => {
    await host?.close();
    provider?.destroy();
    await service.crash();
  });

  /** Runs a block of the page. @returns what it printed */
  async function typed(name: string): Promise<string> {
    ran.add(name);
    const [, , text = ""] = BLOCKS.find(([, named]) => named === name) ?? [];
    const words = text.split(" ").map((word) => (word === "$SAFE" ? safe : word));
    const env = {
      DATA_DIR: dataDir,
      RPC_PORT: new URL(local.rpcUrl).port,
    };
    const { code, output } = await run("scripts/assay.ts", words, env);
    expect(code, `${text}\n${output}`).to.equal(0);
    return output;
  }
  const walletOf = ({ privateKey }: { privateKey: string }) => new Wallet(privateKey, provider);
  const asset = (symbol: string) => local.tokens[symbol]!.assetKey;
  let requests = 0;
  const asked = (amountInRaw: string, [input, output]: [string, string] = ["USDL", "AAPLx"]) => ({
    clientRequestId: `mandate-${++requests}`,
    policyId: "STRICT_LIVE",
    maxSlippageBps: 50,
    inputAssetKey: asset(input),
    outputAssetKey: asset(output),
    amountInRaw,
    ownerAddress: safe,
  });

  /** What the service certified, as a call of the module. */
  async function certified(...trade: Parameters<typeof asked>) {
    const { jobId } = await host.use("prepare_verification", asked(...trade));
    const { report, execution } = await host.documentAfter("prepare_guard_trade", { jobId });
    expect(report.decision).to.equal("ALLOW");
    return { jobId, call: mandateCall(execution, module) };
  }
  /** The agent sends it. @returns the error of the module or the guard by which a block reverted it, or null */
  async function sent({ to, data }: { to: string; data: string }) {
    const { hash } = await walletOf(agent!).sendTransaction({ to, data, gasLimit: 1_000_000 });
    const receipt = await until(
      "a receipt",
      () => provider.getTransactionReceipt(hash),
      (found) => found !== null,
    );
    if (receipt!.status === 1) return { hash, error: null };
    const reason = await provider.call({ from: agent!.address, to, data }).catch((error: any) => error.data);
    return { hash, error: MandateModule__factory.createInterface().parseError(reason)?.name };
  }
  async function traded(...trade: Parameters<typeof asked>) {
    const { jobId, call } = await certified(...trade);
    const { hash, error } = await sent(call);
    expect(error).to.equal(null);
    await host.use("get_execution_status", { jobId, transactionHash: hash });
    const status = async () => (await host.use("get_execution_status", { jobId })).execution;
    return await until("a confirmed trade", status, ({ state }) => state === "confirmed");
  }

  it("has an owner give an agent 500 USDL a day in one confirmation", async () => {
    const nonce = await provider.getTransactionCount(owner!.address);
    const output = await typed("mandate-create");
    expect(await provider.getTransactionCount(owner!.address)).to.equal(nonce + 1);
    [, safe = ""] = /make the Safe (0x\w{40})/.exec(output) ?? [];
    expect(output).to.contain("300 USDL a trade, 500 USDL within 24 hours, 5000 USDL in all");
    const dollar = new Contract(
      local.tokens.USDL!.address,
      ["function transfer(address, uint256)"],
      walletOf(owner!),
    );
    await (await dollar.getFunction("transfer").send(safe, 1_000_000_000n)).wait();
    expect(await typed("mandate-list"))
      .to.contain("Holds    1000 USDL")
      .and.contain("at most 300 USDL now");
  });

  it("has the agent buy and sell within the budget over MCP, by its own key", async () => {
    const bought = await traded("250000000");
    expect(bought.spent).to.equal("250 USDL");
    const { received } = await traded(`5${"0".repeat(17)}`, ["AAPLx", "USDL"]);
    const earned = parseUnits(received.replace(" USDL", ""), 6);
    expect(Number(earned)).to.be.within(100e6, 170e6);
    const spent = 250_000_000n + earned;
    const counted = MandateModule__factory.connect(module, provider).spentWithinDay;
    expect(await counted(safe, agent!.address, local.tokens.USDL!.address)).to.equal(spent);
  });

  it("has the chain refuse the agent beyond it", async () => {
    // Each of them fits, and both together do not.
    const [one, other] = [await certified("60000000"), await certified("60000001")];
    expect((await sent(one.call)).error).to.equal(null);
    expect((await sent(other.call)).error).to.equal("PerDayExceeded");
  });

  it("shuts the agent out one block after the revocation, and lets the owner go on with another key", async () => {
    const { call } = await certified("10000000");
    expect(await typed("mandate-stolen-1")).to.contain("Revoked: from this block on");
    const block = await provider.getBlockNumber();
    const { hash, error } = await sent(call);
    expect(error).to.equal("NoMandate");
    // The next one, but for one that the market may have made in between.
    expect((await provider.getTransactionReceipt(hash))?.blockNumber).to.be.within(block + 1, block + 2);
    expect(await typed("mandate-stolen-2")).to.contain(`Agent    ${agent!.address}: no mandate, or revoked`);
    await typed("mandate-stolen-3");
    expect(await typed("mandate-list")).to.contain(`Agent    ${successor!.address} can`);
  });

  it("has no command that was not run here", () => {
    expect([...ran].sort()).to.deep.equal(BLOCKS.map(([, name]) => name).sort());
    expect(PAGE.match(/^```sh mandate-/gm)).to.have.length(BLOCKS.length);
  });
});
