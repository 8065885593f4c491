import { expect } from "chai";
import type { JsonRpcProvider } from "ethers";
import { GUARD_ABI } from "../../../chain/abis.ts";
import { collectSeen, type Seen } from "../../../chain/guard/allowlists.ts";
import { LOG_PAGE_BLOCKS } from "../../../chain/logs.ts";

const GUARD = "0x1429859428C0aBc9C2C47C8Ee9FBaf82cFA0F20f";
const ROUTE = "0x1111111111111111111111111111111111111111";
const LISTS = { routes: [], recipients: [], accounts: [], operations: [] };
const START: Seen = { guard: GUARD, manager: ROUTE, upToBlock: 99, ...LISTS };

interface Asked {
  fromBlock: number;
  toBlock: number;
}

/** A node with one RouteSet in each of these blocks that gives logs of so many blocks at once. */
function node(blocks: number[], most: number) {
  const asked: Asked[] = [];
  const event = GUARD_ABI.getEvent("RouteSet")!;
  const provider = {
    getLogs: async ({ fromBlock, toBlock }: Asked) => {
      if (toBlock - fromBlock + 1 > most) throw new Error("query returned more than the limit");
      asked.push({ fromBlock, toBlock });
      return blocks
        .filter((block) => block >= fromBlock && block <= toBlock)
        .map((block) => ({
          address: GUARD,
          ...GUARD_ABI.encodeEventLog(event, [ROUTE, `0x${block.toString(16).padStart(8, "0")}`, true]),
        }));
    },
  };
  return { provider: provider as unknown as JsonRpcProvider, asked };
}

describe("Collecting what events of the guard ever named", () => {
  it("asks for every block once, page by page, and begins after what was seen", async () => {
    const { provider, asked } = node([100, 5_099, 5_100, 12_000], LOG_PAGE_BLOCKS);
    const seen = await collectSeen(provider, START, 12_000);
    expect(seen.routes.map(({ selector }) => Number(selector))).to.deep.equal([100, 5_099, 5_100, 12_000]);
    expect(seen.upToBlock).to.equal(12_000);
    expect(asked).to.deep.equal([
      { fromBlock: 100, toBlock: 5_099 },
      { fromBlock: 5_100, toBlock: 10_099 },
      { fromBlock: 10_100, toBlock: 12_000 },
    ]);
    const more = node([12_001], LOG_PAGE_BLOCKS);
    expect((await collectSeen(more.provider, seen, 12_001)).routes).to.have.length(5);
    expect(more.asked).to.deep.equal([{ fromBlock: 12_001, toBlock: 12_001 }]);
  });

  it("takes smaller pages where the node wants them, and leaves nothing out", async () => {
    const blocks = [100, 101, 777, 1_023, 1_500];
    for (const most of [1_000, 7, 1]) {
      const { provider, asked } = node(blocks, most);
      const seen = await collectSeen(provider, START, 1_500);
      expect(seen.routes).to.have.length(blocks.length);
      const covered = asked.reduce((sum, { fromBlock, toBlock }) => sum + toBlock - fromBlock + 1, 0);
      expect(covered).to.equal(1_401);
    }
  });

  it("gives up on a node that answers nothing at all", async () => {
    const error = await collectSeen(node([], 0).provider, START, 200).catch(
      (caught: Error) => caught.message,
    );
    expect(error).to.equal("guard events: the chain's RPC does not answer.");
  });

  it("Collecting what events of the guard ever named has nothing to ask when it has seen everything", async () => {
    const { provider, asked } = node([], 1);
    expect(await collectSeen(provider, START, 99)).to.deep.equal(START);
    expect(asked).to.deep.equal([]);
  });
});
