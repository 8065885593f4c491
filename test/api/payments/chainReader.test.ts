import { expect } from "chai";
import { id, type JsonRpcProvider, toBeHex, zeroPadValue } from "ethers";
import { createChainReader } from "../../../api/payments/chainReader.ts";
import { EXACT_PERMIT2_PROXY, PROXY_ABI } from "../../../api/payments/permit2Contracts.ts";

const [asset, payer, payTo] = [1, 2, 3].map((n) => zeroPadValue(toBeHex(n * 0x1234567), 20)) as [
  string,
  string,
  string,
];
const NONCE = 7n;
const DEADLINE = 1_000;

/** A node that has the transaction and not its events yet, long after the deadline. */
function nodeWithoutEvents(): JsonRpcProvider {
  const data = PROXY_ABI.encodeFunctionData("settle", [
    { permitted: { token: asset, amount: 10_000n }, nonce: NONCE, deadline: DEADLINE },
    payer,
    { to: payTo, validAfter: 0n },
    "0x12",
  ]);
  const topics = [id("Transfer(address,address,uint256)"), zeroPadValue(payer, 32), zeroPadValue(payTo, 32)];
  const logs = [
    { address: asset, topics, data: toBeHex(10_000n, 32) },
    { address: EXACT_PERMIT2_PROXY, topics: [id("Settled()")], data: "0x" },
  ];
  const node: any = {
    send: async () => "0x1",
    getNetwork: async () => ({ chainId: 1n }),
    getBlock: async (tag: number | "latest") => ({
      number: tag === "latest" ? 5_000 : tag,
      timestamp: 1_200,
    }),
    getTransactionReceipt: async () => ({ blockNumber: 4_000, blockHash: id("block"), logs, status: 1 }),
    getTransaction: async () => ({ to: EXACT_PERMIT2_PROXY, data }),
    getLogs: async () => [],
    call: async () => zeroPadValue(toBeHex(1n << NONCE), 32),
    resolveName: async (name: string) => name,
  };
  node.provider = node;
  return node;
}

describe("what the chain says of a payment by Permit2", () => {
  it("is paid where a known transaction made it, though the node has no events of it, however deep it must be", async () => {
    for (const confirmations of [1, 3]) {
      const reader = createChainReader({ provider: nodeWithoutEvents(), chainId: 1, confirmations });
      const authorization = { asset, payer, payTo, amount: "10000", nonce: `permit2:${toBeHex(NONCE, 32)}` };
      const awaited = { ...authorization, validBefore: DEADLINE + 1, unusedAtBlock: 3_990 };
      expect(await reader.look({ ...awaited, hint: id("transaction") })).to.include({ state: "paid" });
      // Without it silence decides, two minutes after the deadline.
      expect(await reader.look({ ...awaited, hint: null })).to.include({ state: "spent_otherwise" });
    }
  });
});
