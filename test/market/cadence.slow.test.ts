/** How soon and how often figures come, with every token of the registry and servers that hold to their limits. */
import { expect } from "chai";
import type { Database } from "../../database/open.ts";
import { collectRound } from "../../market/collect/collect.ts";
import { createMemory } from "../../market/collect/round.ts";
import type { MarketDeps } from "../../market/collect/types.ts";
import { connectMarket } from "../../market/providers/connect.ts";
import { createLimits } from "../../market/providers/limits.ts";
import { loadRegistry } from "../../market/registry/registry.ts";
import { memoryDatabase } from "../support/database.ts";
import { startReplay } from "../support/providers/replay.ts";
import { REPLAY_NOW, type ReplayToken, worldOf } from "../support/providers/replayWorld.ts";
import { ofEachTest, type VirtualTime } from "../support/providers/virtualTime.ts";

/** Requests in any window of so many milliseconds. */
const DOCUMENTED: Readonly<Record<string, readonly [requests: number, perMs: number]>> = {
  jupiter: [30, 60_000],
  pancakeswap: [10, 1_000],
  kyberswap: [3, 1_000],
  dexscreener: [300, 60_000],
  pyth: [30, 10_000],
  finnhub: [60, 60_000],
};

interface Limits {
  /** Whether a request may pass now. */
  admit(provider: string): boolean;
  /** Requests of each provider that were turned away. */
  readonly refused: Map<string, number>;
}

/** @param now unix milliseconds */
function documentedLimits(now: () => number): Limits {
  const refused = new Map<string, number>();
  const lately = new Map<string, number[]>();
  return {
    refused,
    admit(provider) {
      const [requests, perMs] = DOCUMENTED[provider] ?? [Number.POSITIVE_INFINITY, 0];
      const times = (lately.get(provider) ?? []).filter((at) => now() - at < perMs);
      lately.set(provider, [...times, now()]);
      if (times.length < requests) return true;
      refused.set(provider, (refused.get(provider) ?? 0) + 1);
      return false;
    },
  };
}

const LATENCY_MS = 250;
const KEYS = { pyth: "key", binanceRwa: "key:secret" };

/** The providers, a market that asks them, and a database. */
async function liveWorld(time: VirtualTime) {
  const listed = loadRegistry();
  const limits = documentedLimits(time.now);
  // An order that no list has at random.
  const world = worldOf(listed, (index) => 5_000_000 / (1 + ((index * 521) % listed.length)));
  Object.defineProperty(world, "now", { get: () => Math.floor(time.now() / 1_000) });
  const replay = await startReplay(world, limits.admit);
  const db = await memoryDatabase();
  const market = connectMarket({
    tokens: world.tokens,
    fetch: time.fetching(replay.deps.fetch),
    now: time.now,
    keys: KEYS,
    baseUrls: replay.baseUrls,
    limits: createLimits(),
  });
  const deps: MarketDeps = {
    db,
    assets: world.tokens,
    market,
    sessionAt: () => "regular",
    now: time.now,
    log: { warn: () => {}, error: () => {} },
  };
  return {
    limits,
    world,
    db,
    deps,
    [Symbol.asyncDispose]: async () => {
      await replay.close();
      await db.destroy();
    },
  };
}

/** Asset keys that have a premium. */
async function served(db: Database): Promise<Set<string>> {
  const rows = await db
    .selectFrom("hour_buckets")
    .innerJoin("series", "series.id", "hour_buckets.series_id")
    .select("name")
    .where("close", "is not", null)
    .where("name", "like", "premium/%")
    .execute();
  return new Set(rows.map(({ name }) => name.slice("premium/".length)));
}

const stated = ({ pools }: ReplayToken) => pools.reduce((sum, { liquidityUsd }) => sum + liquidityUsd, 0);

describe("the cadence of the live market", () => {
  const time = ofEachTest({ start: REPLAY_NOW * 1_000, latencyMs: LATENCY_MS });

  it("serves the hundred most liquid tokens within a minute of a fresh start and all within four, inside every limit", async function () {
    this.timeout(120_000);
    await using live = await liveWorld(time);
    const { limits, world, db, deps } = live;
    const priced = world.tokens.filter((token) => deps.market.canBePriced!(token));
    const liquid = [...priced].sort((one, other) => stated(other) - stated(one)).slice(0, 100);
    const ending = new AbortController();
    const memory = createMemory();
    const from = time.now();
    const ended = new Map<string, number>();
    const afterMinute = new Promise((resolve) => setTimeout(resolve, 60_000)).then(() => served(db));
    const given: MarketDeps = {
      ...deps,
      signal: ending.signal,
      onProgress: ({ kind, finished }) => {
        if (finished) ended.set(kind, time.now() - from);
        if (kind === "volumes" && finished) ending.abort();
      },
    };
    // As the schedule runs them: beside each other.
    await Promise.all([collectRound(given, memory, "prices"), collectRound(given, memory, "impacts")]);
    const [early, all] = [await afterMinute, await served(db)];
    expect(liquid.map(({ assetKey }) => assetKey).filter((key) => !early.has(key))).to.deep.equal([]);
    expect(priced.map(({ assetKey }) => assetKey).filter((key) => !all.has(key))).to.deep.equal([]);
    expect(ended.get("premiums")).to.be.below(240_000);
    // A round of prices ends before the next is due.
    expect(ended.get("volumes")).to.be.below(300_000);
    expect([...limits.refused]).to.deep.equal([]);
    const samples = await db.selectFrom("impact_samples").select("asset_key").execute();
    expect(samples.length).to.be.above(200);
  });
});
