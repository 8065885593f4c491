import { type ChildProcess, fork } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "chai";
import { Wallet } from "ethers";
import { Deployment } from "../../../chain/deployment.ts";
import { localAccounts } from "../../../devnet/accounts.ts";

const CHAIN = join(import.meta.dirname, "../../../devnet/chain.ts");

describe("npm run chain", () => {
  let dataDir: string;
  let child: ChildProcess | undefined;
  let output = "";

  function spawn(env: Record<string, string> = {}): ChildProcess {
    output = "";
    child = fork(CHAIN, [], {
      stdio: ["ignore", "pipe", "pipe", "ipc"],
      env: { ...process.env, DATA_DIR: dataDir, RPC_PORT: "0", ...env },
    });
    for (const stream of [child.stdout, child.stderr])
      stream?.on("data", (chunk) => (output += String(chunk)));
    return child;
  }
  async function ready(process: ChildProcess): Promise<string> {
    return await new Promise((resolve, reject) => {
      process.once("message", (message: any) => resolve(message.url));
      process.once("exit", (code, signal) => reject(new Error(`ended early (${signal ?? code}): ${output}`)));
    });
  }
  async function end(process: ChildProcess, signal: NodeJS.Signals): Promise<number | null> {
    if (process.exitCode !== null || process.signalCode !== null) return process.exitCode;
    const exited = new Promise<number | null>((resolve) => process.once("exit", (code) => resolve(code)));
    process.kill(signal);
    return await exited;
  }
  async function rpc(url: string, method: string, params: unknown[] = []): Promise<any> {
    const response = await fetch(url, {
      method: "POST",
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
    });
    const { result, error } = (await response.json()) as any;
    if (error !== undefined) throw new Error(error.message);
    return result;
  }

  before(async () => {
    dataDir = await mkdtemp(join(tmpdir(), "assay-crash-"));
  });
  afterEach(async () => {
    if (child !== undefined) await end(child, "SIGKILL");
  });
  after(async () => {
    await rm(dataDir, { recursive: true, force: true });
  });

  it("finishes a first start that was killed half-way, and then deploys never again", async () => {
    const record = join(dataDir, "chain", "deployment.json");
    let interrupted = 0;
    for (let attempt = 0; attempt < 3; attempt++) {
      const process = spawn();
      process.stdout?.on("data", (chunk) => {
        if (String(chunk).includes("Deploying"))
          setTimeout(() => process.kill("SIGKILL"), 80 + 150 * attempt);
      });
      await new Promise((resolve) => process.once("exit", resolve));
      if (output.includes("starting over")) interrupted++;
    }
    expect(interrupted).to.be.greaterThan(0);
    const url = await ready(spawn());
    const deployment = Deployment.parse(JSON.parse(await readFile(record, "utf8")));
    expect(await rpc(url, "eth_getCode", [deployment.executor, "latest"])).to.have.length.greaterThan(100);
    expect(await end(child!, "SIGTERM")).to.equal(0);

    await rm(record);
    const again = await ready(spawn());
    expect(output).to.include("Replaying").and.not.include("Deploying");
    expect(Deployment.parse(JSON.parse(await readFile(record, "utf8")))).to.deep.equal(deployment);
    expect(await rpc(again, "eth_getCode", [deployment.guard, "latest"])).to.have.length.greaterThan(100);
  });

  it("loses no transaction that it answered, when it is killed at any moment", async () => {
    const { users } = localAccounts();
    const answered = new Map<string, string | null>();
    for (let round = 0; round < 3; round++) {
      const process = spawn();
      const url = await ready(process);
      for (const [hash, blockHash] of answered) {
        const receipt = await rpc(url, "eth_getTransactionReceipt", [hash]);
        expect(receipt, `transaction ${hash} is gone`).to.not.equal(null);
        // A block that somebody saw has kept its hash.
        if (blockHash !== null) expect(receipt.blockHash).to.equal(blockHash);
      }
      const before = answered.size;
      const senders = users.slice(0, 4).map(async ({ privateKey, address }) => {
        const wallet = new Wallet(privateKey);
        for (let nonce = Number(await rpc(url, "eth_getTransactionCount", [address, "latest"])); ; nonce++) {
          const raw = await wallet.signTransaction({
            chainId: 31337,
            type: 2,
            nonce,
            to: address,
            gasLimit: 21_000n,
            maxFeePerGas: 10n ** 10n,
          });
          const hash = await rpc(url, "eth_sendRawTransaction", [raw]);
          answered.set(hash, null);
          answered.set(hash, (await rpc(url, "eth_getTransactionReceipt", [hash])).blockHash);
        }
      });
      const ended = Promise.allSettled(senders);
      while (answered.size === before) await sleep(20);
      await sleep(150 + Math.random() * 400);
      await end(process, "SIGKILL");
      await ended;
    }
    const url = await ready(spawn());
    for (const [hash] of answered)
      expect(await rpc(url, "eth_getTransactionReceipt", [hash])).to.not.equal(null);
  });

  it("ends when its parent is gone", async () => {
    const process = spawn({ DATA_DIR: await mkdtemp(join(dataDir, "other-")) });
    await ready(process);
    const exited = new Promise<number | null>((resolve) => process.once("exit", (code) => resolve(code)));
    process.disconnect();
    expect(await exited).to.equal(0);
  });

  it("says in one line what is wrong with its settings", async () => {
    const process = spawn({ RPC_PORT: "eighty" });
    const code = await new Promise((resolve) => process.once("exit", resolve));
    expect(code).to.equal(1);
    expect(output)
      .to.match(/RPC_PORT must be a port number, not "eighty"/)
      .and.not.match(/ at /);
  });
});
