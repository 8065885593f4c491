/** The market as collectors record it: sound samples and a listed token, with what a test says otherwise. */
import fc from "fast-check";
import type { Database } from "../../database/open.ts";
import type { MarketAsset } from "../../market/queries.ts";
import type { BasisSample } from "../../market/series/basis.ts";
import { type ImpactSample, recordImpacts } from "../../market/series/impacts.ts";
import { writeScores } from "../../market/series/liquidity.ts";
import { type PremiumSample, recordPremiums } from "../../market/series/premium.ts";
import type { VolumeSample } from "../../market/series/totals.ts";
import type { TestWorld } from "./world.ts";

/** What two sources agree on, of a stock that trades. */
export const LEVEL: Pick<PremiumSample, "state" | "spreadBps" | "halted" | "inputs"> = {
  state: "agreed",
  spreadBps: "1.5",
  halted: false,
  inputs: [],
};
const stamp = { source: "test", session: "regular" };

/** A token of one share at 101 dollars, where the stock costs 100. */
export const premiumSample = (
  assetKey: string,
  sampledAt: number,
  more: Partial<PremiumSample> = {},
): PremiumSample => ({
  assetKey,
  sampledAt,
  ...stamp,
  tokenPriceUsd: "101",
  sharesPerToken: "1",
  referencePriceUsd: "100",
  referenceSource: "feed",
  referenceAgeSeconds: 7,
  witnesses: 3,
  impact1kBps: "4.5",
  platformFeeBps: "10",
  ...LEVEL,
  ...more,
});

/** As long as the live ones are: prices of 18 places, ratios with all of theirs, two witnesses of each. */
export function liveSample(token: number, sampledAt: number): PremiumSample {
  const places = (digits: number, length: number) => String(digits).padStart(length, "4");
  const [dollars, moved] = [100 + token, sampledAt % 1_000_000];
  const tokenPriceUsd = `${dollars}.${places(moved * 1_000_003 + token, 18)}`;
  const referencePriceUsd = `${dollars}.${places(moved, 6).slice(-5)}`;
  const sharesPerToken = "1.005714285714285714";
  return {
    assetKey: liveKey(token),
    sampledAt,
    source: "dexscreener,pancakeswap",
    session: "pre-market",
    tokenPriceUsd,
    sharesPerToken,
    referencePriceUsd,
    referenceSource: "hyperliquid,pyth",
    referenceAgeSeconds: token,
    witnesses: 2,
    state: "agreed",
    spreadBps: `${token % 40}.1234`,
    halted: false,
    inputs: [
      ["price", "dexscreener", `${dollars}.${places(moved * 1_003 + token, 12)}`, 300, 1],
      ["price", "pancakeswap", tokenPriceUsd, 2, 1],
      ["ratio", "binanceRwa", sharesPerToken, 40, 1],
      ["ratio", "chain", sharesPerToken, 30, 1],
      ["reference", "hyperliquid", referencePriceUsd.slice(0, -1), 3, 1],
      ["reference", "pyth", referencePriceUsd, 5, 1],
    ],
    impact1kBps: `${token}.1234567`,
    platformFeeBps: "10",
  };
}

export const liveKey = (token: number): string =>
  `eip155:56:0x${(token * 7_919).toString(16).padStart(40, "a")}`;

/** A perpetual at 101 dollars on a stock that costs 100. */
export const basisSample = (
  underlying: string,
  sampledAt: number,
  more: Partial<BasisSample> = {},
): BasisSample => ({
  underlying,
  sampledAt,
  ...stamp,
  perpMarkUsd: "101",
  spotUsd: "100",
  spotSource: "feed",
  fundingRate: "0.00000625",
  fundingIntervalHours: 1,
  ...LEVEL,
  fundingState: "single",
  ...more,
});

/** @param impact of both sizes, basis points; null: no route */
export const impactSample = (
  assetKey: string,
  sampledAt: number,
  impact: string | null,
  more: Partial<ImpactSample> = {},
): ImpactSample => ({ assetKey, sampledAt, ...stamp, impact1kBps: impact, impact10kBps: impact, ...more });

/** Of the hours in which the exchange is closed. */
export const volumeSample = (
  assetKey: string,
  sampledAt: number,
  more: Partial<VolumeSample> = {},
): VolumeSample => ({
  assetKey,
  sampledAt,
  ...stamp,
  session: "closed",
  volume24hUsd: "100",
  liquidityUsd: "1000",
  halted: false,
  ...more,
});

/** Recorded as of a time, unix seconds. */
export const premiumsAt = (db: Database, now: number, samples: readonly PremiumSample[]) =>
  recordPremiums(db, samples, now);

/** Recorded and scored, as by a round. */
export async function impactsAt(db: Database, now: number, samples: readonly ImpactSample[]): Promise<void> {
  await recordImpacts(db, samples, now);
  await writeScores(db, [...new Set(samples.map(({ assetKey }) => assetKey))], now);
}

/** Samples of grade A for every stock of a world, as a judgement needs them. */
export async function recordLiquidity(world: TestWorld, db: Database): Promise<void> {
  const now = Math.floor(world.clock.now() / 1000);
  const stocks = world.deployment.registry.assets.filter(({ kind }) => kind === "stock");
  const impacts = { source: "simulated", impact10kBps: "40" };
  const samples = stocks.flatMap(({ assetKey }) =>
    [1, 2, 3].map((hours) => impactSample(assetKey, now - hours * 3_600, "4", impacts)),
  );
  await impactsAt(db, now, samples);
}

/** Of tokens of Apple's and of Tesla's stock, as they are written on their chains. */
export const ADDRESSES = {
  appleOnSolana: "XsbEhLAtcf6HdfpFZ5xEMdqW8nfAvcsP5bdudRLJzJp",
  appleOnBnb: "0x9d275685dC284C8eB1C79f6ABA7a63Dc75ec890a",
  teslaOnBnb: "0x8aD3c73F833d3F9A523aB01476625F269aEB7Cf0",
} as const;

/** A token on BNB chain under the key `key-<underlying>`. */
export const listedToken = (underlying: string, more: Partial<MarketAsset> = {}): MarketAsset => ({
  assetKey: `key-${underlying}`,
  symbol: `${underlying}x`,
  underlying,
  nameEn: underlying,
  nameCn: underlying,
  issuer: "xstocks",
  chain: "bnb",
  address: underlying,
  decimals: 18,
  tags: [],
  ...more,
});

/** A list, and batches in which all of it comes in another order and some of it again. */
export const inAnyBatches = <T>(lists: fc.Arbitrary<T[]>): fc.Arbitrary<{ list: T[]; batches: T[][] }> =>
  lists.chain((list) =>
    fc
      .tuple(
        fc.shuffledSubarray(list, { minLength: list.length }),
        fc.shuffledSubarray(list),
        fc.integer({ min: 1, max: 5 }),
      )
      .map(([all, some, size]) => {
        const calls = [...all, ...some];
        const starts = calls.flatMap((_, at) => (at % size === 0 ? [at] : []));
        return { list, batches: starts.map((at) => calls.slice(at, at + size)) };
      }),
  );

/** What was rejected, newest first. */
export const rejections = (db: Database) =>
  db.selectFrom("rejected_samples").selectAll().orderBy("rejected_at", "desc").execute();
