import { expect } from "chai";
import { Wallet } from "ethers";
import { localAccounts } from "../../../devnet/accounts.ts";
import type { Engine } from "../../../devnet/chain/engine.ts";
import type { JournalWriter } from "../../../devnet/chain/journal.ts";
import { createNode } from "../../../devnet/chain/node.ts";
import { manualClock } from "../../../devnet/clock.ts";

describe("The local chain's node", () => {
  const raw = new Wallet(localAccounts().agent.privateKey).signTransaction({
    chainId: 31337,
    type: 2,
    nonce: 0,
    to: localAccounts().agent.address,
    gasLimit: 21_000n,
    maxFeePerGas: 1n,
  });
  const events: string[] = [];
  const engine: Engine = {
    request: async () => "0x0",
    async mine() {
      events.push("mine");
      return { block: { number: 1, hash: "0x01", transactions: ["0xaa"] }, refusals: [null] };
    },
    close: async () => {},
  };
  const journal: JournalWriter = {
    open: async () => void events.push("open"),
    close: async () => void events.push("close"),
    note: async () => {},
    end: async () => void events.push("end"),
  };
  const node = (parts: Partial<JournalWriter> = {}) =>
    createNode({
      engine,
      journal: { ...journal, ...parts },
      clock: manualClock(0),
      latest: { number: 0, time: 0 },
    });

  beforeEach(() => {
    events.length = 0;
  });

  it("writes a block down before it mines it, and answers last", async () => {
    expect(await node().send(await raw)).to.equal("0xaa");
    expect(events).to.deep.equal(["open", "mine", "close"]);
  });

  it("mines nothing that it could not write down, and nothing after that", async () => {
    const failing = node({ open: () => Promise.reject(new Error("no space left on device")) });
    const messages = [];
    for (let attempt = 0; attempt < 2; attempt++)
      messages.push(await failing.send(await raw).catch((error: Error) => error.message));
    expect(messages[0]).to.equal("no space left on device");
    expect(messages[1]).to.match(/must be restarted: no space left on device/);
    expect(events).to.deep.equal([]);
  });

  it("finishes what is under way when it stops, and takes nothing more", async () => {
    const stopping = node();
    const sent = stopping.send(await raw);
    await stopping.stop();
    expect(await sent).to.equal("0xaa");
    expect(events).to.deep.equal(["open", "mine", "close", "end"]);
    expect(await stopping.mine().catch((error: Error) => error.message)).to.equal(
      "the local chain is stopping",
    );
  });
});
