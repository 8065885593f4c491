import { expect } from "chai";
import type { TokenFacts } from "../../../attestor/evidence/facts.ts";
import { wordsOf } from "../../../market/live/corporateActions.ts";
import { createLiveMarket } from "../../../market/live/live.ts";
import { replayWorld, startReplay } from "../../support/providers/replay.ts";
import { ofTest } from "../../support/suite.ts";

const NOW = 1_795_003_300;
const HASH = `0x${"ab".repeat(32)}`;
const SCALED = "solana-xstocks-AAPL";

const stated = {
  provider: "erc-8056",
  source: "rpc",
  blockNumber: 1,
  address: null,
  receivedAt: NOW,
  rawHash: HASH,
};
const facts = (value: string, announcement: TokenFacts["announcement"]): TokenFacts => ({
  ...{ factor: { ...stated, value }, announcement, layout: null, halts: [] },
});
const change = (value: string | null, effectiveAt: number) => ({ ...stated, change: { value, effectiveAt } });

describe("the live market's sources of corporate actions", () => {
  const replay = ofTest(() => startReplay(replayWorld(["AAPL", "TSLA"])));

  it("mints and the issuer say what tokens' multipliers are and become, each with the hash of its answer", async () => {
    const { sources } = createLiveMarket({ ...replay.deps, assets: replay.world.tokens });
    await sources.afterwards!();
    const { rows, failures } = await sources.actionsOf!(replay.world.tokens);
    expect(failures).to.eql([]);
    const own = rows.filter(({ assetKey }) => assetKey === SCALED);
    expect(own.map(({ source }) => source)).to.have.members(["xstocks", "solana"]);
    for (const { rawHash, value } of own) {
      expect(rawHash).to.match(/^0x[0-9a-f]{64}$/);
      expect(Number(value)).to.be.greaterThan(0);
    }
    // Of one that is not asked for nothing is said.
    expect((await sources.actionsOf!([])).rows).to.eql([]);
  });

  it("a contract's announcement is a change to come until its time, and then one that was made", () => {
    const [ahead] = wordsOf("key", "chain", facts("1", change("2", NOW + 50)), NOW);
    const common = { after: "2", effectiveAt: NOW + 50 };
    expect(ahead).to.deep.include({ value: "1", change: { status: "announced", before: "1", ...common } });
    const [made] = wordsOf("key", "chain", facts("2", change("2", NOW + 50)), NOW + 50);
    expect(made).to.deep.include({ value: "2", change: { status: "applied", before: null, ...common } });
  });

  it("a contract that announces no time, nothing, or never does, says so, and one without a factor is silent", () => {
    const [open] = wordsOf("key", "chain", facts("1", change("2", NOW + 1)), NOW);
    expect(open?.change).to.include({ status: "announced", effectiveAt: null });
    expect(wordsOf("key", "chain", facts("1", { ...stated, change: null }), NOW)[0]?.change).to.equal(null);
    expect(wordsOf("key", "chain", facts("1", null), NOW)[0]?.change).to.equal(undefined);
    expect(wordsOf("key", "chain", { ...facts("1", null), factor: null }, NOW)).to.eql([]);
    expect(wordsOf("key", "chain", null, NOW)).to.eql([]);
  });
});
