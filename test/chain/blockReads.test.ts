/** Reads of a block by its hash, when the chain or the node does not keep still. */
import { expect } from "chai";
import { id, JsonRpcProvider } from "ethers";
import { chainBehind } from "../support/caches.ts";
import { flakyRpc } from "../support/flakyRpc.ts";
import { ofSuite } from "../support/suite.ts";
import { purchaseIn, testWorld } from "../support/world.ts";

const GONE = { error: { code: -32_000, message: "header not found" } };

describe("facts of a block", () => {
  const world = testWorld();
  const rpc = ofSuite(() => flakyRpc(world.url));
  const provider = ofSuite(
    async () => new JsonRpcProvider(rpc.url, world.deployment.chainId, { staticNetwork: true }),
  );
  afterEach(() => {
    rpc.decide = () => null;
  });

  function facts() {
    const purchase = purchaseIn(world);
    const intent = { ...purchase, recipientAddress: purchase.ownerAddress };
    return chainBehind(world, provider).facts(intent, Math.floor(world.clock.now() / 1000));
  }

  const refusal = () =>
    facts().then(
      () => "none",
      (error) => String(error.message),
    );

  it("facts of a block are read again at the new head when the node has left the block under the reads", async () => {
    let isLeft = true;
    rpc.decide = (method, _, params) => {
      if (method === "eth_call") return isLeft ? GONE : null;
      if (method !== "eth_getBlockByNumber" || params[0] === "latest") return null;
      isLeft = false;
      return { result: { number: params[0], hash: id("another block"), timestamp: "0x1" } };
    };
    const { chain, quote } = (await facts()).facts;
    expect(isLeft).to.equal(false);
    expect(chain.blockHash).to.equal((await world.provider.getBlock("latest"))!.hash);
    expect(quote?.pools).to.have.lengthOf(1);
  });

  it("facts of a block are not served from a node that cannot answer at the block which it named itself", async () => {
    rpc.decide = (method) => (method === "eth_call" ? GONE : null);
    expect(await refusal()).to.match(/RPC does not answer/);
  });

  it("facts of a block are not known while the chain goes on leaving its blocks", async () => {
    rpc.decide = (method, _, params) =>
      method === "eth_call"
        ? GONE
        : method === "eth_getBlockByNumber" && params[0] !== "latest"
          ? { result: { number: params[0], hash: id("another block"), timestamp: "0x1" } }
          : null;
    expect(await refusal()).to.match(/reorganising/);
  });

  it("name their block by its hash, and ask the node to stand by it", async () => {
    const blocks: unknown[] = [];
    rpc.decide = (method, _, params) => {
      if (method === "eth_call") blocks.push(params[1]);
      return null;
    };
    const { chain } = (await facts()).facts;
    expect(blocks.length).to.be.at.least(10);
    for (const block of blocks)
      expect(block).to.deep.equal({ blockHash: chain.blockHash, requireCanonical: true });
  });
});
