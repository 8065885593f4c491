import { expect } from "chai";
import fc from "fast-check";
import type { CorporateAction } from "../../../market/series/corporateActions.ts";
import { adjusted, stockSplits } from "../../../market/series/splits.ts";
import { SeriesDecimal } from "../../../market/series/units.ts";

const NOW = 1_795_003_300;
const DAY = 86_400;

const split = (
  at: number,
  before: string,
  after: string,
  more: Partial<CorporateAction> = {},
): CorporateAction => ({
  ...{ id: 1, assetKey: "key", kind: "split", status: "applied", state: "single", inferred: false },
  ...{ before, after, effectiveAt: at, announcedAt: null, appliedAt: at, endedAt: null },
  ...{ at, told: [], revision: 1, changedAt: at },
  ...more,
});
const inputs = (
  tokenPriceUsd: string | null,
  sharesPerToken: string | null,
  referencePriceUsd: string | null,
) => ({
  ...{ tokenPriceUsd, sharesPerToken, referencePriceUsd, stated: [] },
});
const registry = { stated: [["ratio", "registry", "1", null, 1]] as [["ratio", string, string, null, 1]] };

describe("prices from before a split", () => {
  it("are those of today's shares: of a token whose shares grew by its shares, of one that is a share by its price", () => {
    const splits = stockSplits([split(NOW, "1.01", "10.1")]);
    expect(splits).to.eql([{ at: NOW, factor: "10", inferred: false }]);
    const common = { factor: "10", inferred: false, pricePerShareUsd: "100", referencePriceUsd: "99" };
    expect(adjusted(inputs("1010", "1.01", "990"), NOW - 1, splits)).to.eql({
      ...{ ...common, tokenPriceUsd: "1010", sharesPerToken: "10.1" },
    });
    expect(adjusted({ ...inputs("1000", "1", "990"), ...registry }, NOW - 1, splits)).to.eql({
      ...{ ...common, tokenPriceUsd: "100", sharesPerToken: "1" },
    });
    expect(adjusted(inputs("101", "10.1", "9.9"), NOW, splits)).to.include({
      factor: "1",
      referencePriceUsd: "9.9",
    });
  });

  it("a split that several tokens of a stock tell of counts once, also beside a dividend, and two count both", () => {
    const [one, other] = [split(NOW, "1", "10"), split(NOW + DAY, "1.0057", "10.07", { inferred: true })];
    expect(stockSplits([other, one])).to.eql([{ at: NOW, factor: "10", inferred: false }]);
    const later = split(NOW + 90 * DAY, "10", "15");
    const two = stockSplits([one, later]);
    expect(adjusted(inputs("30", "1", "30"), NOW - 1, two)).to.include({
      factor: "15",
      referencePriceUsd: "2",
    });
    expect(adjusted(inputs("30", "1", "30"), NOW + DAY, two)).to.include({
      factor: "1.5",
      referencePriceUsd: "20",
    });
    const inverse = stockSplits([split(NOW, "10", "1", { effectiveAt: null })]);
    expect(inverse).to.eql([{ at: NOW, factor: "0.1", inferred: true }]);
  });

  it("are null where tokens or sources dispute the split, and no announced, withdrawn or other action counts", () => {
    const disputed = stockSplits([split(NOW, "1", "10"), split(NOW + DAY, "1", "5")]);
    expect(adjusted(inputs("30", "1", "30"), NOW - 1, disputed)).to.equal(null);
    expect(adjusted(inputs("30", "1", "30"), NOW + DAY, disputed)).to.include({ factor: "1" });
    const unknown = stockSplits([split(NOW, "1", "10", { state: "disputed", after: null })]);
    expect(adjusted(inputs("30", "1", "30"), NOW - 1, unknown)).to.equal(null);
    expect(
      stockSplits([
        split(NOW, "1", "10", { status: "announced" }),
        split(NOW, "1", "10", { status: "withdrawn" }),
        split(NOW, "1", "1.003", { kind: "dividend" }),
      ]),
    ).to.eql([]);
  });

  describe("as properties", () => {
    const price = fc
      .integer({ min: 100, max: 10 ** 9 })
      .map((cents) => new SeriesDecimal(cents).dividedBy(100).toFixed());
    const shares = fc.constantFrom("1", "1.0057", "10", "0.25");
    const factors = fc.array(fc.constantFrom(["1", "2"], ["1", "3"], ["2", "3"], ["20", "1"], ["1", "10"]), {
      maxLength: 3,
    });
    const premium = (perShare: string, reference: string) =>
      new SeriesDecimal(perShare).dividedBy(reference).minus(1).times(10_000);

    it("without a later split adjusted prices are the raw ones", () => {
      fc.assert(
        fc.property(price, shares, price, factors, (token, per, reference, list) => {
          const splits = stockSplits(
            list.map(([before, after], index) => split(NOW - index * 30 * DAY, before!, after!)),
          );
          const made = adjusted(inputs(token, per, reference), NOW, splits);
          expect(made).to.include({
            factor: "1",
            tokenPriceUsd: token,
            sharesPerToken: per,
            referencePriceUsd: reference,
          });
        }),
      );
    });

    it("the premium of adjusted prices is that of the raw ones", () => {
      fc.assert(
        fc.property(price, shares, price, factors, fc.boolean(), (token, per, reference, list, isShare) => {
          const splits = stockSplits(
            list.map(([before, after], index) => split(NOW + index * 30 * DAY, before!, after!)),
          );
          const given = isShare
            ? { ...inputs(token, "1", reference), ...registry }
            : inputs(token, per, reference);
          const made = adjusted(given, NOW - 1, splits)!;
          const raw = new SeriesDecimal(token).dividedBy(given.sharesPerToken!).toFixed();
          const difference = premium(made.pricePerShareUsd!, made.referencePriceUsd!).minus(
            premium(raw, reference),
          );
          // What is cut off behind twelve decimals is no more, however far the two prices are apart.
          expect(difference.abs().dividedBy(premium(raw, reference).abs().plus(10_000)).lte("1e-9")).to.equal(
            true,
          );
          const perShare = new SeriesDecimal(made.tokenPriceUsd!).dividedBy(made.sharesPerToken!);
          expect(perShare.dividedBy(made.pricePerShareUsd!).minus(1).abs().lte("1e-9")).to.equal(true);
        }),
      );
    });
  });
});
