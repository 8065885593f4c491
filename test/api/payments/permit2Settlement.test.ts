/** Which nonces of a payer a transaction used: by the proxy's own calls exactly, within others only where it comes out even. */
import { expect } from "chai";
import { concat, hexlify, id, type JsonRpcProvider, toBeHex, zeroPadValue } from "ethers";
import fc from "fast-check";
import { createChainReader } from "../../../api/payments/chain.ts";
import { EXACT_PERMIT2_PROXY, PROXY_ABI } from "../../../api/payments/permit2Contracts.ts";
import { type MinedCall, noncesPaidBy } from "../../../api/payments/permit2Settlement.ts";

const address = (n: number): string => zeroPadValue(toBeHex(n * 0x1234567), 20);
const [asset, payer, payTo, other] = [address(1), address(2), address(3), address(4)];
const PAYMENT = { asset, payer, payTo, amount: "10000" };
const name = (nonce: bigint): string => `permit2:${toBeHex(nonce, 32)}`;

const USUAL = {
  token: asset,
  amount: 10_000n,
  owner: payer,
  to: payTo,
  sponsored: false,
  signature: "0x1234",
};
type Permit = { readonly nonce: bigint } & Partial<typeof USUAL>;

function callOf(given: Permit): string {
  const { nonce, token, amount, owner, to, sponsored, signature } = { ...USUAL, ...given };
  const permit = { permitted: { token, amount }, nonce, deadline: 1_900_000_000n };
  const args = [permit, owner, { to, validAfter: 0n }, signature];
  if (!sponsored) return PROXY_ABI.encodeFunctionData("settle", args);
  const permit2612 = { value: amount, deadline: 1n, r: id("r"), s: id("s"), v: 27 };
  return PROXY_ABI.encodeFunctionData("settleWithPermit", [permit2612, ...args]);
}

function transfer(given: Permit) {
  const { token, amount, owner, to } = { ...USUAL, ...given };
  const topics = [id("Transfer(address,address,uint256)"), zeroPadValue(owner, 32), zeroPadValue(to, 32)];
  return { address: token, topics, data: toBeHex(amount, 32) };
}
const settled = { address: EXACT_PERMIT2_PROXY, topics: [id("Settled()")], data: "0x" };
const made = (permits: readonly Permit[]) => permits.flatMap((permit) => [transfer(permit), settled]);
const neverAsked = async (): Promise<boolean> => {
  throw new Error("the state before was asked for");
};
async function paidBy(call: MinedCall, wasSpentHere: (nonce: string) => Promise<boolean> = neverAsked) {
  return [...(await noncesPaidBy(call, PAYMENT, wasSpentHere))];
}
function direct(permit: Permit): MinedCall {
  return { to: EXACT_PERMIT2_PROXY, data: callOf(permit), logs: made([permit]) };
}
/** A batch of any make: call data of others between its own. */
const within = (named: readonly Permit[], done: readonly Permit[]): MinedCall => ({
  to: other,
  data: concat(["0xabcdef01", ...named.flatMap((permit) => ["0x00112233", callOf(permit)])]),
  logs: made(done),
});

