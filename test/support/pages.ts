/** A service with a market to look at: a page full of tokens, a week of premiums, and names that try to be HTML. */
import type { Database } from "../../database/open.ts";
import type { MarketAsset } from "../../market/queries.ts";
import { recordPremiums } from "../../market/series/premium.ts";
import { addRows } from "./database.ts";
import { startTestApp } from "./http.ts";
import { impactSample, impactsAt, premiumSample } from "./samples.ts";
import { ofSuite } from "./suite.ts";

/** Friday, 14 November 2025, 15:20 UTC: in the middle of a regular session. */
export const PAGES_NOW = Date.UTC(2025, 10, 14, 15, 20) / 1000;
const HOUR = 3_600;
const WEEK_HOURS = 168;

/** It sets a mark on the page if any way of it runs. */
export const HOSTILE = `<img src=x onerror="document.title='hacked'"><script>document.title='hacked'</script>'"&{{`;

const address = (index: number) => `0x${(index + 1).toString(16).padStart(40, "a")}`;

/** @param count how many; the last one's names are hostile */
export function listedTokens(count: number): MarketAsset[] {
  return Array.from({ length: count }, (_, index) => ({
    assetKey: `eip155:56:${address(index)}`,
    symbol: index === 0 ? "AAPLx" : index === count - 1 ? HOSTILE : `TOK${index}x`,
    underlying: index === 0 ? "AAPL" : `TOK${index}`,
    nameEn: index === 0 ? "Apple" : index === count - 1 ? HOSTILE : `Token number ${index} of a market`,
    nameCn: index === 0 ? "苹果" : index === count - 1 ? HOSTILE : `第${index}号代币`,
    issuer: "xstocks",
    chain: "bnb",
    address: address(index),
    decimals: 18,
    tags: [],
  }));
}

/** A week of each, and what providers and sources have to be told of. */
export async function recordMarket(db: Database, assets: readonly MarketAsset[]): Promise<void> {
  const start = PAGES_NOW - (PAGES_NOW % HOUR) - (WEEK_HOURS - 1) * HOUR;
  const week = Array.from({ length: WEEK_HOURS }, (_, hour) => hour);
  for (const [index, { assetKey }] of assets.entries()) {
    const own = {
      source: index === 1 ? HOSTILE.slice(0, 40) : "jupiter",
      session: index === 1 ? HOSTILE.slice(0, 24) : "regular",
      referenceSource: "pyth",
      referenceAgeSeconds: 20,
      witnesses: 2,
      impact1kBps: "4",
      platformFeeBps: "5",
    };
    const priceAt = (hour: number) => (100 + Math.sin(hour / 7 + index)).toFixed(4);
    const samples = week
      // A night without samples: a gap.
      .filter((hour) => hour < 60 || hour > 75)
      .map((hour) =>
        premiumSample(assetKey, start + hour * HOUR + 60, { ...own, tokenPriceUsd: priceAt(hour) }),
      );
    await recordPremiums(db, samples, PAGES_NOW);
  }
  const measured = { source: "jupiter", impact10kBps: "49.9" };
  const impacts = [1, 2, 3].map((hours) =>
    impactSample(assets[0]!.assetKey, PAGES_NOW - hours * HOUR, "4.5", measured),
  );
  await impactsAt(db, PAGES_NOW, impacts);
  const hour = Math.floor(PAGES_NOW / HOUR);
  const outcomes = [
    { hour, provider: "jupiter", kind: "ok", count: 12, last_at: PAGES_NOW - 30 },
    { hour, provider: HOSTILE, kind: HOSTILE, count: 2, last_at: PAGES_NOW - 90 },
  ];
  await addRows(db, "provider_outcomes", ...outcomes);
  const figure = { kind: "premium", subject: HOSTILE, state: "disputed", since: PAGES_NOW - HOUR } as const;
  await addRows(db, "market_figures", { ...figure, seen_at: PAGES_NOW - 30 });
}

/** One of the suite's own. @param count of tokens; more than a page by default */
export const testPagesApp = (count = 45) =>
  ofSuite(async () => {
    const assets = listedTokens(count);
    const app = await startTestApp({
      seed: (db) => recordMarket(db, assets),
      data: { assets, simulated: false, now: () => PAGES_NOW * 1_000 },
      settings: { addressLimitPerMinute: 100_000, keyLimitPerMinute: 100_000 },
    });
    return Object.assign(app, { assets });
  });
