/** Liquidity without a market: what a judgement needs of it. */
import type { Database } from "../../database/open.ts";
import { impactSample, impactsAt } from "./samples.ts";
import type { TestWorld } from "./world.ts";

/** Samples of grade A for every stock. */
export async function recordLiquidity(world: TestWorld, db: Database): Promise<void> {
  const now = Math.floor(world.clock.now() / 1000);
  const stocks = world.deployment.registry.assets.filter(({ kind }) => kind === "stock");
  const impacts = { source: "simulated", impact10kBps: "40" };
  const samples = stocks.flatMap(({ assetKey }) =>
    [1, 2, 3].map((hours) => impactSample(assetKey, now - hours * 3_600, "4", impacts)),
  );
  await impactsAt(db, now, samples);
}
