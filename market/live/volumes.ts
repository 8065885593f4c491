/** Volume and liquidity of the tokens, summed over their pools. */

import type { Findings, VolumeState } from "../collect/sources.ts";
import { sumPools } from "../providers/pools.ts";
import type { Pool } from "../providers/records.ts";
import { type Chain, sameAddress } from "../providers/values.ts";
import type { MarketAsset } from "../queries.ts";
import { onChain } from "./assets.ts";
import { gathered, rejectionsOf } from "./findings.ts";
import type { Upstreams } from "./upstreams.ts";

/** The second source of pools is slow: so many of its answers in one round. */
const MOST_SECOND_SOURCE = 20;

export function volumesOf(upstreams: Upstreams): Promise<Findings<VolumeState>> {
  return gathered<VolumeState>(
    (["solana", "bnb"] as const).map((chain) => [`volumes of ${chain}`, () => volumesOn(upstreams, chain)]),
  );
}

async function volumesOn(
  { assets, pools, geckoterminal }: Upstreams,
  chain: Chain,
): Promise<Findings<VolumeState>> {
  const listed = onChain(assets, chain);
  try {
    const { rows, rejected } = await pools[chain]();
    return {
      rows: volumeStates(listed, rows, "dexscreener"),
      rejected: rejectionsOf("volume", "dexscreener", rejected),
    };
  } catch (error) {
    const rows: Pool[] = [];
    const asked = listed.slice(0, MOST_SECOND_SOURCE);
    for (const { address } of asked) rows.push(...(await geckoterminal.poolsOf(chain, address)).rows);
    return {
      rows: volumeStates(asked, rows, "geckoterminal"),
      failures: [{ subject: "dexscreener", error }],
    };
  }
}

/** A pool of two listed tokens belongs to its base token, so that sums over tokens count it once. */
function volumeStates(assets: readonly MarketAsset[], pools: readonly Pool[], source: string): VolumeState[] {
  const owned = new Map<string, Pool[]>();
  for (const pool of pools) {
    const owner = (["baseToken", "quoteToken"] as const)
      .map((side) => assets.find(({ chain, address }) => sameAddress(chain, pool[side], address)))
      .find((asset) => asset !== undefined);
    if (owner) owned.set(owner.assetKey, [...(owned.get(owner.assetKey) ?? []), pool]);
  }
  return [...owned].map(([assetKey, list]) => {
    const { volume24hUsd, liquidityUsd } = sumPools(list);
    return {
      assetKey,
      source,
      volume24hUsd,
      liquidityUsd,
      at: Math.max(...list.map((pool) => pool.receivedAt)),
    };
  });
}
