/** How the service reads what waits of the guard: at each block, with few searches, from where it stopped before. */
import { expect } from "chai";
import type { JsonRpcProvider } from "ethers";
import type { ChainFacts } from "../../../attestor/evidence/facts.ts";
import { GUARD_ABI, MANAGER_ABI } from "../../../chain/abis.ts";
import { UpstreamUnavailable } from "../../../chain/chainErrors.ts";
import { createBlockMemo } from "../../../chain/facts/blockMemo.ts";
import { createScheduleReader, type ScheduleStart } from "../../../chain/facts/schedule.ts";
import { operationId } from "../../../chain/guard/schedule.ts";
import { addressFor, GUARD } from "../../attestor/fixtures.ts";
import { ownCaches } from "../../support/caches.ts";
import { failureOf } from "../../support/failure.ts";

const MANAGER = addressFor("manager");
const DEPLOYED_AT = 1_000;
const READY = 1_800_000_000;
const ROTATION = {
  caller: addressFor("operator"),
  target: GUARD,
  data: GUARD_ABI.encodeFunctionData("rotateSigner", [addressFor("next signer")]),
};

interface Event {
  readonly block: number;
  readonly name: "OperationScheduled" | "OperationCanceled";
  /** Not of the manager, though the node answers it. */
  readonly isOfAnother?: boolean;
}

/** A node whose manager has these events. @param most blocks of one search */
function nodeWith(events: Event[], most = Number.POSITIVE_INFINITY) {
  const searched: [number, number][] = [];
  const provider = {
    async getLogs({ fromBlock, toBlock }: { fromBlock: number; toBlock: number }) {
      searched.push([fromBlock, toBlock]);
      if (toBlock - fromBlock >= most) throw new Error("too many blocks");
      return events
        .filter(({ block }) => block >= fromBlock && block <= toBlock)
        .map(({ block, name, isOfAnother = false }) => {
          const { caller, target, data } = ROTATION;
          const args = name === "OperationScheduled" ? [READY, caller, target, data] : [];
          const log = MANAGER_ABI.encodeEventLog(name, [operationId(ROTATION), 1, ...args]);
          return { ...log, address: isOfAnother ? GUARD : MANAGER, blockNumber: block, removed: false };
        });
    },
  } as unknown as JsonRpcProvider;
  return { provider, searched, events };
}

const blockAt = (blockNumber: number, fork = ""): ChainFacts => ({
  chainId: 56,
  blockNumber,
  blockHash: `${fork}${blockNumber}`,
  blockTimestamp: READY - 60,
});

const readerOn = ({ provider }: ReturnType<typeof nodeWith>, start?: ScheduleStart) => {
  const place = { guard: GUARD, deployedAtBlock: DEPLOYED_AT };
  const reader = createScheduleReader(provider, place, createBlockMemo(ownCaches()), start);
  return async (block: number, fork?: string) => {
    const changes = await reader.pendingAt(blockAt(block, fork), MANAGER);
    return changes.map(({ operation }) => operation);
  };
};

/** As the database keeps it. */
function keptStart(block: number | null = null) {
  const kept = { block };
  const start: ScheduleStart = {
    read: async () => kept.block,
    write: async (first) => {
      kept.block = first;
    },
  };
  return { kept, start };
}

const WAITS = [operationId(ROTATION)];

describe("what the service reads of the guard's schedule", () => {
  it("is of the very block: an operation counts from the block on that schedules it, and until it is cancelled", async () => {
    const node = nodeWith([
      { block: 1_200, name: "OperationScheduled" },
      { block: 1_203, name: "OperationCanceled" },
    ]);
    const waitingAt = readerOn(node);
    const seen = [];
    for (const block of [1_199, 1_200, 1_202, 1_203, 1_500]) seen.push(await waitingAt(block));
    expect(seen).to.deep.equal([[], WAITS, WAITS, [], []]);
  });

  it("takes one search a block, shared by all who ask, over what a reorganization may still change", async () => {
    const node = nodeWith([]);
    const waitingAt = readerOn(node);
    await waitingAt(5_000);
    expect(node.searched).to.deep.equal([[DEPLOYED_AT, 5_000]]);
    await Promise.all([waitingAt(5_010), waitingAt(5_010), waitingAt(5_010)]);
    await waitingAt(5_010);
    expect(node.searched.slice(1)).to.deep.equal([[4_901, 5_010]]);
  });

  it("forgets what a reorganization took back", async () => {
    // Also where the node answers few blocks at once, so that one look takes several searches.
    for (const most of [Number.POSITIVE_INFINITY, 30]) {
      const node = nodeWith([{ block: 1_250, name: "OperationScheduled" }], most);
      const waitingAt = readerOn(node);
      expect(await waitingAt(1_300)).to.deep.equal(WAITS);
      node.events.pop();
      expect(await waitingAt(1_300, "other ")).to.deep.equal([]);
    }
  });

  it("finds what was scheduled long before, from nodes that answer few blocks at once, call by call", async () => {
    const node = nodeWith([{ block: 1_050, name: "OperationScheduled" }], 313);
    const waitingAt = readerOn(node);
    const head = DEPLOYED_AT + 30_000;
    const failure = await failureOf(waitingAt(head));
    expect(failure).to.be.instanceOf(UpstreamUnavailable);
    const before = node.searched.length;
    for (let tries = 0; tries < 10; tries++) {
      try {
        expect(await waitingAt(head)).to.deep.equal(WAITS);
        break;
      } catch (error) {
        expect(error).to.be.instanceOf(UpstreamUnavailable);
        expect(tries).to.be.lessThan(9);
      }
    }
    expect(before).to.be.lessThan(50);
    // No block twice, but for searches that were refused.
    const answered = node.searched.filter(([from, to]) => to - from < 313 && to < head - 400);
    expect(new Set(answered.map(([from]) => from)).size).to.equal(answered.length);
  });

  it("takes no event of another contract", async () => {
    const node = nodeWith([{ block: 1_010, name: "OperationScheduled", isOfAnother: true }]);
    expect(await readerOn(node)(1_020)).to.deep.equal([]);
  });

  it("begins after a restart with the oldest operation that still waits", async () => {
    const { kept, start } = keptStart();
    await readerOn(nodeWith([{ block: 2_000, name: "OperationScheduled" }]), start)(90_000);
    expect(kept.block).to.equal(2_000);
    const node = nodeWith([{ block: 2_000, name: "OperationScheduled" }]);
    expect(await readerOn(node, start)(90_001)).to.deep.equal(WAITS);
    expect(node.searched[0]?.[0]).to.equal(2_000);

    const nothing = keptStart();
    await readerOn(nodeWith([]), nothing.start)(90_000);
    expect(nothing.kept.block).to.equal(89_901);
  });

  it("begins anew on a chain that went back, and does without a kept block that is beyond the chain", async () => {
    const node = nodeWith([{ block: 1_010, name: "OperationScheduled" }]);
    const waitingAt = readerOn(node, keptStart(80_000).start);
    expect(await waitingAt(90_000)).to.deep.equal([]);
    expect(await waitingAt(1_020)).to.deep.equal(WAITS);
  });

  it("is unknown, and never empty, while the node gives no events", async () => {
    const waitingAt = readerOn(nodeWith([], 0));
    expect(await failureOf(waitingAt(1_001))).to.be.instanceOf(UpstreamUnavailable);
  });
});
