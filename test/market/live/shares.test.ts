import { expect } from "chai";
import fc from "fast-check";
import { sharesPerUnit, type TokenKind } from "../../../attestor/shares.ts";
import { EvidenceDecimal } from "../../../attestor/values/decimal.ts";
import { chooseRatio } from "../../../market/collect/choosePrice.ts";
import type { LiveAsset } from "../../../market/live/assets.ts";
import { createTell } from "../../../market/live/findings.ts";
import { ratiosOf } from "../../../market/live/shares.ts";
import type { Upstreams } from "../../../market/live/upstreams.ts";
import { premiumBps } from "../../../market/series/premium.ts";

const ADDRESS = "0xA9eE28C80f960B889dFbd1902055218cBa016F75";

/** What the listings call each kind. */
const LISTED: Readonly<Record<TokenKind, LiveAsset["shares"]>> = {
  rebasing: "rebasing",
  scaled: "multiplier",
  "price-bearing": "ratio",
};

/** What the collectors count a token of that kind as, where Binance's list, Jupiter and the mint state this factor. */
async function collected(kind: TokenKind, factor: string | null): Promise<string | null> {
  const address = ADDRESS.toLowerCase();
  const stated = { address: ADDRESS, mint: address, sharesPerToken: factor, multiplier: factor };
  const list = async () => ({ rows: factor === null ? [] : [stated], rejected: [] });
  const asset = { assetKey: "a", chain: "bnb", address, shares: LISTED[kind] } as LiveAsset;
  const lists = { shareRatios: list, jupiterPrices: list, mints: list };
  const upstreams = { ...lists, schedules: { multipliers: () => [] }, assets: [asset], tell: createTell() };
  const { rows } = await ratiosOf(upstreams as unknown as Upstreams, [asset]);
  return chooseRatio(rows)?.figure ?? null;
}

describe("the collectors' shares per token", () => {
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
    expect(await collected("price-bearing", null)).to.equal(null);
    expect(await collected("rebasing", null)).to.equal("1");
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
