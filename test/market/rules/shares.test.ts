import { expect } from "chai";
import fc from "fast-check";
import { sharesPerUnit, type TokenKind } from "../../../attestor/shares.ts";
import { EvidenceDecimal } from "../../../attestor/values/decimal.ts";
import { connectMarket } from "../../../market/providers/connect.ts";
import { chooseRatio } from "../../../market/rules/prices.ts";
import { premiumBps } from "../../../market/series/premium.ts";
import { startReplay } from "../../support/providers/replay.ts";
import { type ReplayToken, replayWorld } from "../../support/providers/replayWorld.ts";
import { ofSuite } from "../../support/suite.ts";

/** What the listings call each kind. */
const LISTED: Readonly<Record<TokenKind, ReplayToken["shares"]>> = {
  rebasing: "rebasing",
  scaled: "multiplier",
  "price-bearing": "ratio",
};

describe("the collectors' shares per token", () => {
  const replay = ofSuite(() => startReplay(replayWorld(["AAPL"])));
  /** What the collectors count a token of that kind as, where all who state its factor state this one. */
  async function collected(kind: TokenKind, factor: string): Promise<string | null> {
    const { world } = replay;
    const tokens = world.tokens.filter(({ shares }) => shares === LISTED[kind]);
    for (const token of tokens) Object.assign(token, { sharesPerToken: Number(factor) });
    const { statements } = await connectMarket({ ...replay.deps, tokens }).ask("ratio", tokens);
    return chooseRatio(statements, world.now)?.figure ?? null;
  }
  const kinds = fc.constantFrom(...(Object.keys(LISTED) as TokenKind[]));
  const ratios = fc
    .integer({ min: 1, max: 10_000_000 })
    .map((ratio) => new EvidenceDecimal(ratio).dividedBy(10_000).toFixed());

  it("the collectors' shares per token are those of the verifier, for every kind and any factor", async () => {
    await fc.assert(
      fc.asyncProperty(kinds, ratios, async (kind, ratio) => {
        expect(await collected(kind, ratio)).to.equal(sharesPerUnit(kind, "raw", ratio));
      }),
    );
  });

  it("are not known where nobody states the factor of a token that needs one", async () => {
    replay.world.down.add("binanceRwa");
    replay.world.rewrite = (provider, body) => (provider === "chain" ? { ratio: null } : body);
    expect(await collected("price-bearing", "2")).to.equal(null);
    expect(await collected("rebasing", "2")).to.equal("1");
    replay.world.down.clear();
    replay.world.rewrite = (_provider, body) => body;
  });

  it("leave a premium as it was when the stock splits, for every kind", async () => {
    const splits = fc.constantFrom([10, 1], [3, 2], [1, 10]);
    const dear = fc.integer({ min: -300, max: 300 });
    await fc.assert(
      fc.asyncProperty(kinds, ratios, splits, dear, async (kind, factor, [to = 1, from = 1], dearBps) => {
        const split = new EvidenceDecimal(to).dividedBy(from);
        const premium = async (share: EvidenceDecimal, of: EvidenceDecimal) => {
          const dearer = new EvidenceDecimal(1).plus(new EvidenceDecimal(dearBps).dividedBy(10_000));
          const tokenPriceUsd = share
            .times(kind === "rebasing" ? 1 : of)
            .times(dearer)
            .toFixed();
          const sharesPerToken = (await collected(kind, of.toFixed())) ?? "";
          const sample = { tokenPriceUsd, sharesPerToken, referencePriceUsd: share.toFixed() };
          return new EvidenceDecimal(premiumBps(sample) ?? Number.NaN);
        };
        const [price, shares] = [new EvidenceDecimal(200), new EvidenceDecimal(factor)];
        const before = await premium(price, shares);
        const after = await premium(price.dividedBy(split), shares.times(split));
        expect(after.minus(before).abs().toNumber()).to.be.lessThan(1);
        expect(after.minus(dearBps).abs().toNumber()).to.be.lessThan(1);
      }),
    );
  });
});
