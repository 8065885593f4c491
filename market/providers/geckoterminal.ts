/** GeckoTerminal: the second source of pools, and hourly candles of a pool's past. */
import { z } from "zod";
import { CHAINS, type Chain, nameBy } from "../../attestor/chains.ts";
import { MINUTE_MS, provider } from "./provider.ts";
import { type Batch, type Pool, type Rejected, readRows } from "./records.ts";
import type { Answer } from "./request.ts";
import {
  canonicalAddress,
  DecimalText,
  PositiveDecimal,
  priceOrNone,
  UnixSeconds,
  UnsignedDecimal,
} from "./values.ts";

const NAME = "geckoterminal";
const POOLS_PER_PAGE = 20;
const MAX_PAGES = 5;
const MAX_CANDLES = 1_000;

export interface Candle {
  /** Unix seconds of the hour's start. */
  readonly at: number;
  /** USD per whole token, decimal text. */
  readonly open: string;
  readonly high: string;
  readonly low: string;
  readonly close: string;
  readonly volumeUsd: string;
}

const List = z.looseObject({ data: z.array(z.unknown()) });
const Price = DecimalText.nullish();
const Figure = UnsignedDecimal.nullish();
const Trades = z.looseObject({ buys: z.int().min(0), sells: z.int().min(0) }).nullish();
const Related = z.looseObject({ data: z.looseObject({ id: z.string() }) });

const PoolRow = z.looseObject({
  attributes: z.looseObject({
    address: z.string().min(1).max(100),
    base_token_price_usd: Price,
    quote_token_price_usd: Price,
    reserve_in_usd: Figure,
    volume_usd: z.looseObject({ h24: Figure }).nullish(),
    transactions: z.looseObject({ h24: Trades }).nullish(),
  }),
  relationships: z.looseObject({
    base_token: Related,
    quote_token: Related,
    dex: z.looseObject({ data: z.looseObject({ id: z.string().max(64) }) }).nullish(),
  }),
});

const Candles = z.looseObject({
  data: z.looseObject({ attributes: z.looseObject({ ohlcv_list: z.array(z.unknown()) }) }),
});
const CandleRow = z.tuple(
  [UnixSeconds, PositiveDecimal, PositiveDecimal, PositiveDecimal, PositiveDecimal, UnsignedDecimal],
  z.unknown(),
);

export const GECKOTERMINAL = provider({
  name: NAME,
  setting: "GECKOTERMINAL",
  baseUrl: "https://api.geckoterminal.com/api/v2",
  // The lower end of the documented 10 to 30.
  rate: { requests: 10, perMs: MINUTE_MS, lockoutMs: MINUTE_MS },
  open: (upstream) => ({
    /** All pools of a token, up to 100; none when GeckoTerminal does not know it. @throws ProviderFault */
    async poolsOf(chain: Chain, token: string): Promise<Batch<Pool>> {
      const path = `/networks/${nameBy(NAME, chain)}/tokens/${encodeURIComponent(token)}/pools`;
      const pools = new Map<string, Pool>();
      const rejected: Rejected[] = [];
      for (let page = 1; page <= MAX_PAGES; page++) {
        const answer = await upstream.getJson(`${path}?page=${page}`, List, { refusal: unknownToken });
        const batch = readPools(chain, answer, page);
        for (const pool of batch.rows) pools.set(pool.poolAddress, pool);
        rejected.push(...batch.rejected);
        if (answer.data.data.length < POOLS_PER_PAGE) break;
      }
      return { rows: [...pools.values()], rejected };
    },
    /**
     * Up to 1,000 hours of a pool before a unix second, oldest first.
     * @param side whose price: the pool's base or quote token
     * @throws ProviderFault
     */
    async hourlyCandles(
      chain: Chain,
      pool: string,
      before: number,
      side: "base" | "quote",
    ): Promise<Batch<Candle>> {
      const query = new URLSearchParams({
        before_timestamp: String(before),
        limit: String(MAX_CANDLES),
        currency: "usd",
        token: side,
      });
      const path = `/networks/${nameBy(NAME, chain)}/pools/${encodeURIComponent(pool)}/ohlcv/hour`;
      const { data } = await upstream.getJson(`${path}?${query}`, Candles);
      const batch = readRows(data.data.attributes.ohlcv_list, CandleRow, (index) => `candle ${index}`);
      const rows = batch.rows
        .map(([at, open, high, low, close, volumeUsd]) => ({ at, open, high, low, close, volumeUsd }))
        .sort((one, other) => one.at - other.at);
      return { rows, rejected: batch.rejected };
    },
  }),
  serves: { pools: ({ poolsOf }) => poolsOf },
});

function unknownToken(status: number): z.infer<typeof List> | undefined {
  return status === 404 ? { data: [] } : undefined;
}

function readPools(chain: Chain, answer: Answer<z.infer<typeof List>>, page: number): Batch<Pool> {
  const batch = readRows(answer.data.data, PoolRow, (index) => `page ${page}, pool ${index}`);
  const rows: Pool[] = [];
  const rejected = [...batch.rejected];
  for (const { attributes, relationships } of batch.rows) {
    const baseToken = tokenOf(chain, relationships.base_token.data.id);
    const quoteToken = tokenOf(chain, relationships.quote_token.data.id);
    if (baseToken === null || quoteToken === null) {
      rejected.push({ key: `page ${page}, a pool's tokens`, reason: "shape" });
      continue;
    }
    rows.push({
      provider: NAME,
      chain,
      poolAddress: CHAINS[chain].addresses === "evm" ? attributes.address.toLowerCase() : attributes.address,
      dex: relationships.dex?.data.id ?? "unknown",
      baseToken,
      quoteToken,
      basePriceUsd: priceOrNone(attributes.base_token_price_usd),
      quotePriceUsd: priceOrNone(attributes.quote_token_price_usd),
      volume24hUsd: attributes.volume_usd?.h24 ?? null,
      liquidityUsd: attributes.reserve_in_usd ?? null,
      trades24h: tradesOf(attributes.transactions?.h24),
      receivedAt: answer.receivedAt,
    });
  }
  return { rows, rejected };
}

function tradesOf(
  counts: { readonly buys: number; readonly sells: number } | null | undefined,
): number | null {
  return counts ? counts.buys + counts.sells : null;
}

/** Their ids are the network, an underscore and the address. */
function tokenOf(chain: Chain, id: string): string | null {
  const prefix = `${nameBy(NAME, chain)}_`;
  return id.startsWith(prefix) ? canonicalAddress(chain, id.slice(prefix.length)) : null;
}
