/** The hours of a series follow from its samples, in whatever order and batches these come. */
import { expect } from "chai";
import fc from "fast-check";
import { premiumPoints } from "../../../market/queries.ts";
import { type PremiumSample, recordPremiums } from "../../../market/series/premium.ts";
import { forEachEngine } from "../../support/database.ts";
import { inAnyBatches } from "../../support/samples.ts";

const HOUR = 3_600;
const NOW = 1_795_003_200;
const ALL = { from: 0, to: NOW + 10 * HOUR };
const KEYS = ["one", "other"] as const;

// Few moments and values, so that samples often fall on each other.
const anyPremium = fc.record({
  assetKey: fc.constantFrom(...KEYS),
  sampledAt: fc.integer({ min: NOW - 2, max: NOW + 2 }),
  source: fc.constantFrom("one", "two"),
  session: fc.constantFrom("regular", "closed"),
  tokenPriceUsd: fc.oneof(
    fc.constantFrom("101", null),
    fc.integer({ min: 60_000, max: 180_000 }).map((mills) => (mills / 1_000).toFixed(3)),
  ),
  sharesPerToken: fc.constantFrom("1", "1.0057"),
  reference: fc.constantFrom(["100", "feed"], ["99.97", "feed"], ["100", "other"], null),
  referenceAgeSeconds: fc.constantFrom(0, 60, null),
  witnesses: fc.constantFrom(1, 3, null),
  state: fc.constantFrom("agreed", "disputed", null),
  spreadBps: fc.constantFrom("1.5", "20", null),
  halted: fc.boolean(),
  impact1kBps: fc.constantFrom("3.25", "-0.5", null),
  platformFeeBps: fc.constant("10"),
});
const premiums = anyPremium.map(
  ({ reference, ...rest }): PremiumSample => ({
    ...rest,
    referencePriceUsd: reference?.[0] ?? null,
    referenceSource: reference?.[1] ?? null,
  }),
);

/** How many different samples there are in each hour, oldest first. */
function samplesByHour(samples: readonly PremiumSample[]): number[] {
  const texts = new Map<number, Set<string>>();
  for (const sample of samples) {
    const hour = Math.floor(sample.sampledAt / HOUR);
    const own = texts.get(hour) ?? new Set();
    texts.set(hour, own.add(JSON.stringify(Object.entries(sample).sort())));
  }
  return [...texts].sort(([one], [other]) => one - other).map(([, own]) => own.size);
}

describe("series of premiums", () => {
  forEachEngine((engine) => {
    const db = engine.database();

    it("come to the same hours in any order, with any repetition, late, in any batches and at once", async () => {
      let run = 0;
      const cases = inAnyBatches(fc.array(premiums, { minLength: 1, maxLength: 14 }));
      await fc.assert(
        fc.asyncProperty(cases, async ({ list, batches }) => {
          run++;
          const named = (way: string, samples: readonly PremiumSample[]) =>
            samples.map((sample) => ({ ...sample, assetKey: `${sample.assetKey} ${way} ${run}` }));
          await recordPremiums(db, named("together", list), NOW);
          await Promise.all(batches.map((batch) => recordPremiums(db, named("in batches", batch), NOW)));
          for (const key of KEYS) {
            const together = await premiumPoints(db, `${key} together ${run}`, ALL);
            expect(await premiumPoints(db, `${key} in batches ${run}`, ALL)).to.deep.equal(together);
            const own = list.filter(({ assetKey }) => assetKey === key);
            expect(together.map(({ samples }) => samples)).to.deep.equal(samplesByHour(own));
          }
        }),
        { numRuns: 120 },
      );
    });
  });
});
