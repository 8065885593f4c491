/** What providers state is named by the hash of their answer, and timed by the judgement's clock. */
import { expect } from "chai";
import { keccak256, toUtf8Bytes } from "ethers";
import { createOffchainSources } from "../../../market/facts/offchainFacts.ts";

describe("facts of providers", () => {
  it("name the answer that they were read from by its hash", async () => {
    const text = JSON.stringify({ c: 190.5, pc: 189, t: 1_763_132_400 });
    const sources = createOffchainSources({
      chainId: 31_337,
      keys: { finnhub: "key" },
      baseUrls: {},
      fetch: async () => new Response(text, { headers: { "content-type": "application/json" } }),
      now: () => 1_763_132_410_000,
      log: { warn: () => {} },
    });
    const { readings } = await sources.prices([{ provider: "finnhub", kind: "live", symbol: "AAPL" }], 0);
    expect(readings[0]?.rawHash).to.equal(keccak256(toUtf8Bytes(text)));
  });

  it("of a token are timed by the judgement's clock, not the machine's", async () => {
    const now = Date.now() - 120_000;
    const sources = createOffchainSources({
      chainId: 56,
      keys: {},
      baseUrls: {},
      fetch: async () => Response.json({ currentMultiplier: "1.0057" }),
      now: () => now,
      log: { warn: () => {} },
    });
    const source = { source: "xstocks", symbol: "AAPLx" } as const;
    const { facts } = await sources.token(source, "0x1", Math.floor(now / 1_000));
    expect(facts.factor?.receivedAt).to.equal(Math.floor(now / 1_000));
  });
});
