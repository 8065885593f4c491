/** Which transfers may be a Permit2 payment's, by what a node shows of their transactions. */
import { expect } from "chai";
import { id, type JsonRpcProvider, toBeHex, zeroPadValue } from "ethers";
import fc from "fast-check";
import { createPaymentChain } from "../../../api/payments/chain.ts";
import { PROXY_ABI } from "../../../api/payments/permit2.ts";
import { EXACT_PERMIT2_PROXY, PERMIT2 } from "../../../api/payments/typedData.ts";

const address = (number: number): string => zeroPadValue(toBeHex(number * 0x1234567), 20);
const [asset, payer, payTo, other] = [address(1), address(2), address(3), address(4)];
const NONCE = 7n;
const DEADLINE = 1_000;
/** Two minutes and a little after the deadline. */
const LATE = DEADLINE + 121;

const UNUSED_AT = 3_990;
const HEAD = 5_000;
const WANTED = {
  asset,
  payer,
  payTo,
  amount: "10000",
  nonce: `permit2:${toBeHex(NONCE, 32)}`,
  validBefore: DEADLINE,
  unusedAtBlock: UNUSED_AT,
};

interface Event {
  readonly address: string;
  readonly topics: readonly string[];
  readonly data: string;
}

interface Mined {
  readonly hash: string;
  readonly block: number;
  readonly to: string;
  readonly data: string;
  readonly events: readonly Event[];
}

const transfer = (changes: { token?: string; from?: string; to?: string; amount?: bigint } = {}): Event => {
  const { token = asset, from = payer, to = payTo, amount = 10_000n } = changes;
  const topics = [id("Transfer(address,address,uint256)"), zeroPadValue(from, 32), zeroPadValue(to, 32)];
  return { address: token, topics, data: toBeHex(amount, 32) };
};
const settled: Event = { address: EXACT_PERMIT2_PROXY, topics: [id("Settled()")], data: "0x" };
const used: Event = {
  address: asset,
  topics: [id("AuthorizationUsed(address,bytes32)"), zeroPadValue(payer, 32), id("a nonce")],
  data: "0x",
};
const cancelled: Event = {
  address: PERMIT2,
  topics: [id("UnorderedNonceInvalidation(address,uint256,uint256)"), zeroPadValue(payer, 32)],
  data: `0x${toBeHex(0n, 32).slice(2)}${toBeHex(1n << NONCE, 32).slice(2)}`,
};

let count = 0;
const mined = (to: string, data: string, events: readonly Event[], block = 4_000): Mined => ({
  hash: id(`transaction ${++count}`),
  block,
  to,
  data,
  events,
});
/** A call of somebody else's contract, which calls the proxy in a way that nobody can read. */
const within = (events: readonly Event[], block?: number) => mined(other, "0xabcdef01", events, block);
function direct(nonce: bigint, events: readonly Event[], sponsored = false): Mined {
  const permit = { permitted: { token: asset, amount: 10_000n }, nonce, deadline: DEADLINE };
  const args = [permit, payer, { to: payTo, validAfter: 0n }, "0x1234"];
  if (!sponsored) return mined(EXACT_PERMIT2_PROXY, PROXY_ABI.encodeFunctionData("settle", args), events);
  const permit2612 = { value: 10_000n, deadline: 1n, r: id("r"), s: id("s"), v: 27 };
  const data = PROXY_ABI.encodeFunctionData("settleWithPermit", [permit2612, ...args]);
  return mined(EXACT_PERMIT2_PROXY, data, events);
}

/** A node with these transactions, the nonce used; events are asked by payer, as the real one filters them. */
function nodeWith(chain: readonly Mined[], given: { showsEvents?: boolean; timestamp?: number } = {}) {
  const { showsEvents = true, timestamp = 900 } = given;
  const logsOf = ({ hash, block, events }: Mined) =>
    events.map((event, index) => ({ ...event, index, transactionHash: hash, blockNumber: block }));
  const byHash = (hash: string) => chain.find((one) => one.hash === hash);
  const node: any = {
    send: async () => "0x1",
    getNetwork: async () => ({ chainId: 1n }),
    getBlock: async (tag: unknown) => ({ number: tag === "latest" ? HEAD : tag, timestamp }),
    getTransactionReceipt: async (hash: string) => {
      const one = byHash(hash);
      return one ? { blockNumber: one.block, blockHash: id("block"), logs: logsOf(one) } : null;
    },
    getTransaction: async (hash: string) => byHash(hash) ?? null,
    getLogs: async ({ fromBlock, toBlock }: { fromBlock: number; toBlock: number }) =>
      (showsEvents ? chain : [])
        .filter(({ block }) => block >= fromBlock && block <= toBlock)
        .flatMap(logsOf)
        .filter(({ topics }) => topics[1] === zeroPadValue(payer, 32)),
    call: async () => zeroPadValue(toBeHex(1n << NONCE), 32),
    resolveName: async (name: string) => name,
  };
  node.provider = node;
  return node as JsonRpcProvider;
}

async function look(
  transactions: readonly Mined[],
  given: { confirmations?: number; hint?: string; showsEvents?: boolean; timestamp?: number } = {},
) {
  const provider = nodeWith(transactions, given);
  const chain = createPaymentChain({ provider, chainId: 1, confirmations: given.confirmations ?? 1 });
  const observed = await chain.observe(WANTED, given.hint ?? null);
  if (observed.state !== "used") throw new Error(observed.state);
  const transfers = observed.transfers.map(({ transactionHash, logIndex }) => [transactionHash, logIndex]);
  return { transfers, isOver: observed.isOver };
}

