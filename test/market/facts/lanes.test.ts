/** Collectors and verifications of one process ask the same providers, each by its own part of their limits. */
import { expect } from "chai";
import { createOffchainSources } from "../../../market/facts/offchainFacts.ts";
import { connectMarket } from "../../../market/providers/connect.ts";
import { createLimits, type ProviderLimits } from "../../../market/providers/limits.ts";
import { startReplay } from "../../support/providers/replay.ts";
import { replayWorld } from "../../support/providers/replayWorld.ts";
import { ofEachTest } from "../../support/providers/virtualTime.ts";

describe("a process that collects and verifies", () => {
  const time = ofEachTest();

  it("asks for its jobs by what is kept for them, and for its series by the rest", async () => {
    await using replay = await startReplay(replayWorld(["AAPL"]));
    const asked = new Set<string>();
    const real = createLimits();
    const limits: ProviderLimits = {
      ...real,
      turns(provider, rate, lane, count) {
        asked.add(`${provider} ${lane}`);
        return real.turns(provider, rate, lane, count);
      },
    };
    const keys = { pyth: "key", finnhub: "key", binanceRwa: "key:secret" };
    const common = { ...replay.deps, now: time.now, limits, keys };
    const facts = createOffchainSources({ chainId: 56, ...common, log: { warn: () => {} } });
    const { tokens } = replay.world;
    const { ask } = connectMarket({ ...common, tokens });
    const collecting = Promise.all([ask("price", tokens), ask("reference", tokens), ask("ratio", tokens)]);
    const id = Buffer.from("AAPL").toString("hex").padStart(64, "0");
    const feed = { kind: "live", provider: "pyth-hermes", symbol: "AAPL", feedId: `0x${id}` } as const;
    const close = { kind: "close", provider: "finnhub", symbol: "AAPL" } as const;
    // The collectors' share of Pyth is taken for minutes to come.
    const rate = { requests: 30, perMs: 10_000, collectors: 0.3 };
    for (let n = 0; n < 100; n++) void real.turns("pyth", rate, "collecting", 1).take();
    const from = time.now();
    const { readings } = await facts.prices([feed, close], 0);
    expect(readings[0]).to.include({ symbol: "AAPL", price: "100" });
    expect(time.now() - from).to.be.below(1_000);
    await facts.token({ source: "xstocks", symbol: "AAPLx" }, "0x1", 0);
    await collecting;
    expect([...asked]).to.include.members([
      "pyth jobs",
      "pyth collecting",
      "finnhub jobs",
      "xstocks jobs",
      "binanceRwa collecting",
      "jupiter collecting",
    ]);
  });
});
