import { expect } from "chai";
import { compareQuotes } from "../../support/pools/differential.ts";
import { FEES } from "../../support/pools/publishedPools.ts";

const QUOTES = 1_500;

describe("a quote from the state of its pools", () => {
  it("a quote from the state of its pools is that of the published quoters and routers, to the raw unit", async () => {
    const met = await compareQuotes(QUOTES, 1);
    expect(met.differences.slice(0, 3)).to.deep.equal([]);
    expect([...met.tiers].sort((a, b) => a - b)).to.deep.equal(FEES);
    for (const [name, least] of Object.entries({
      v2: 200,
      v3: 600,
      twoHops: 200,
      zeroForOne: 500,
      crossings: 300,
      manyCrossings: 50,
      refused: 10,
      routers: 50,
    }))
      expect(met[name as "v2"], name).to.be.at.least(least);
    expect(met.zeroForOne).to.be.at.most(met.quotes - 500);
  });
});
