/** A service with a market to look at: a page full of tokens, a week of premiums, and names that try to be HTML. */
import type { Browser, BrowserContextOptions } from "playwright-core";
import { dayNumber, storeChecks } from "../../api/status/history.ts";
import type { Database } from "../../database/open.ts";
import type { MarketAsset } from "../../market/queries.ts";
import { recordPremiums } from "../../market/series/premium.ts";
import { recordImpactSamples } from "../../market/series/samples.ts";
import { type Watched, watchedPage } from "./browser.ts";
import { startTestApp, type TestApp } from "./http.ts";
import { LEVEL } from "./samples.ts";
import { ofSuite } from "./suite.ts";

/** Friday, 14 November 2025, 15:20 UTC: in the middle of a regular session. */
const PAGES_NOW = Date.UTC(2025, 10, 14, 15, 20) / 1000;
const HOUR = 3_600;
const WEEK_HOURS = 168;

/** It sets a mark on the page if any way of it runs. */
export const HOSTILE = `<img src=x onerror="document.title='hacked'"><script>document.title='hacked'</script>'"&{{`;

const address = (index: number) => `0x${(index + 1).toString(16).padStart(40, "a")}`;

/** @param count how many; the last one's names are hostile */
function listed(count: number): MarketAsset[] {
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

async function seed(db: Database, assets: readonly MarketAsset[]): Promise<void> {
  const start = PAGES_NOW - (PAGES_NOW % HOUR) - (WEEK_HOURS - 1) * HOUR;
  for (const [index, { assetKey }] of assets.entries())
    await recordPremiums(
      db,
      Array.from({ length: WEEK_HOURS }, (_, hour) => hour)
        // A night without samples: a gap.
        .filter((hour) => hour < 60 || hour > 75)
        .map((hour) => ({
          assetKey,
          sampledAt: start + hour * HOUR + 60,
          source: index === 1 ? HOSTILE.slice(0, 40) : "jupiter",
          session: index === 1 ? HOSTILE.slice(0, 24) : "regular",
          tokenPriceUsd: (100 + Math.sin(hour / 7 + index)).toFixed(4),
          sharesPerToken: "1",
          referencePriceUsd: "100",
          referenceSource: "pyth",
          referenceAgeSeconds: 20,
          witnesses: 2,
          impact1kBps: "4",
          platformFeeBps: "5",
          ...LEVEL,
        })),
      PAGES_NOW,
    );
  await recordImpactSamples(
    db,
    [1, 2, 3].map((hours) => ({
      assetKey: assets[0]!.assetKey,
      sampledAt: PAGES_NOW - hours * HOUR,
      source: "jupiter",
      session: "regular",
      impact1kBps: "4.5",
      impact10kBps: "49.9",
    })),
  );
  const hour = Math.floor(PAGES_NOW / HOUR);
  await db
    .insertInto("provider_outcomes")
    .values([
      { hour, provider: "jupiter", kind: "ok", count: 12, last_at: PAGES_NOW - 30 },
      { hour, provider: HOSTILE, kind: HOSTILE, count: 2, last_at: PAGES_NOW - 90 },
    ])
    .execute();
  const since = PAGES_NOW - HOUR;
  await db
    .insertInto("market_figures")
    .values({ kind: "premium", subject: HOSTILE, state: "disputed", since, seen_at: PAGES_NOW - 30 })
    .execute();
  const providers = ["provider/jupiter", `provider/${HOSTILE}`];
  const parts = ["database", "chain", "log", "watcher", "collector", ...providers];
  const today = dayNumber(PAGES_NOW);
  await storeChecks(
    db,
    parts.flatMap((part) =>
      Array.from({ length: 90 }, (_, day) => ({
        part,
        day: today - day,
        good: 1_400,
        bad: day % 20 === 3 ? 40 : 0,
      })).filter((_, day) => day !== 30),
    ),
    new Map(parts.map((part) => [part, part !== `provider/${HOSTILE}`])),
    PAGES_NOW - 86_400,
  );
}

export interface PagesApp extends TestApp {
  readonly assets: readonly MarketAsset[];
}

/** One of the suite's own. @param count of tokens; more than a page by default */
export const testPagesApp = (count = 45): PagesApp =>
  ofSuite(async () => {
    const assets = listed(count);
    const app = await startTestApp({
      seed: (db) => seed(db, assets),
      data: { assets, simulated: false, now: () => PAGES_NOW * 1_000 },
      settings: { addressLimitPerMinute: 100_000, keyLimitPerMinute: 100_000 },
    });
    return Object.assign(app, { assets });
  });

/** Opens a path of the service in a context of its own, does something there when its scripts ran, and closes it. */
export async function visit<T>(
  browser: Browser,
  origin: string,
  path: string,
  options: BrowserContextOptions,
  act: (watched: Watched) => Promise<T>,
): Promise<T> {
  await using context = await browser.newContext(options);
  const watched = await watchedPage(context, origin);
  await watched.page.goto(new URL(path, origin).href);
  return await act(watched);
}
