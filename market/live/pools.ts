/** The pools of tokens, as DexScreener states them. What of them counts is not decided here. */
import { chainsOf } from "../../attestor/chains.ts";
import { eachAtOnce } from "../collect/eachAtOnce.ts";
import type { Findings, PoolState } from "../collect/sources.ts";
import { DEXSCREENER, TOKENS_PER_REQUEST } from "../providers/dexscreener.ts";
import type { Pool, Rejected } from "../providers/records.ts";
import { canonicalAddress, ProviderDecimal, sameAddress } from "../providers/values.ts";
import type { MarketAsset } from "../queries.ts";
import { chunksOf } from "../series/hours.ts";
import type { Rejection } from "../series/rejected.ts";
import { askedOf, type LiveAsset, onChain } from "./assets.ts";
import { gathered, ofEach } from "./findings.ts";
import type { Upstreams } from "./upstreams.ts";

const TOKENS_AT_ONCE = 8;

export async function poolsOf(
  upstreams: Upstreams,
  wanted: readonly MarketAsset[],
): Promise<Findings<PoolState>> {
  const asked = askedOf(upstreams, wanted);
  return gathered<PoolState>(
    chainsOf(DEXSCREENER.name).map((chain) => [
      `pools of ${chain}`,
      () => poolsOn(upstreams, onChain(asked, chain)),
    ]),
  );
}

/** US dollars by asset key, as about one pool of each states it: for an order of tokens alone. */
export async function statedLiquidity({
  assets,
  dexscreener,
}: Upstreams): Promise<ReadonlyMap<string, string>> {
  const requests = chainsOf(DEXSCREENER.name).flatMap((chain) =>
    [...chunksOf(onChain(assets, chain), TOKENS_PER_REQUEST)].map((tokens) => ({ chain, tokens })),
  );
  const stated = new Map<string, string>();
  await eachAtOnce(requests, TOKENS_AT_ONCE, async ({ chain, tokens }) => {
    const addresses = tokens.map(({ address }) => address);
    // What cannot be had leaves its tokens where the registry has them.
    const rows = await dexscreener.somePools(chain, addresses).then(
      (batch) => batch.rows,
      () => [],
    );
    for (const { assetKey, liquidityUsd } of poolStates(tokens, rows))
      stated.set(assetKey, new ProviderDecimal(stated.get(assetKey) ?? 0).plus(liquidityUsd ?? 0).toFixed());
  });
  return stated;
}

async function poolsOn(upstreams: Upstreams, asked: readonly LiveAsset[]): Promise<Findings<PoolState>> {
  const { rows, rejected, failures } = await poolsByToken(upstreams, asked);
  const [failure] = failures;
  // A provider that is down is one failure.
  if (failure && failures.length === asked.length)
    return { failures: [{ subject: DEXSCREENER.name, error: failure.error }], rows: [] };
  return { failures, rejected, rows: poolStates(upstreams.assets, rows) };
}

/** A pool of two of the tokens comes once; a token whose pools cannot be had costs itself alone. */
async function poolsByToken(
  { tell, dexscreener }: Upstreams,
  assets: readonly LiveAsset[],
): Promise<Required<Findings<Pool>>> {
  const pools = new Map<string, Pool>();
  const rejected: Rejection[] = [];
  const { failures } = await ofEach(assets, async ({ chain, address }) => {
    const batch = await dexscreener.poolsOf(chain, address);
    const isOwn = ({ baseToken, quoteToken }: Pool) =>
      sameAddress(chain, baseToken, address) || sameAddress(chain, quoteToken, address);
    const rows = batch.rows.filter(isOwn);
    for (const pool of rows) pools.set(pool.poolAddress, pool);
    const others = batch.rows.filter((pool) => !isOwn(pool));
    const told = [...batch.rejected, ...others.map(({ poolAddress }) => misshapen(poolAddress, "baseToken"))];
    const addresses = rows.map(({ poolAddress }) => poolAddress);
    rejected.push(...tell("volume", DEXSCREENER.name, { rows, rejected: told }, addresses, address));
    return rows;
  });
  const rows = [...pools.values()];
  rejected.push(...tell("volume", DEXSCREENER.name, { rows, rejected: neverStated(rows) }, []));
  return { rows, rejected, failures };
}

const misshapen = (key: string, field: string): Rejected => ({ key, reason: "shape", field });

/** Fewer pools than this may lack a figure without a cause. */
const TELLING_POOLS = 5;
const FIGURES = {
  priceUsd: (pool: Pool) => pool.basePriceUsd,
  "volume.h24": (pool: Pool) => pool.volume24hUsd,
  "liquidity.usd": (pool: Pool) => pool.liquidityUsd,
};

/** A figure that any pool may lack, and that all of them do: the provider has renamed it. */
function neverStated(pools: readonly Pool[]): Rejected[] {
  if (pools.length < TELLING_POOLS) return [];
  return Object.entries(FIGURES)
    .filter(([, figureOf]) => pools.every((pool) => figureOf(pool) === null))
    .flatMap(([field]) => pools.map(({ poolAddress }) => misshapen(poolAddress, field)));
}

/** A pool of two listed tokens belongs to its base token, so that sums over tokens count it once. */
function poolStates(assets: readonly LiveAsset[], pools: readonly Pool[]): PoolState[] {
  const byAddress = new Map(assets.map((asset) => [canonicalAddress(asset.chain, asset.address), asset]));
  return pools.flatMap((pool) => {
    const owner =
      byAddress.get(canonicalAddress(pool.chain, pool.baseToken)) ??
      byAddress.get(canonicalAddress(pool.chain, pool.quoteToken));
    if (!owner) return [];
    return [
      {
        assetKey: owner.assetKey,
        source: DEXSCREENER.name,
        poolAddress: pool.poolAddress,
        priceUsd: priceInPool(pool, owner.address),
        liquidityUsd: pool.liquidityUsd,
        volume24hUsd: pool.volume24hUsd,
        trades24h: pool.trades24h,
        at: pool.receivedAt,
      },
    ];
  });
}

/**
 * USD per whole token in this pool, whichever side the token is on.
 * @returns null when the token is on neither side or the pool states no price
 */
export function priceInPool(pool: Pool, token: string): string | null {
  if (sameAddress(pool.chain, pool.baseToken, token)) return pool.basePriceUsd;
  if (sameAddress(pool.chain, pool.quoteToken, token)) return pool.quotePriceUsd;
  return null;
}
