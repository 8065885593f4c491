/** Collectors and verifications of one process ask the same providers by the same budgets. */
import { expect } from "chai";
import { createLiveMarket } from "../../../market/live/live.ts";
import { createOffchainSources } from "../../../market/live/offchainFacts.ts";
import { type Budgets, createBudgets } from "../../../market/providers/budgets.ts";
import { REPLAY_NOW, replayWorld, startReplay } from "../../support/providers/replay.ts";
import { virtualClock } from "../../support/providers/virtualClock.ts";

describe("a process that collects and verifies", () => {
  it("asks for its jobs by what is kept for them, and for its series by the rest", async () => {
    const clock = virtualClock(REPLAY_NOW * 1_000, 10);
    await using replay = await startReplay(replayWorld(["AAPL"]));
    const asked = new Set<string>();
    const real = createBudgets({ clock });
    const budgets: Budgets = {
      gateOf(provider, rate, use) {
        asked.add(`${provider} ${use}`);
        return real.gateOf(provider, rate, use);
      },
    };
    const keys = { pyth: "key", finnhub: "key", binanceRwa: "key:secret" };
    const common = { fetch: clock.fetch, now: () => clock.now(), budgets, keys };
    const facts = createOffchainSources({
      chainId: 56,
      ...common,
      baseUrls: replay.baseUrls,
      log: { warn: () => {} },
    });
    createLiveMarket({
      ...common,
      baseUrls: replay.baseUrls,
      assets: replay.world.tokens,
      adapters: { clock, random: () => 0 },
    });
    const id = Buffer.from("AAPL").toString("hex").padStart(64, "0");
    const feed = { kind: "live", provider: "pyth-hermes", symbol: "AAPL", feedId: `0x${id}` } as const;
    // The collectors' share of Pyth is taken for minutes to come.
    const collecting = real.gateOf("pyth", { requests: 30, perMs: 10_000, jobs: 18 }, "premium");
    for (let n = 0; n < 100; n++) void collecting.acquire("premium");
    const from = clock.now();
    const { readings } = await clock.until(facts.prices([feed], 0));
    expect(readings[0]).to.include({ symbol: "AAPL", price: "100" });
    expect(clock.now() - from).to.be.below(1_000);
    expect([...asked]).to.include.members([
      "pyth job",
      "pyth premium",
      "finnhub job",
      "finnhub premium",
      "xstocks job",
      "binanceRwa job",
      "binanceRwa premium",
      "jupiter premium",
      "dexscreener premium",
    ]);
  });
});
