import { appendFile, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { request as httpRequest } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import { JsonRpcProvider, toQuantity, Wallet } from "ethers";
import { localAccounts } from "../../../devnet/accounts.ts";
import { ChainStartError } from "../../../devnet/chain/errors.ts";
import { MAX_BODY } from "../../../devnet/chain/jsonRpcServer.ts";
import { type Chain, type ChainOptions, startChain } from "../../../devnet/chain/start.ts";
import { manualClock } from "../../../devnet/clock.ts";
import { failureOf } from "../../support/failure.ts";
import REFUSED from "./refused.json" with { type: "json" };

const NOON = Date.UTC(2025, 10, 14, 12);
const [alice, bob] = localAccounts().users as [any, any];

describe("The local chain", () => {
  let dataDir: string;
  let journal: string;
  let running: Chain | undefined;
  const clock = manualClock(NOON);
  const lines: string[] = [];

  async function start(options: Partial<ChainOptions> = {}): Promise<Chain> {
    running = await startChain({ dataDir, port: 0, clock, log: (line) => lines.push(line), ...options });
    return running;
  }
  async function restart(): Promise<Chain> {
    await running?.stop();
    return await start();
  }
  /** @returns the words of the error with which the chain did not start */
  async function startFailure(work: Promise<Chain>, code: string): Promise<string> {
    const error = await failureOf(work);
    expect(error).to.be.instanceOf(ChainStartError).with.property("code", code);
    return error.message;
  }
  const transfer = (nonce: number, options: object = {}) =>
    new Wallet(alice.privateKey).signTransaction({
      type: 2,
      chainId: 31337,
      nonce,
      to: bob.address,
      value: 1n,
      gasLimit: 21_000n,
      maxFeePerGas: 10n ** 10n,
      maxPriorityFeePerGas: 1n,
      ...options,
    });
  const send = async (chain: Chain, nonce: number, options: object = {}) =>
    (await chain.request("eth_sendRawTransaction", [await transfer(nonce, options)])) as string;
  const latest = async (chain: Chain) =>
    (await chain.request("eth_getBlockByNumber", ["latest", false])) as {
      hash: string;
      number: string;
      timestamp: string;
    };

  beforeEach(async () => {
    dataDir = await mkdtemp(join(tmpdir(), "assay-chain-"));
    journal = join(dataDir, "chain", "journal.jsonl");
    lines.length = 0;
    clock.set(NOON);
  });
  afterEach(async () => {
    await running?.stop();
    running = undefined;
    await rm(dataDir, { recursive: true, force: true });
  });

  describe("after a restart", () => {
    it("has the same blocks and receipts, hash for hash", async () => {
      let chain = await start();
      const receipts = new Map<string, unknown>();
      for (let nonce = 0; nonce < 12; nonce++) {
        clock.advance(700);
        const hash = await send(chain, nonce);
        // What only reads must not leave a trace in later blocks.
        await chain.request("eth_call", [{ to: bob.address }, "pending"]);
        await chain.request("eth_estimateGas", [{ from: alice.address, to: bob.address }]);
        receipts.set(hash, await chain.request("eth_getTransactionReceipt", [hash]));
      }
      const before = await latest(chain);
      clock.advance(86_400_000);
      chain = await restart();
      expect(await latest(chain)).to.deep.equal(before);
      expect(chain.replay?.blocks).to.equal(12);
      for (const [hash, receipt] of receipts)
        expect(await chain.request("eth_getTransactionReceipt", [hash])).to.deep.equal(receipt);
    });

    it("goes on with the next block, at the clock's time and never before the parent", async () => {
      let chain = await start();
      await send(chain, 0);
      const parent = await latest(chain);
      clock.set(NOON - 60_000);
      chain = await restart();
      await send(chain, 1);
      const child = await latest(chain);
      expect(Number(child.number)).to.equal(2);
      expect(child.timestamp).to.equal(parent.timestamp);
      clock.set(NOON + 5_999);
      await send(chain, 2);
      expect(Number((await latest(chain)).timestamp)).to.equal(NOON / 1000 + 5);
    });

    it("has blocks of several transactions, empty blocks, failed and refused transactions as they were", async () => {
      let chain = await start();
      await chain.mine([await transfer(0), await transfer(1), await transfer(2)]);
      await chain.mine();
      // Out of gas inside, but mined.
      const failed = await send(chain, 3, { to: null, data: "0xfe", value: 0n, gasLimit: 60_000n });
      expect((await failureOf(send(chain, 4, { value: 10n ** 30n }))).message).to.match(/funds/);
      expect(
        (await failureOf(send(chain, 4, { maxFeePerGas: 1n, maxPriorityFeePerGas: 0n }))).message,
      ).to.match(/fee/);
      const hash = await send(chain, 4);
      const before = await latest(chain);
      const receipt = await chain.request("eth_getTransactionReceipt", [failed]);
      expect(receipt).to.include({ status: "0x0" });
      chain = await restart();
      expect(await latest(chain)).to.deep.equal(before);
      expect(await chain.request("eth_getTransactionReceipt", [failed])).to.deep.equal(receipt);
      expect(await chain.request("eth_getTransactionReceipt", [hash])).to.include({ status: "0x1" });
    });

    it("remembers the local chain's notes after a restart", async () => {
      let chain = await start();
      expect(chain.note("world")).to.equal(undefined);
      await chain.setNote("world", { a: [1] });
      chain = await restart();
      expect(chain.note("world")).to.deep.equal({ a: [1] });
    });
  });

  describe("when the process ended while it wrote", () => {
    async function threeBlocks(): Promise<{ hash: string; text: string }> {
      const chain = await start();
      for (let nonce = 0; nonce < 3; nonce++) await send(chain, nonce);
      const { hash } = await latest(chain);
      await running?.stop();
      running = undefined;
      return { hash, text: await readFile(journal, "utf8") };
    }

    it("recovers from every possible length of the last block's lines", async () => {
      const { hash, text } = await threeBlocks();
      const rows = text.trimEnd().split("\n");
      const [, done] = rows.slice(-2) as [string, string];
      const opened = text.lastIndexOf('{"open":3');
      const cuts = [
        opened,
        opened + 1,
        opened + 40,
        text.length - done.length - 2,
        text.length - done.length - 1,
        text.length - 5,
        text.length - 1,
      ];
      for (const cut of cuts) {
        await writeFile(journal, text.slice(0, cut));
        const chain = await start();
        const whole = cut >= text.length - done.length - 1;
        expect(Number((await latest(chain)).number), `cut at ${cut}`).to.equal(whole ? 3 : 2);
        if (whole) expect((await latest(chain)).hash).to.equal(hash);
        else await send(chain, 2);
        await send(await restart(), 3);
        expect(Number((await latest(await restart())).number)).to.equal(4);
        await running?.stop();
        running = undefined;
      }
    });

    it("recovers from garbage in place of the last line", async () => {
      const { hash } = await threeBlocks();
      await appendFile(journal, Buffer.from([0, 0, 0, 0x7b, 0x22, 0]));
      expect((await latest(await start())).hash).to.equal(hash);
      expect(lines.join()).to.match(/torn bytes/);
    });

    it("begins anew when not even the header was whole", async () => {
      const { text } = await threeBlocks();
      await writeFile(journal, text.slice(0, 20));
      expect(Number((await latest(await start())).number)).to.equal(0);
    });

    it("moves an unfinished beginning aside when a note must be there", async () => {
      await threeBlocks();
      const chain = await start({ requiredNote: "world" });
      expect(Number((await latest(chain)).number)).to.equal(0);
      expect(await readFile(journal.replace(".jsonl", ".unfinished.jsonl"), "utf8")).to.include('"open":3');
      await chain.setNote("world", 1);
      await send(chain, 0);
      await chain.stop();
      expect(Number((await latest(await start({ requiredNote: "world" }))).number)).to.equal(1);
    });

    it("refuses a journal that was changed, and says what to do", async () => {
      const { text } = await threeBlocks();
      const rows = text.split("\n");
      rows[2] = rows[2]!.replace(
        /"hash":"0x./,
        '"hash":"0xg'.replace("g", rows[2]!.includes('"hash":"0x0') ? "1" : "0"),
      );
      await writeFile(journal, rows.join("\n"));
      expect(await startFailure(start(), "journal_mismatch")).to.match(
        /block 1 has the hash .*move the whole data directory aside/,
      );
    });

    it("refuses a journal with a broken line in the middle, naming it", async () => {
      const { text } = await threeBlocks();
      const rows = text.split("\n");
      rows[3] = "{";
      await writeFile(journal, rows.join("\n"));
      expect(await startFailure(start(), "journal_corrupt")).to.match(/^Line 4 /);
    });
  });

  it("lets one process alone have a data directory", async () => {
    await start();
    await startFailure(startChain({ dataDir, port: 0, clock, log: () => {} }), "in_use");
    await restart();
  });

  it("says so when the port is taken, and lets the directory go", async () => {
    const chain = await start();
    const port = Number(new URL(chain.url).port);
    const other = await mkdtemp(join(tmpdir(), "assay-chain-"));
    for (let attempt = 0; attempt < 2; attempt++) {
      const said = await startFailure(
        startChain({ dataDir: other, port, clock, log: () => {} }),
        "port_in_use",
      );
      expect(said).to.include(`${port}`).and.include("RPC_PORT");
    }
    await rm(other, { recursive: true });
  });

  it("mines transactions in the order of their nonces, whichever arrives first", async () => {
    const chain = await start();
    const hashes = await Promise.all([3, 1, 2, 0].map((nonce) => send(chain, nonce)));
    const blocks = await Promise.all(
      hashes.map(
        async (hash) => ((await chain.request("eth_getTransactionReceipt", [hash])) as any).blockNumber,
      ),
    );
    expect(blocks.map(Number)).to.deep.equal([4, 2, 3, 1]);
  });

  it("refuses a nonce that is used, or that stays too high", async () => {
    const chain = await start();
    await send(chain, 0);
    expect((await failureOf(send(chain, 0))).message).to.match(
      /nonce too low: .* is 1, the transaction has 0/,
    );
    expect((await failureOf(send(chain, 2))).message).to.match(/nonce too high/);
    expect(Number((await latest(chain)).number)).to.equal(1);
  });

  describe("over HTTP", () => {
    let chain: Chain;
    beforeEach(async () => {
      chain = await start();
    });

    async function post(body: string, sent: Record<string, string> = {}) {
      const response = await fetch(chain.url, { method: "POST", body, headers: sent });
      const { status, headers } = response;
      const text = await response.text();
      return { status, headers, json: text === "" ? null : JSON.parse(text) };
    }
    const rpc = async (method: string, params: unknown = []) =>
      (await post(JSON.stringify({ jsonrpc: "2.0", id: 7, method, params }))).json;

    it("serves ethers over HTTP", async () => {
      const options = { batchMaxCount: 10, pollingInterval: 10, cacheTimeout: -1 };
      const provider = new JsonRpcProvider(chain.url, undefined, options);
      const wallet = new Wallet(alice.privateKey, provider);
      const sent = await wallet.sendTransaction({ to: bob.address, value: 5n });
      const receipt = await sent.wait();
      expect(receipt?.status).to.equal(1);
      expect(await provider.getBalance(bob.address)).to.equal(10_000n * 10n ** 18n + 5n);
      provider.destroy();
    });

    it("signs for its open accounts, and journals what it signed", async () => {
      const { result } = await rpc("eth_sendTransaction", [
        { from: alice.address, to: bob.address, value: "0x5" },
      ]);
      const before = await chain.request("eth_getTransactionReceipt", [result]);
      expect(before).to.include({ status: "0x1" });
      const { gas } = (await chain.request("eth_getTransactionByHash", [result])) as { gas: string };
      expect(Number(gas), "a quarter more than the estimate").to.be.at.least(26_250);
      await restart();
      expect(await running?.request("eth_getTransactionReceipt", [result])).to.deep.equal(before);
      running = await restart();
      chain = running;
      const stranger = await rpc("eth_sendTransaction", [{ from: `0x${"11".repeat(20)}`, to: bob.address }]);
      expect(stranger.error).to.include({ code: -32602 });
      expect(stranger.error.message).to.match(/sign the transaction yourself/);
      for (const params of [
        [],
        [null],
        ["x"],
        [{}],
        [{ from: 5 }],
        [{ from: alice.address, to: bob.address, value: "much" }],
      ])
        expect((await rpc("eth_sendTransaction", params)).error?.code, JSON.stringify(params)).to.be.oneOf([
          -32602, -32000,
        ]);
    });

    it("refuses all methods that change the state outside of the journal", async () => {
      for (const method of REFUSED.methods) {
        const { error } = await rpc(method);
        expect(error.code, method).to.equal(-32004);
        expect(error.message)
          .to.include(method)
          .and.match(/restarted from its journal/);
      }
    });

    it("answers bad requests with the codes of JSON-RPC, and lives on", async () => {
      for (const [code, bodies] of Object.entries(REFUSED.requests))
        for (const body of bodies) expect((await post(body)).json.error.code, body).to.equal(Number(code));
      expect(
        (await rpc("eth_sendRawTransaction", [await transfer(0, { chainId: 1 })])).error.message,
      ).to.match(/chain 1/);
      expect((await rpc("eth_chainId")).result).to.equal("0x7a69");
      expect(await readFile(journal, "utf8")).to.not.include("open");
    });

    it("answers a batch with failures in order, and notifications not at all", async () => {
      const { json } = await post(
        JSON.stringify([
          { jsonrpc: "2.0", id: "a", method: "eth_sendRawTransaction", params: [await transfer(0)] },
          { jsonrpc: "2.0", method: "eth_chainId" },
          5,
          { jsonrpc: "2.0", id: null, method: "eth_blockNumber" },
        ]),
      );
      expect(json.map((answer: any) => answer.id)).to.deep.equal(["a", null, null]);
      expect(json[1].error.code).to.equal(-32600);
      expect(json[2].result).to.equal("0x1");
      expect((await post('{"jsonrpc":"2.0","method":"eth_chainId"}')).status).to.equal(204);
      const many = Array.from({ length: 1001 }, (_, id) => ({ jsonrpc: "2.0", id, method: "eth_chainId" }));
      expect((await post(JSON.stringify(many))).json.error.code).to.equal(-32005);
    });

    it("takes a mebibyte and no more", async () => {
      const { status, json } = await post(`"${"x".repeat(MAX_BODY)}"`);
      expect(status).to.equal(413);
      expect(json.error.code).to.equal(-32005);
      expect((await rpc("eth_chainId")).result).to.equal("0x7a69");
    });

    it("gives the revert data of a call as public nodes do", async () => {
      // Reverts with the 32 bytes of the number 1.
      const { error } = await rpc("eth_call", [
        { from: alice.address, data: "0x600160005260206000fd" },
        "latest",
      ]);
      expect(error).to.include({ code: 3, data: toQuantity(1).replace("0x", "0x".padEnd(65, "0")) });
    });

    it("traces a transaction over HTTP", async () => {
      const hash = await send(chain, 0);
      const { result } = await rpc("debug_traceTransaction", [hash]);
      expect(result).to.include({ failed: false, gas: 21_000 });
    });

    it("sees the clock's time in the pending block", async () => {
      clock.advance(3_600_000);
      // TIMESTAMP, stored and returned.
      const { result } = await rpc("eth_call", [{ data: "0x4260005260206000f3" }, "pending"]);
      expect(Number(result)).to.equal(NOON / 1000 + 3600);
    });

    it("keeps pages from elsewhere out, also behind a rebound name, and lets local pages and wallets in", async () => {
      const body = '{"jsonrpc":"2.0","id":1,"method":"eth_chainId"}';
      for (const origin of [
        "https://evil.example",
        "null",
        "http://localhost.evil.example",
        "http://127.0.0.1.evil.example",
      ]) {
        const { status, headers } = await post(body, { origin });
        expect(status, origin).to.equal(403);
        expect(headers.get("access-control-allow-origin")).to.equal(null);
      }
      for (const origin of ["http://localhost:5173", "http://127.0.0.1:3000", "chrome-extension://abcdef"]) {
        const { status, headers } = await post(body, { origin });
        expect(status, origin).to.equal(200);
        expect(headers.get("access-control-allow-origin")).to.equal(origin);
      }
      const hostile = await new Promise<number>((resolve, reject) => {
        const request = httpRequest(
          chain.url,
          { method: "POST", headers: { host: "evil.example:8545" } },
          (response) => {
            response.resume();
            resolve(response.statusCode ?? 0);
          },
        );
        request.on("error", reject).end(body);
      });
      expect(hostile).to.equal(403);
      const preflight = await fetch(chain.url, {
        method: "OPTIONS",
        headers: { origin: "http://localhost:5173" },
      });
      expect(preflight.status).to.equal(204);
      expect((await fetch(chain.url)).status).to.equal(405);
    });
  });
});
