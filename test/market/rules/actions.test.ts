import { expect } from "chai";
import type { TokenFacts } from "../../../attestor/evidence/facts.ts";
import { connectMarket } from "../../../market/providers/connect.ts";
import { announcedBy } from "../../../market/providers/contracts.ts";
import { announcedWith } from "../../../market/rules/actions.ts";
import { patching } from "../../support/providers/patches.ts";
import { startReplay } from "../../support/providers/replay.ts";
import { replayWorld } from "../../support/providers/replayWorld.ts";
import { ofTest } from "../../support/suite.ts";

const NOW = 1_795_003_300;
const HASH = `0x${"ab".repeat(32)}`;
const SCALED = "solana-xstocks-AAPL";
const CONFIG = "result.value.*.data.parsed.info.extensions.extension=scaledUiAmountConfig.state";

const stated = {
  provider: "erc-8056",
  source: "rpc",
  blockNumber: 1,
  address: null,
  receivedAt: NOW,
  rawHash: HASH,
};
const facts = (value: string, announcement: TokenFacts["announcement"]): TokenFacts => ({
  factor: { ...stated, value },
  announcement,
  layout: null,
  halts: [],
});
const change = (value: string | null, effectiveAt: number) => ({ ...stated, change: { value, effectiveAt } });

describe("announced changes of tokens' shares", () => {
  const replay = ofTest(() => startReplay(replayWorld(["AAPL", "TSLA"])));

  it("mints and the issuer announce changes of tokens' multipliers, each with the hash of its answer", async () => {
    replay.world.rewrite = patching(
      [
        { of: "^xstocks.*/multiplier", at: "newMultiplier", set: 2 },
        { of: "^xstocks.*/multiplier", at: "activationDateTime", set: NOW * 2 },
        { of: "^xstocks.*/multiplier", at: "reason", set: "Stock split" },
        { of: "^solana", at: `${CONFIG}.newMultiplier`, set: "2" },
        { of: "^solana", at: `${CONFIG}.newMultiplierEffectiveTimestamp`, set: NOW * 2 },
      ],
      () => replay.world.now,
    );
    const { tokens } = replay.world;
    const asking = connectMarket({ ...replay.deps, tokens });
    await asking.afterwards();
    const { statements, failures } = await asking.ask("ratio", tokens);
    expect(failures).to.eql([]);
    const own = announcedWith(statements, NOW).filter(({ subject }) => subject === SCALED);
    expect(own.map(({ source, kind }) => `${source} ${kind}`)).to.have.members([
      "xstocks split",
      "solana multiplier",
    ]);
    for (const { rawHash, figure, effectiveAt } of own) {
      expect(rawHash).to.match(/^0x[0-9a-f]{64}$/);
      expect([figure, effectiveAt]).to.eql(["2", NOW * 2]);
    }
  });

  it("a contract's announcement is a change to come until its time, and then one that was made", () => {
    const stated = {
      of: "action",
      subject: "key",
      source: "chain",
      origin: "chain",
      at: null,
      rawHash: HASH,
    };
    const common = { ...stated, kind: "multiplier", figure: "2" };
    const announced = facts("1", change("2", NOW + 50));
    const made = facts("2", change("2", NOW + 50));
    expect(announcedBy("key", "chain", announced, NOW)).to.eql([
      { ...common, before: "1", effectiveAt: NOW + 50 },
    ]);
    expect(announcedBy("key", "chain", made, NOW + 50)).to.eql([
      { ...common, before: null, effectiveAt: NOW + 50 },
    ]);
  });

  it("a contract that announces no time says so, and one that announces nothing, or never does, is silent", () => {
    const [open] = announcedBy("key", "chain", facts("1", change("2", NOW + 1)), NOW);
    expect(open).to.include({ figure: "2", effectiveAt: null });
    const nothing = facts("1", { ...stated, change: null });
    // A time that has passed without a figure.
    const past = facts("1", change(null, NOW - 50));
    // What a source says that has lost the time, or the factor.
    const lost = [facts("1", change("2", 0)), facts("1", change("0", NOW + 50))];
    for (const silent of [nothing, facts("1", null), past, ...lost, null])
      expect(announcedBy("key", "chain", silent, NOW)).to.eql([]);
  });
});
