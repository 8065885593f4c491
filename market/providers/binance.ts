/** Binance USD-margined futures: perpetuals on stocks, their index prices, funding and sessions. */
import { z } from "zod";
import { pagedFunding } from "./funding.ts";
import { type ProviderDeps, providerUpstream, type Upstream } from "./http.ts";
import { LIMITS } from "./limits.ts";
import {
  type Batch,
  type FundingPoint,
  type Perp,
  type ReferencePrice,
  type Rejected,
  rawHashOf,
  whyOf,
} from "./records.ts";
import { DecimalText, MillisAsSeconds, PositiveDecimal } from "./values.ts";

const NAME = "binance";
const DEFAULT_FUNDING_HOURS = 8;
const HISTORY_ROWS = 1_000;

export type ScheduledState = "pre-market" | "regular" | "post-market" | "overnight" | "closed";

export interface ScheduledSession {
  readonly state: ScheduledState;
  /** Unix seconds; the end is exclusive. */
  readonly opensAt: number;
  readonly closesAt: number;
}

export interface Binance {
  /** Perpetuals on stocks that are trading. @throws ProviderFault */
  stockPerps(): Promise<Batch<Perp>>;
  /** Past funding of a market, oldest first. @param from unix seconds @param to unix seconds, inclusive */
  fundingHistory(market: string, from: number, to: number): Promise<readonly FundingPoint[]>;
  /** Sessions of US stocks around now, oldest first. @throws ProviderFault */
  stockSessions(): Promise<readonly ScheduledSession[]>;
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

const History = z.array(
  z.looseObject({ symbol: z.string(), fundingRate: DecimalText, fundingTime: z.int().min(0) }),
);

const STATES: Record<string, ScheduledState> = {
  PRE_MARKET: "pre-market",
  REGULAR: "regular",
  AFTER_MARKET: "post-market",
  OVERNIGHT: "overnight",
  NO_TRADING: "closed",
};
const Schedule = z.looseObject({
  marketSchedules: z.looseObject({
    EQUITY: z.looseObject({
      sessions: z.array(
        z.looseObject({
          startTime: MillisAsSeconds,
          endTime: MillisAsSeconds,
          type: z.enum(["PRE_MARKET", "REGULAR", "AFTER_MARKET", "OVERNIGHT", "NO_TRADING"]),
        }),
      ),
    }),
  }),
});

export function createBinance(deps: ProviderDeps): Binance {
  const upstream = providerUpstream(
    {
      name: NAME,
      baseUrl: "https://fapi.binance.com",
      timeoutMs: 10_000,
      rate: LIMITS.binance,
    },
    deps,
  );
  return {
    stockPerps: () => stockPerps(upstream),
    fundingHistory: (market, from, to) => fundingHistory(upstream, market, from, to),
    async stockSessions() {
      const { data } = await upstream.getJson("/fapi/v1/tradingSchedule", Schedule);
      return data.marketSchedules.EQUITY.sessions
        .map(({ type, startTime, endTime }) => ({
          state: STATES[type] ?? "closed",
          opensAt: startTime,
          closesAt: endTime,
        }))
        .sort((one, other) => one.opensAt - other.opensAt);
    },
  };
}

/** Binance's index of the stock as a reference of last resort: off hours it follows its own market. */
export function indexReference(perp: Perp): ReferencePrice {
  return {
    provider: perp.provider,
    source: "indexPrice",
    symbol: perp.ticker,
    price: perp.indexPrice,
    confidence: null,
    publishedAt: perp.publishedAt,
    receivedAt: perp.receivedAt,
    rawHash: perp.rawHash,
  };
}

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

function fundingHistory(
  upstream: Upstream,
  market: string,
  from: number,
  to: number,
): Promise<readonly FundingPoint[]> {
  return pagedFunding({
    provider: NAME,
    market,
    from,
    to,
    pageRows: HISTORY_ROWS,
    async ask(startTime, endTime) {
      const query = new URLSearchParams({
        symbol: market,
        startTime: String(startTime),
        endTime: String(endTime),
        limit: String(HISTORY_ROWS),
      });
      const { data } = await upstream.getJson(`/fapi/v1/fundingRate?${query}`, History);
      return data.map((row) => ({ market: row.symbol, rate: row.fundingRate, time: row.fundingTime }));
    },
  });
}
