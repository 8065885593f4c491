import { request as httpRequest } from "node:http";
import { expect } from "chai";
import { JsonRpcProvider, toBeHex, Wallet } from "ethers";
import { localAccounts } from "../../../devnet/accounts.ts";
import { MAX_BODY, openFront } from "../../../devnet/chain/front.ts";
import { startNode } from "../../../devnet/chain/node.ts";
import { manualClock } from "../../../devnet/clock.ts";
import { failureOf } from "../../support/failure.ts";
import { ofTest } from "../../support/suite.ts";
import REFUSED from "./refused.json" with { type: "json" };

const [alice, bob] = localAccounts().users as [any, any];
const CHAIN_ID_REQUEST = '{"jsonrpc":"2.0","id":1,"method":"eth_chainId"}';

describe("The local chain over HTTP", () => {
  const chain = ofTest(async () => {
    const front = await openFront(0);
    const node = await startNode(manualClock(Date.UTC(2025, 10, 14, 12)));
    front.serve({ node, onGet: async ({ pathname }) => (pathname === "/price" ? PRICE : null) });
    return {
      url: front.url,
      stop: async () => {
        await front.close();
        await node.close();
      },
    };
  });
  const PRICE = { status: 200, body: { price: "1" } };

  async function post(body: string, sent: Record<string, string> = {}) {
    const response = await fetch(chain.url, { method: "POST", body, headers: sent });
    const text = await response.text();
    return {
      status: response.status,
      headers: response.headers,
      json: text === "" ? null : JSON.parse(text),
    };
  }
  const rpc = async (method: string, params: unknown = []) =>
    (await post(JSON.stringify({ jsonrpc: "2.0", id: 7, method, params }))).json;
  const transfer = (nonce: number) =>
    new Wallet(alice.privateKey).signTransaction({
      type: 2,
      chainId: 31_337,
      nonce,
      to: bob.address,
      gasLimit: 21_000n,
      maxFeePerGas: 10n ** 10n,
    });
  /** Through node:http, since fetch sets these headers itself. */
  const statusWith = (path: string, method: string, headers: Record<string, string>): Promise<number> =>
    new Promise((resolve, reject) => {
      const request = httpRequest(new URL(path, chain.url), { method, headers }, (response) => {
        response.resume();
        resolve(response.statusCode ?? 0);
      });
      request.on("error", reject).end(method === "POST" ? CHAIN_ID_REQUEST : undefined);
    });

  it("serves ethers", async () => {
    const options = { batchMaxCount: 10, pollingInterval: 10, cacheTimeout: -1 };
    const provider = new JsonRpcProvider(chain.url, undefined, options);
    const wallet = new Wallet(alice.privateKey, provider);
    const sent = await wallet.sendTransaction({ to: bob.address, value: 5n });
    expect((await sent.wait())?.status).to.equal(1);
    expect(await provider.getBalance(bob.address)).to.equal(10_000n * 10n ** 18n + 5n);
    provider.destroy();
  });

  describe("to a page of another machine", () => {
    const foreign = [
      "https://evil.example",
      "null",
      "http://localhost.evil.example",
      "http://127.0.0.1.evil.example",
    ];

    it("gives nothing: no answer, no price, no leave to ask", async () => {
      for (const origin of foreign) {
        const { status, headers, json } = await post(CHAIN_ID_REQUEST, { origin });
        expect(status, origin).to.equal(403);
        expect(json).to.not.have.property("result");
        expect(headers.get("access-control-allow-origin")).to.equal(null);
        expect((await fetch(`${chain.url}/price`, { headers: { origin } })).status).to.equal(403);
        expect(await statusWith("/", "OPTIONS", { origin })).to.equal(403);
      }
    });

    it("gives nothing behind a rebound name either", async () => {
      for (const host of ["evil.example:8545", "127.0.0.1.evil.example"])
        for (const [path, method] of [
          ["/", "POST"],
          ["/price", "GET"],
        ] as const)
          expect(await statusWith(path, method, { host }), `${method} ${host}`).to.equal(403);
    });

    it("serves pages of this machine and wallets", async () => {
      for (const origin of ["http://localhost:5173", "http://127.0.0.1:3000", "chrome-extension://abcdef"]) {
        const { json, headers } = await post(CHAIN_ID_REQUEST, { origin });
        expect(json.result, origin).to.equal("0x7a69");
        expect(headers.get("access-control-allow-origin")).to.equal(origin);
      }
      const preflight = await fetch(chain.url, {
        method: "OPTIONS",
        headers: { origin: "http://localhost:5173" },
      });
      expect(preflight.status).to.equal(204);
    });
  });

  it("refuses every method that changes the chain without a transaction", async () => {
    const before = await rpc("eth_getBlockByNumber", ["latest", false]);
    for (const method of REFUSED.methods) {
      const { error } = await rpc(method, []);
      expect(error.code, method).to.equal(-32601);
      expect(error.message).to.include(method);
    }
    expect(await rpc("eth_getBlockByNumber", ["latest", false])).to.deep.equal(before);
  });

  it("answers bad requests with the codes of JSON-RPC, and lives on", async () => {
    for (const [code, bodies] of Object.entries(REFUSED.requests))
      for (const body of bodies) expect((await post(body)).json.error.code, body).to.equal(Number(code));
    expect((await rpc("eth_chainId")).result).to.equal("0x7a69");
  });

  it("answers a batch in its order, failures included, and notifications not at all", async () => {
    const raws = await Promise.all([transfer(0), transfer(1)]);
    const sending = raws.map((raw, id) => ({ id, method: "eth_sendRawTransaction", params: [raw] }));
    const calls = [
      sending[0],
      { id: "a", method: "eth_blockNumber" },
      { method: "eth_chainId" },
      sending[1],
      { id: null, method: "eth_blockNumber" },
    ].map((each) => ({ jsonrpc: "2.0", ...each }));
    const { json } = await post(JSON.stringify([...calls, 5]));
    expect(json.map(({ id }: any) => id)).to.deep.equal([0, "a", 1, null, null]);
    expect([json[1].result, json[3].result]).to.deep.equal(["0x1", "0x2"]);
    expect(json[4].error.code).to.equal(-32600);
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
    expect(error).to.include({ code: 3, data: toBeHex(1, 32) });
    expect(error.message).to.match(/revert/);
  });

  it("traces a transaction", async () => {
    const { result: hash } = await rpc("eth_sendRawTransaction", [await transfer(0)]);
    expect((await rpc("debug_traceTransaction", [hash])).result).to.include({ failed: false });
  });

  it("answers GET where the world has something, and nowhere else", async () => {
    expect(await (await fetch(`${chain.url}/price`)).json()).to.deep.equal(PRICE.body);
    expect((await fetch(chain.url)).status).to.equal(405);
  });

  it("says that the chain is starting until it serves", async () => {
    const front = await openFront(0);
    const response = await fetch(front.url, { method: "POST", body: CHAIN_ID_REQUEST });
    expect(response.status).to.equal(503);
    expect(response.headers.get("retry-after")).to.equal("1");
    await front.close();
  });

  it("says which setting to change when the port is taken", async () => {
    const port = Number(new URL(chain.url).port);
    expect((await failureOf(openFront(port))).message)
      .to.include(`${port}`)
      .and.include("RPC_PORT");
  });
});
