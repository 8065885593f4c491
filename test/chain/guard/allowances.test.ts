import { expect } from "chai";
import { id, type JsonRpcProvider, zeroPadValue } from "ethers";
import { collectApprovals, standingAllowances } from "../../../chain/guard/allowances.ts";

const EXECUTOR = "0x1429859428C0aBc9C2C47C8Ee9FBaf82cFA0F20f";
const TOKEN = "0x2222222222222222222222222222222222222222";
const THING = "0x3333333333333333333333333333333333333333";
const ROUTER = "0x4444444444444444444444444444444444444444";
const THIEF = "0x5555555555555555555555555555555555555555";
const START = { executor: EXECUTOR, upToBlock: 9, approvals: [] };

interface Asked {
  readonly topics: readonly string[];
  readonly fromBlock: number;
  readonly toBlock: number;
}

/** A node of one approval a block, by token and spender; what is left of an allowance is asked by call. */
function node(events: readonly (readonly [token: string, spender: string, ...more: string[]])[]) {
  const asked: Asked[] = [];
  const provider = {
    getLogs: async (filter: Asked) => {
      asked.push(filter);
      return events
        .map(([address, spender, ...more], index) => ({
          address,
          block: 10 + index,
          topics: [...filter.topics, ...[spender, ...more].map((topic) => zeroPadValue(topic, 32))],
          data: `0x${"f".repeat(64)}`,
        }))
        .filter(({ block }) => block >= filter.fromBlock && block <= filter.toBlock);
    },
  };
  return { provider: provider as unknown as JsonRpcProvider, asked };
}

describe("Collecting whom the executor ever approved", () => {
  it("asks the events of every token for approvals by the executor, each block once", async () => {
    const { provider, asked } = node([
      [TOKEN, ROUTER],
      [TOKEN, THIEF],
      [TOKEN, ROUTER],
    ]);
    const seen = await collectApprovals(provider, START, 12);
    expect(seen).to.deep.equal({
      executor: EXECUTOR,
      upToBlock: 12,
      approvals: [
        { token: TOKEN, spender: ROUTER },
        { token: TOKEN, spender: THIEF },
      ],
    });
    expect(asked).to.deep.equal([
      {
        topics: [id("Approval(address,address,uint256)"), zeroPadValue(EXECUTOR, 32)],
        fromBlock: 10,
        toBlock: 12,
      },
    ]);
    expect(await collectApprovals(provider, seen, 12)).to.deep.equal(seen);
    expect(asked).to.have.length(1);
  });

  it("leaves out approvals of single things, which have the same name and one topic more", async () => {
    const { provider } = node([[THING, THIEF, "0x01"]]);
    expect((await collectApprovals(provider, START, 10)).approvals).to.deep.equal([]);
  });

  it("asks nobody when nothing was approved", async () => {
    expect(await standingAllowances(node([]).provider, START, 10)).to.deep.equal([]);
  });
});
