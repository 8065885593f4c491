import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "chai";
import { Wallet } from "ethers";
import { localAccounts } from "../../../devnet/accounts.ts";
import { startNode } from "../../../devnet/chain/node.ts";
import { manualClock } from "../../../devnet/clock.ts";
import { failureOf } from "../../support/failure.ts";
import { ofTest } from "../../support/suite.ts";

const NOON = Date.UTC(2025, 10, 14, 12);
const [alice, bob] = localAccounts().users as [any, any];
/** Returns the block's timestamp. */
const TIMESTAMP_CODE = "0x4260005260206000f3";

describe("The local chain's node", () => {
  const clock = manualClock(NOON);
  const chain = ofTest(async () => {
    clock.set(NOON);
    const node = await startNode(clock);
    return { ...node, stop: () => node.close() };
  });

  const signed = (nonce: number, options: object = {}) =>
    new Wallet(alice.privateKey).signTransaction({
      type: 2,
      chainId: 31_337,
      nonce,
      to: bob.address,
      value: 1n,
      gasLimit: 21_000n,
      maxFeePerGas: 10n ** 10n,
      maxPriorityFeePerGas: 1n,
      ...options,
    });
  const raw = (transaction: string) => ({ method: "eth_sendRawTransaction", params: [transaction] });
  const send = async (nonce: number, options: object = {}) =>
    (await chain.request("eth_sendRawTransaction", [await signed(nonce, options)])) as string;
  const latest = async () => {
    const block = (await chain.request("eth_getBlockByNumber", ["latest", false])) as any;
    return { number: Number(block.number), time: Number(block.timestamp), transactions: block.transactions };
  };

  it("mines a block for each transaction at the clock's time, and never before the parent's", async () => {
    await send(0);
    expect(await latest()).to.include({ number: 1, time: NOON / 1_000 });
    clock.advance(700_000);
    await send(1);
    expect(await latest()).to.include({ number: 2, time: NOON / 1_000 + 700 });
    clock.set(NOON - 60_000);
    await send(2);
    expect(await latest()).to.include({ number: 3, time: NOON / 1_000 + 700 });
    clock.set(NOON + 705_999);
    await chain.mine();
    expect(await latest()).to.deep.equal({ number: 4, time: NOON / 1_000 + 705, transactions: [] });
  });

  it("runs calls on the pending block at the clock's time", async () => {
    const pending = async () =>
      Number(await chain.request("eth_call", [{ data: TIMESTAMP_CODE }, "pending"]));
    for (const hours of [0, 1, 2]) {
      clock.set(NOON + hours * 3_600_000);
      expect(await pending()).to.equal(NOON / 1_000 + hours * 3_600);
      await chain.mine();
    }
    // The machine's time goes on meanwhile.
    await sleep(1_100);
    expect(await pending(), "in the second of the newest block").to.equal(NOON / 1_000 + 7_200);
    clock.set(NOON);
    expect(await pending(), "not before the newest block").to.equal(NOON / 1_000 + 7_200);
  });

  it("answers in the order of the requests", async () => {
    const transactions = await Promise.all([0, 1, 2].map((nonce) => signed(nonce)));
    const requests = transactions.flatMap((transaction) => [
      chain.request("eth_sendRawTransaction", [transaction]),
      chain.request("eth_blockNumber"),
    ]);
    const blocks = (await Promise.all(requests)).filter((_, index) => index % 2 === 1);
    expect(blocks.map(Number)).to.deep.equal([1, 2, 3]);
  });

  it("mines what came too early once the nonce before it is there", async () => {
    const hashes = await Promise.all([3, 1, 2, 0].map((nonce) => send(nonce)));
    const receipts = await Promise.all(
      hashes.map((hash) => chain.request("eth_getTransactionReceipt", [hash])),
    );
    const places = receipts.map(({ blockNumber, transactionIndex }: any) => [blockNumber, transactionIndex]);
    const order = places.map(([block, index]) => Number(block) * 10 + Number(index));
    expect([order[3]! < order[1]!, order[1]! < order[2]!, order[2]! < order[0]!]).to.deep.equal([
      true,
      true,
      true,
    ]);
  });

  it("puts several transactions into one block", async () => {
    const hashes = await chain.mine([raw(await signed(0)), raw(await signed(1))]);
    expect(await latest()).to.deep.include({ number: 1, transactions: hashes });
  });

  it("refuses used nonces and what cannot be paid, goes on, and mines what fails", async () => {
    await send(0);
    expect((await failureOf(send(0))).message).to.match(/nonce too low/);
    expect((await failureOf(send(1, { value: 10n ** 30n }))).message).to.match(/funds/);
    expect((await failureOf(send(1, { chainId: 1 }))).message).to.match(/chain/i);
    const failed = await send(1, { to: null, data: "0xfe", value: 0n, gasLimit: 60_000n });
    expect(await chain.request("eth_getTransactionReceipt", [failed])).to.include({ status: "0x0" });
    expect(await latest()).to.include({ number: 2 });
  });

  it("signs for its open accounts, with a quarter more gas than the estimate", async () => {
    const hash = await chain.request("eth_sendTransaction", [
      { from: alice.address, to: bob.address, value: "0x5" },
    ]);
    expect(await chain.request("eth_getTransactionReceipt", [hash])).to.include({ status: "0x1" });
    const { gas } = (await chain.request("eth_getTransactionByHash", [hash])) as any;
    expect(Number(gas)).to.be.at.least(26_250);
    const stranger = { from: `0x${"11".repeat(20)}`, to: bob.address };
    expect((await failureOf(chain.request("eth_sendTransaction", [stranger]))).message).to.match(
      /unknown account/i,
    );
  });

  it("lets tests change the chain without a transaction", async () => {
    await chain.request("hardhat_setBalance", [bob.address, "0x5"]);
    expect(await chain.request("eth_getBalance", [bob.address, "latest"])).to.equal("0x5");
  });

  it("mines at the clock's time after it went back to a snapshot", async () => {
    const snapshot = await chain.request("evm_snapshot");
    clock.advance(700_000);
    await send(0);
    await chain.request("evm_revert", [snapshot]);
    clock.set(NOON + 5_000);
    await send(0);
    expect(await latest()).to.include({ number: 1, time: NOON / 1_000 + 5 });
  });
});
