/** The newest values of every listed token as one answer, made anew each time: on SQLite and on PostgreSQL. */
import { join } from "node:path";
import { createDataAnswers } from "../../api/data/answers.ts";
import { createCaches } from "../../chain/caches.ts";
import { migrate } from "../../database/migrate.ts";
import { type Database, openDatabase } from "../../database/open.ts";
import type { MarketAsset } from "../../market/queries.ts";
import { loadRegistry } from "../../market/registry/registry.ts";
import { scoresOf } from "../../market/series/liquidity.ts";
import { recordPremiums } from "../../market/series/premium.ts";
import { recordImpactSamples } from "../../market/series/samples.ts";
import { recordVolumes } from "../../market/series/totals.ts";
import { startPostgres } from "../../test/support/postgres.ts";
import { impactSample, premiumSample, volumeSample } from "../../test/support/samples.ts";
import { withFolder } from "./given.ts";
import { median, milliseconds, quantile } from "./measure.ts";

const READS = 400;
const ROUNDS = 5;
const ROUND_SECONDS = 300;
/** An afternoon in UTC: today and yesterday both have volumes. */
const NOW = 1_795_186_800;

export async function bench(): Promise<void> {
  const assets = loadRegistry();
  await withFolder(async (folder) => {
    await measured("SQLite", openDatabase(`sqlite:${join(folder, "assay.db")}`), assets);
  });
  const { server, remove } = await startPostgres({ isDurable: true });
  try {
    await measured("PostgreSQL", openDatabase(await server.createDatabase()), assets);
  } finally {
    await remove();
  }
}

async function measured(name: string, db: Database, assets: readonly MarketAsset[]): Promise<void> {
  await migrate(db);
  const rounds = await fill(db, assets);
  let now = NOW * 1_000;
  const answers = createDataAnswers({
    ...{ db, assets, simulated: false, caches: createCaches(() => performance.now()) },
    read: (work) => work(db),
    // Each question is asked later than answers are kept.
    now: () => (now += 60_000),
  });
  const question = { format: "json" } as const;
  const times: number[] = [];
  let bytes = 0;
  for (let n = -50; n < READS; n++) {
    const ms = await milliseconds(async () => {
      const { content } = await answers.latest(question);
      bytes = "bytes" in content ? content.bytes.length : 0;
    });
    if (n >= 0) times.push(ms);
  }
  console.log(
    `${name}: ${assets.length} tokens, ${(bytes / 1_024).toFixed(0)} KiB, uncached: p50 ${median(times).toFixed(2)} ms   p99 ${quantile(times, 0.99).toFixed(2)} ms; a round of their premiums is recorded in ${median(rounds).toFixed(0)} ms`,
  );
  await db.destroy();
}

/** @returns milliseconds of each round of premiums */
async function fill(db: Database, assets: readonly MarketAsset[]): Promise<number[]> {
  const times: number[] = [];
  for (let round = ROUNDS; round > 0; round--) {
    const at = NOW - round * ROUND_SECONDS;
    const samples = assets.map(({ assetKey }, index) =>
      premiumSample(assetKey, at + (index % 60), {
        tokenPriceUsd: `${100 + index}.${String(round * 1_000_003 + index).padStart(18, "4")}`,
        sharesPerToken: "1.005714285714285714",
        referencePriceUsd: `${100 + index}.12`,
        source: "dexscreener,pancakeswap",
        referenceSource: "hyperliquid,pyth",
      }),
    );
    times.push(await milliseconds(() => recordPremiums(db, samples, NOW)));
  }
  for (const day of [86_400, 0])
    await recordVolumes(
      db,
      assets.map(({ assetKey }, index) =>
        volumeSample(assetKey, NOW - day - 60, {
          volume24hUsd: `${index * 1_003}.123456789`,
          liquidityUsd: `${index * 7_919}.123456789`,
        }),
      ),
      NOW,
    );
  for (const hours of [1, 2, 3])
    await recordImpactSamples(
      db,
      assets.map(({ assetKey }, index) => impactSample(assetKey, NOW - hours * 3_600, `${index % 90}.1234`)),
    );
  await scoresOf(
    db,
    assets.map(({ assetKey }) => assetKey),
    NOW,
  );
  return times;
}
