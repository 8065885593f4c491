/** Binance USD-margined futures: perpetuals on stocks, their index prices and funding. */
import { z } from "zod";
import type { Answer, PerpState, Rejected, StockPrice } from "../statement.ts";
import type { Http } from "./http.ts";
import { perpSource, statementsOf } from "./perps.ts";
import { MINUTE_MS, provider } from "./provider.ts";
import { newestOf, readable, whyOf } from "./rows.ts";
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
  open(http) {
    const stepOf = createFundingSteps();
    return { stockPerps: () => stockPerps(http, stepOf) };
  },
  sources: ({ stockPerps }) => [perpSource(NAME, stockPerps)],
  tryOut: ({ stockPerps }) => stockPerps(),
});

/**
 * Perpetuals on stocks that are trading: of several rows of a symbol the newest. A funding interval is the one that
 * Binance states, or the step that the next funding was seen to make; none is assumed.
 * @throws ProviderFault
 */
async function stockPerps(http: Http, stepOf: StepOf): Promise<Answer<PerpState | StockPrice>> {
  const { data: exchange } = await http.getJson("/fapi/v1/exchangeInfo", ExchangeInfo);
  const { data: intervals } = await http.getJson("/fapi/v1/fundingInfo", Rows);
  const answer = await http.getJson("/fapi/v1/premiumIndex", Rows);
  const { receivedAt, rawHash } = answer;

  // Other kinds of contract do not parse as ours, which is no fault.
  const markets = exchange.symbols.flatMap((row) => Market.safeParse(row).data ?? []);
  const symbolOf = (row: unknown) => Symbolled.safeParse(row).data?.symbol;
  const stated = new Map(intervals.map((row) => [symbolOf(row), row]));
  const premiums = newestOf(answer.data, symbolOf, (row) => Premium.safeParse(row).data?.time);

  const statements: (PerpState | StockPrice)[] = [];
  const rejected: Rejected[] = [];
  if (![...stated.keys()].some(Boolean))
    rejected.push({ of: "perp", subject: "fundingInfo", reason: "shape", field: "fundingInfo" });
  for (const { symbol, baseAsset } of markets) {
    const row = premiums.get(symbol);
    const premium = Premium.safeParse(row);
    if (!premium.success) {
      rejected.push({ of: "perp", subject: symbol, ...whyOf(premium.error, row === undefined) });
      continue;
    }
    const { markPrice, indexPrice, lastFundingRate, nextFundingTime, time } = premium.data;
    const step = nextFundingTime == null ? null : stepOf(symbol, nextFundingTime, receivedAt);
    const ahead = nextFundingTime == null ? 0 : nextFundingTime - time;
    const interval = intervalOf(symbol, stated.get(symbol), { step, ahead });
    if ("reason" in interval) rejected.push(interval);
    statements.push(
      ...statementsOf({
        venue: NAME,
        market: symbol,
        ticker: baseAsset,
        markPrice,
        indexPrice,
        fundingRate: lastFundingRate,
        fundingIntervalHours: "hours" in interval ? interval.hours : null,
        at: time,
        rawHash,
      }),
    );
  }
  return readable(NAME, { statements, rejected }, rawHash);
}

/** @param row of `fundingInfo`, which lists adjusted symbols alone; undefined: none @param next hours, as seen, and seconds to come */
function intervalOf(
  symbol: string,
  row: unknown,
  { step, ahead }: { readonly step: number | null; readonly ahead: number },
): { readonly hours: number | null } | Rejected {
  if (row === undefined) return { hours: step };
  const stated = Interval.safeParse(row);
  if (!stated.success) return { of: "perp", subject: symbol, ...whyOf(stated.error) };
  const hours = stated.data.fundingIntervalHours;
  return (step === null || step === hours) && ahead <= hours * HOUR_SECONDS
    ? { hours }
    : { of: "perp", subject: symbol, reason: "interval_contradicts_fundings" };
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
    const intervalHours = isStep && Number.isInteger(hours) ? hours : (last?.hours ?? null);
    seen.set(symbol, { next, at: now, hours: intervalHours });
    return intervalHours;
  };
}
