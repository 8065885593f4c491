/** Binance USD-margined futures: perpetuals on stocks, their index prices and funding. */
import { z } from "zod";
import type { Upstream } from "./http.ts";
import { MINUTE_MS, provider } from "./provider.ts";
import { type Batch, newestOf, type Perp, type Rejected, rawHashOf, readable, whyOf } from "./records.ts";
import { DecimalText, MillisAsSeconds, PositiveDecimal } from "./values.ts";

const NAME = "binance";
const HOUR_SECONDS = 3_600;
const MOST_FUNDING_HOURS = 24;

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
  fundingIntervalHours: z.int().min(1).max(MOST_FUNDING_HOURS),
});

const Symbolled = z.looseObject({ symbol: z.string() });
const Premium = z.looseObject({
  symbol: z.string(),
  markPrice: PositiveDecimal,
  indexPrice: PositiveDecimal,
  lastFundingRate: DecimalText,
  nextFundingTime: MillisAsSeconds.nullish(),
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
  open(upstream) {
    const stepOf = createFundingSteps();
    return { stockPerps: () => stockPerps(upstream, stepOf) };
  },
  serves: { perps: ({ stockPerps }) => stockPerps },
});

/**
 * Perpetuals on stocks that are trading: of several rows of a symbol the newest. A funding interval is the one that
 * Binance states, or the step that the next funding was seen to make; none is assumed.
 * @throws ProviderFault
 */
async function stockPerps(upstream: Upstream, stepOf: StepOf): Promise<Batch<Perp>> {
  const { data: exchange } = await upstream.getJson("/fapi/v1/exchangeInfo", ExchangeInfo);
  const { data: intervals } = await upstream.getJson("/fapi/v1/fundingInfo", Rows);
  const answer = await upstream.getJson("/fapi/v1/premiumIndex", Rows);
  const { receivedAt } = answer;
  const rawHash = rawHashOf(answer);

  // Other kinds of contract do not parse as ours, which is no fault.
  const markets = exchange.symbols.flatMap((row) => Market.safeParse(row).data ?? []);
  const symbolOf = (row: unknown) => Symbolled.safeParse(row).data?.symbol;
  const stated = new Map(intervals.map((row) => [symbolOf(row), row]));
  const premiums = newestOf(answer.data, symbolOf, (row) => Premium.safeParse(row).data?.time);

  const rows: Perp[] = [];
  const rejected: Rejected[] = [];
  if (![...stated.keys()].some(Boolean))
    rejected.push({ key: "fundingInfo", reason: "shape", field: "fundingInfo" });
  for (const { symbol, baseAsset } of markets) {
    const row = premiums.get(symbol);
    const premium = Premium.safeParse(row);
    if (!premium.success) {
      rejected.push({ key: symbol, ...whyOf(premium.error, row === undefined) });
      continue;
    }
    const { markPrice, indexPrice, lastFundingRate, nextFundingTime, time } = premium.data;
    const step = nextFundingTime == null ? null : stepOf(symbol, nextFundingTime, receivedAt);
    const ahead = nextFundingTime == null ? 0 : nextFundingTime - time;
    const interval = intervalOf(symbol, stated.get(symbol), { step, ahead });
    if ("reason" in interval) rejected.push(interval);
    rows.push({
      provider: NAME,
      market: symbol,
      ticker: baseAsset,
      markPrice,
      indexPrice,
      fundingRate: lastFundingRate,
      fundingIntervalHours: "hours" in interval ? interval.hours : null,
      publishedAt: time,
      receivedAt,
      rawHash,
    });
  }
  return readable(NAME, { rows, rejected }, { rawHash });
}

/** @param row of `fundingInfo`, which lists adjusted symbols alone; undefined: none @param next hours, as seen, and seconds to come */
function intervalOf(
  symbol: string,
  row: unknown,
  { step, ahead }: { readonly step: number | null; readonly ahead: number },
): { readonly hours: number | null } | Rejected {
  if (row === undefined) return { hours: step };
  const stated = Interval.safeParse(row);
  if (!stated.success) return { key: symbol, ...whyOf(stated.error) };
  const hours = stated.data.fundingIntervalHours;
  return (step === null || step === hours) && ahead <= hours * HOUR_SECONDS
    ? { hours }
    : { key: symbol, reason: "interval_contradicts_fundings" };
}

/** @param next unix seconds of the next funding @returns hours between the last two fundings that were seen; null: none were */
type StepOf = (symbol: string, next: number, now: number) => number | null;

function createFundingSteps(): StepOf {
  const seen = new Map<
    string,
    { readonly next: number; readonly at: number; readonly hours: number | null }
  >();
  return (symbol, next, now) => {
    const last = seen.get(symbol);
    const hours = last ? (next - last.next) / HOUR_SECONDS : 0;
    // Looked at from hour to hour, no funding is skipped.
    const isStep =
      last !== undefined && now - last.at <= HOUR_SECONDS && hours > 0 && hours <= MOST_FUNDING_HOURS;
    const known = isStep && Number.isInteger(hours) ? hours : (last?.hours ?? null);
    seen.set(symbol, { next, at: now, hours: known });
    return known;
  };
}