describe("a used nonce of Permit2", () => {
  it("a used nonce of Permit2 is paid by the call of the proxy that names it, and by no call that names another", async () => {
    for (const sponsored of [false, true]) {
      const [own, foreign] = [NONCE, NONCE + 1n].map((nonce) =>
        direct(nonce, [transfer(), settled], sponsored),
      ) as [Mined, Mined];
      expect((await look([foreign, own])).transfers).to.deep.equal([[own.hash, 0]]);
      expect((await look([foreign])).transfers).to.deep.equal([]);
      expect((await look([foreign], { hint: foreign.hash })).transfers).to.deep.equal([]);
    }
  });

  it("a used nonce of Permit2 may be paid by any agreed transfer of the proxy's within another call, each by its own place", async () => {
    const batch = within([
      ...[transfer(), settled, transfer({ from: other }), settled],
      ...[transfer({ to: other }), settled, transfer(), settled],
    ]);
    expect((await look([batch])).transfers).to.deep.equal([
      [batch.hash, 0],
      [batch.hash, 6],
    ]);
    // The one that is named goes first.
    const own = direct(NONCE, [transfer(), settled]);
    expect((await look([batch, own])).transfers[0]).to.deep.equal([own.hash, 0]);
  });

  it("a used nonce of Permit2 is not paid by what the proxy did not move as agreed, or by EIP-3009 beside it", async () => {
    for (const events of [
      [transfer()],
      [settled, transfer()],
      [transfer(), { ...settled, address: other }],
      [transfer({ amount: 9_999n }), settled],
      [transfer({ from: other }), settled],
      [transfer({ to: other }), settled],
      [transfer({ token: other }), settled],
      [used, transfer(), transfer({ token: other }), settled],
    ])
      expect((await look([within(events)])).transfers).to.deep.equal([]);
    const both = within([used, transfer(), transfer(), settled]);
    expect((await look([both])).transfers).to.deep.equal([[both.hash, 2]]);
  });

  it("a used nonce of Permit2 is not paid by what was made before it was seen unused, except by name after a reorganization", async () => {
    expect((await look([within([transfer(), settled], UNUSED_AT)])).transfers).to.deep.equal([]);
    expect((await look([within([transfer(), settled], UNUSED_AT + 1)])).transfers).to.have.length(1);
    const named = { ...direct(NONCE, [transfer(), settled]), block: UNUSED_AT };
    expect((await look([named])).transfers).to.have.length(1);
  });

  it("a used nonce of Permit2 has come to nothing when it was cancelled, or two minutes after its deadline, and not before", async () => {
    const cancellation = within([cancelled], 4_001);
    expect(await look([cancellation])).to.deep.equal({ transfers: [], isOver: true });
    expect((await look([cancellation], { confirmations: 1_001 })).isOver).to.equal(false);
    // What came after the cancellation is another payment's.
    const later = within([transfer(), settled], 4_002);
    expect((await look([cancellation, later])).transfers).to.deep.equal([]);
    const earlier = within([transfer(), settled], 4_000);
    expect((await look([earlier, cancellation])).transfers).to.have.length(1);

    expect((await look([], { timestamp: LATE - 2 })).isOver).to.equal(false);
    expect((await look([], { timestamp: LATE })).isOver).to.equal(true);
    // A transfer that is not deep enough may still be its own.
    const shallow = within([transfer(), settled], HEAD);
    const seen = await look([shallow], { timestamp: LATE, confirmations: 2 });
    expect(seen).to.deep.equal({ transfers: [], isOver: false });
  });

  it("a used nonce of Permit2 is paid where a known transaction shows it, though the node has no events of it, however deep it must be", async () => {
    const own = direct(NONCE, [transfer(), settled]);
    for (const confirmations of [1, 3]) {
      const blind = { showsEvents: false, timestamp: LATE, confirmations };
      expect((await look([own], { ...blind, hint: own.hash })).transfers).to.deep.equal([[own.hash, 0]]);
      expect(await look([own], blind)).to.deep.equal({ transfers: [], isOver: true });
    }
  });

  it("a used nonce of Permit2 has as many transfers as the proxy made, each once, with any events between them", async () => {
    const noise = fc.constantFrom(
      transfer({ token: other }),
      transfer({ from: other }),
      { ...settled, address: other },
      { address: asset, topics: [id("Approval(address,address,uint256)")], data: "0x" },
    );
    const payment = fc.tuple(
      fc.array(noise, { maxLength: 2 }),
      fc.boolean(),
      fc.array(noise, { maxLength: 2 }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(payment, { maxLength: 5 }), async (payments) => {
        let count = 0;
        const events = payments.flatMap(([before, isAgreed, after]) => {
          // Another transfer of the token after it would be the one that the proxy made.
          const between = after.filter(({ address }) => address !== asset);
          if (isAgreed) count++;
          return [...before, transfer(isAgreed ? {} : { amount: 1n }), ...between, settled];
        });
        const { transfers } = await look([within(events)]);
        expect(new Set(transfers.map(String)).size).to.equal(count);
      }),
    );
  });
});