describe("a transaction that was mined", () => {
  it("and is a call of the proxy used the nonce that it names, and no other", async () => {
    for (const sponsored of [false, true])
      expect(await paidBy(direct({ nonce: 7n, sponsored }))).to.deep.equal([name(7n)]);
    // The signature of a contract wallet may contain anything.
    const signature = callOf({ nonce: 8n });
    expect(await paidBy(direct({ nonce: 7n, signature }))).to.deep.equal([name(7n)]);
  });

  it("but made another transfer used none for this payment", async () => {
    for (const permit of [{ amount: 9_999n }, { owner: other }, { to: other }, { token: other }])
      expect(await paidBy(direct({ nonce: 7n, ...permit }))).to.deep.equal([]);
    const call = direct({ nonce: 7n });
    expect(await paidBy({ ...call, logs: [] })).to.deep.equal([]);
    expect(await paidBy({ ...call, logs: [transfer({ nonce: 7n })] })).to.deep.equal([]);
    expect(await paidBy({ ...call, logs: [settled, transfer({ nonce: 7n })] })).to.deep.equal([]);
    const elsewhere = { ...settled, address: other };
    expect(await paidBy({ ...call, logs: [transfer({ nonce: 7n }), elsewhere] })).to.deep.equal([]);
    expect(await paidBy({ ...call, data: `0x12345678${call.data.slice(10)}` })).to.deep.equal([]);
  });

  it("and called the proxy from within used as many nonces as it made payments", async () => {
    const permits = [{ nonce: 7n }, { nonce: 8n, sponsored: true }, { nonce: 9n, to: other }];
    expect(await paidBy(within(permits, permits))).to.deep.equal([name(7n), name(8n)]);
  });

  it("names a permit twice and is one payment", async () => {
    const permits = [{ nonce: 7n }, { nonce: 7n }];
    expect(await paidBy(within(permits, [{ nonce: 7n }]))).to.deep.equal([name(7n)]);
  });

  it("is nobody's payment where it names more permits than it made payments", async () => {
    const call = within([{ nonce: 7n }, { nonce: 8n }], [{ nonce: 8n }]);
    expect(await paidBy(call, async () => true)).to.deep.equal([]);
    // One of them was made before, or was never signed by anybody.
    expect(await paidBy(call, async (nonce) => nonce === name(8n))).to.deep.equal([name(8n)]);
  });

  it("never accounts for more nonces than it made payments, with any data", async () => {
    const nonce = fc.bigInt({ min: 0n, max: 5n });
    const permits = fc.array(fc.record({ nonce, sponsored: fc.boolean() }), { maxLength: 6 });
    const noise = fc.uint8Array({ maxLength: 5 });
    await fc.assert(
      fc.asyncProperty(permits, permits, noise, fc.uniqueArray(nonce), async (named, done, bytes, before) => {
        const call = within(named, done);
        const used = new Set(before.map(name));
        const data = concat([call.data, hexlify(bytes)]);
        const paid = await paidBy({ ...call, data }, async (one) => used.has(one));
        expect(paid.length).to.be.at.most(done.length);
        for (const one of paid) expect(named.map((permit) => name(permit.nonce))).to.include(one);
      }),
    );
  });

  it("asks nothing about hundreds of permits that somebody made up", async () => {
    const named = Array.from({ length: 600 }, (_, index) => ({ nonce: BigInt(index + 1) << 8n }));
    expect(await paidBy(within(named, [{ nonce: 256n }]))).to.deep.equal([]);
  });

  it("moved the token by EIP-3009 and a worthless one by the proxy, and paid nothing by Permit2", async () => {
    const topics = [id("AuthorizationUsed(address,bytes32)"), zeroPadValue(payer, 32), id("a nonce")];
    const used = { address: asset, topics, data: "0x" };
    const logs = [used, transfer({ nonce: 0n }), transfer({ nonce: 7n, token: other }), settled];
    expect(await paidBy({ ...within([{ nonce: 7n }], []), logs })).to.deep.equal([]);
    // A payment of its own beside it counts.
    const both = [used, transfer({ nonce: 0n }), ...made([{ nonce: 7n }])];
    expect(await paidBy({ ...within([{ nonce: 7n }], []), logs: both })).to.deep.equal([name(7n)]);
  });
});

const DEADLINE = 1_000;

/** A node that has the transaction and not its events yet, long after the deadline. */
function nodeWithoutEvents(): JsonRpcProvider {
  const { data, logs } = direct({ nonce: 7n });
  const node: any = {
    send: async () => "0x1",
    getNetwork: async () => ({ chainId: 1n }),
    getBlock: async (tag: unknown) => ({ number: tag === "latest" ? 5_000 : tag, timestamp: 1_200 }),
    getTransactionReceipt: async () => ({ blockNumber: 4_000, blockHash: id("block"), logs, status: 1 }),
    getTransaction: async () => ({ to: EXACT_PERMIT2_PROXY, data }),
    getLogs: async () => [],
    call: async () => zeroPadValue(toBeHex(1n << 7n), 32),
    resolveName: async (name: string) => name,
  };
  node.provider = node;
  return node;
}

describe("what the chain says of a payment by Permit2", () => {
  it("is paid where a known transaction made it, though the node has no events of it, however deep it must be", async () => {
    for (const confirmations of [1, 3]) {
      const reader = createChainReader({ provider: nodeWithoutEvents(), chainId: 1, confirmations });
      const authorization = { ...PAYMENT, nonce: name(7n) };
      const awaited = { ...authorization, validBefore: DEADLINE + 1, unusedAtBlock: 3_990 };
      expect(await reader.look({ ...awaited, hint: id("transaction") })).to.include({ state: "paid" });
      // Without it silence decides, two minutes after the deadline.
      expect(await reader.look({ ...awaited, hint: null })).to.include({ state: "spent_otherwise" });
    }
  });
});
