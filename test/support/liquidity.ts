/** Liquidity without a market: what a judgement needs of it. */
import type { Database } from "../../database/open.ts";
import { recordImpactSamples } from "../../market/series/samples.ts";
import type { TestWorld } from "./world.ts";

/** Samples of grade A for every stock. */
export async function recordLiquidity(world: TestWorld, db: Database): Promise<void> {
  const now = Math.floor(world.clock.now() / 1000);
  const stocks = world.deployment.registry.assets.filter(({ kind }) => kind === "stock");
  await recordImpactSamples(
    db,
    stocks.flatMap(({ assetKey }) =>
      [1, 2, 3].map((hours) => ({
        assetKey,
        sampledAt: now - hours * 3_600,
        source: "simulated",
        session: "regular",
        impact1kBps: "4",
        impact10kBps: "40",
      })),
    ),
  );
}
