/** The pools of the tokens, as indexes state them. What of them counts is not decided here. */

import type { Failure, Findings, PoolState } from "../collect/sources.ts";
import { priceInPool } from "../providers/pools.ts";
import type { Pool } from "../providers/records.ts";
import { type Chain, canonicalAddress, Exact } from "../providers/values.ts";
import { type LiveAsset, onChain } from "./assets.ts";
import { gathered, rejectionsOf } from "./findings.ts";
import { knownShares } from "./shares.ts";
import type { Upstreams } from "./upstreams.ts";

/** The second source of pools is slow: so many of its answers in one round. */
const MOST_SECOND_SOURCE = 20;
const PLACES = 18;

export async function poolsOf(upstreams: Upstreams): Promise<Findings<PoolState>> {
  const shares = await knownShares(upstreams);
  const scaled = await multipliers(upstreams);
  const sharesOf = (asset: LiveAsset) => scaled.get(asset.address) ?? shares.of(asset, "raw");
  return gathered<PoolState>(
    (["solana", "bnb"] as const).map((chain) => [
      `pools of ${chain}`,
      () => poolsOn(upstreams, chain, sharesOf),
    ]),
  );
}

type SharesOf = (asset: LiveAsset) => string | null;

async function poolsOn(upstreams: Upstreams, chain: Chain, sharesOf: SharesOf): Promise<Findings<PoolState>> {
  const listed = onChain(upstreams.assets, chain);
  if (listed.length === 0) return { rows: [] };
  const { rows, rejected, failures } = await upstreams.pools[chain]();
  const found = { failures, rejected: rejectionsOf("volume", "dexscreener", rejected) };
  // One provider that is down is one failure, and a reason to ask the other.
  if (failures.length < listed.length)
    return { ...found, rows: poolStates(listed, rows, "dexscreener", sharesOf) };
  const asked = listed.slice(0, MOST_SECOND_SOURCE);
  const more: Pool[] = [];
  for (const { address } of asked) more.push(...(await upstreams.geckoterminal.poolsOf(chain, address)).rows);
  return {
    failures: failures.slice(0, 1).map(({ error }): Failure => ({ subject: "dexscreener", error })),
    rows: poolStates(asked, more, "geckoterminal", sharesOf),
  };
}

/** A pool of two listed tokens belongs to its base token, so that sums over tokens count it once. */
export function poolStates(
  assets: readonly LiveAsset[],
  pools: readonly Pool[],
  source: string,
  sharesOf: SharesOf,
): PoolState[] {
  const byAddress = new Map(assets.map((asset) => [canonicalAddress(asset.chain, asset.address), asset]));
  return pools.flatMap((pool) => {
    const owner =
      byAddress.get(canonicalAddress(pool.chain, pool.baseToken)) ??
      byAddress.get(canonicalAddress(pool.chain, pool.quoteToken));
    if (!owner) return [];
    return [
      {
        assetKey: owner.assetKey,
        source,
        poolAddress: pool.poolAddress,
        priceUsd: priceInPool(pool, owner.address),
        liquidityUsd: pool.liquidityUsd,
        volume24hUsd: pool.volume24hUsd,
        trades24h: pool.trades24h,
        sharesPerToken: sharesOf(owner),
        at: pool.receivedAt,
      },
    ];
  });
}

/** Of mints that scale their balances, as Jupiter prices both forms; pools trade the raw one. Never fails. */
async function multipliers({ assets, jupiterPrices }: Upstreams): Promise<ReadonlyMap<string, string>> {
  const scaled = new Set(
    assets.filter(({ shares }) => shares === "multiplier").map(({ address }) => address),
  );
  // That Jupiter is down is told by those who ask it for prices.
  const rows = await jupiterPrices().then(
    (batch) => batch.rows,
    () => [],
  );
  return new Map(
    rows
      .filter(({ mint }) => scaled.has(mint))
      .map(({ mint, usdPrice, usdPricePerToken }) => [
        mint,
        new Exact(usdPricePerToken).dividedBy(usdPrice).toDecimalPlaces(PLACES).toFixed(),
      ]),
  );
}
