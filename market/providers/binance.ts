/** Binance USD-margined futures: perpetuals on stocks, their index prices and funding. */
import { z } from "zod";
import type { Upstream } from "./http.ts";
import { MINUTE_MS, provider } from "./provider.ts";
import { type Batch, type Perp, type Rejected, rawHashOf, whyOf } from "./records.ts";
import { DecimalText, MillisAsSeconds, PositiveDecimal } from "./values.ts";

const NAME = "binance";
const DEFAULT_FUNDING_HOURS = 8;

export interface Binance {
  /** Perpetuals on stocks that are trading. @throws ProviderFault */
  stockPerps(): Promise<Batch<Perp>>;
}

const Rows = z.array(z.unknown());
const Market = z.looseObject({
  symbol: z.string().min(1).max(64),
  baseAsset: z.string().min(1).max(32),
  contractType: z.literal("TRADIFI_PERPETUAL"),
  underlyingType: z.literal("EQUITY"),
  status: z.literal("TRADING"),
});
const ExchangeInfo = z.looseObject({ symbols: Rows });

const Interval = z.looseObject({
  symbol: z.string(),
  fundingIntervalHours: z.int().min(1).max(24).default(DEFAULT_FUNDING_HOURS),
});

const Symbolled = z.looseObject({ symbol: z.string() });
const Premium = z.looseObject({
  symbol: z.string(),
  markPrice: PositiveDecimal,
  indexPrice: PositiveDecimal,
  lastFundingRate: DecimalText,
  time: MillisAsSeconds,
});

export const BINANCE = provider({
  name: NAME,
  setting: "BINANCE",
  baseUrl: "https://fapi.binance.com",
  // 2,400 of weight a minute, of which one of our requests takes up to 10.
  rate: {
    requests: 100,
    perMs: MINUTE_MS,
    lockoutMs: MINUTE_MS,
    usedWeight: { header: "x-mbx-used-weight-1m", limit: 2_000 },
  },
  open: (upstream): Binance => ({
    stockPerps: () => stockPerps(upstream),
  }),
  serves: { perps: ({ stockPerps }) => stockPerps },
  asks: ({ lists }) => ({ perRound: 3 * lists }),
});

async function stockPerps(upstream: Upstream): Promise<Batch<Perp>> {
  const { data: exchange } = await upstream.getJson("/fapi/v1/exchangeInfo", ExchangeInfo);
  const { data: adjusted } = await upstream.getJson("/fapi/v1/fundingInfo", Rows);
  const answer = await upstream.getJson("/fapi/v1/premiumIndex", Rows);
  const rawHash = rawHashOf(answer);

  // Other kinds of contract do not parse as ours, which is no fault.
  const markets = exchange.symbols.flatMap((row) => Market.safeParse(row).data ?? []);
  const hours = new Map(
    adjusted
      .flatMap((row) => Interval.safeParse(row).data ?? [])
      .map((row) => [row.symbol, row.fundingIntervalHours]),
  );
  const premiums = new Map(answer.data.map((row) => [Symbolled.safeParse(row).data?.symbol, row]));

  const rows: Perp[] = [];
  const rejected: Rejected[] = [];
  for (const { symbol, baseAsset } of markets) {
    const row = premiums.get(symbol);
    const premium = Premium.safeParse(row);
    if (!premium.success) {
      rejected.push({ key: symbol, ...(row === undefined ? { reason: "missing" } : whyOf(premium.error)) });
      continue;
    }
    rows.push({
      provider: NAME,
      market: symbol,
      ticker: baseAsset,
      markPrice: premium.data.markPrice,
      indexPrice: premium.data.indexPrice,
      fundingRate: premium.data.lastFundingRate,
      fundingIntervalHours: hours.get(symbol) ?? DEFAULT_FUNDING_HOURS,
      publishedAt: premium.data.time,
      receivedAt: answer.receivedAt,
      rawHash,
    });
  }
  return { rows, rejected };
}
