/** Hyperliquid: perpetuals of the builder-deployed exchange `xyz`, funded by the hour. */
import { z } from "zod";
import type { Answer, PaidFunding, PerpState, Rejected, StockPrice } from "../statement.ts";
import { ProviderFault } from "./fault.ts";
import type { Http } from "./http.ts";
import { perpSource, statementsOf } from "./perps.ts";
import { MINUTE_MS, provider } from "./provider.ts";
import { readable, whyOf } from "./rows.ts";
import { DecimalText, PositiveDecimal } from "./values.ts";

const NAME = "hyperliquid";
/** The exchange of stocks. */
const STOCKS = "xyz";
const HISTORY_ROWS = 500;
const HOUR_SECONDS = 3_600;
const MAX_PAGES = 100;
const MOST_FUNDING_HOURS = 24;

const Universe = z.looseObject({
  universe: z.array(z.looseObject({ name: z.string().min(1).max(64), isDelisted: z.boolean().nullish() })),
});
const Markets = z
  .tuple([Universe, z.array(z.unknown())], z.unknown())
  .refine(
    ([meta, contexts]) => meta.universe.length === contexts.length,
    "lists that are joined by index differ",
  );

const Context = z.looseObject({ funding: DecimalText, oraclePx: PositiveDecimal, markPx: PositiveDecimal });

// Null for a market that it does not know.
const History = z
  .array(z.looseObject({ coin: z.string(), fundingRate: DecimalText, time: z.int().min(0) }))
  .nullable();

export const HYPERLIQUID = provider({
  name: NAME,
  setting: "HYPERLIQUID",
  baseUrl: "https://api.hyperliquid.xyz",
  // A request of `info` weighs 20 of the 1,200 a minute.
  rate: { requests: 60, perMs: MINUTE_MS },
  open(http) {
    const fundingHistory = pagedFunding(http);
    const intervalOf = createIntervals(fundingHistory);
    const hyperliquid = {
      /**
       * Markets of one exchange that are still listed. A market without a usable price is in `rejected`.
       * The interval of the exchange's fundings is that of the last ones of its first market, read once an hour.
       * Names are the venue's: `xyz:SP500` is an index and not SPY, so join them through a list made by hand.
       * @throws ProviderFault, `shape` also for an exchange that does not exist
       */
      async perps(dex: string): Promise<Answer<PerpState | StockPrice>> {
        const answer = await http.postJson("/info", { type: "metaAndAssetCtxs", dex }, Markets);
        const [{ universe }, contexts] = answer.data;
        const { rawHash } = answer;
        const statements: (PerpState | StockPrice)[] = [];
        const rejected: Rejected[] = [];
        const first = universe.find(({ isDelisted }) => !isDelisted)?.name;
        const fundingIntervalHours = first === undefined ? null : await intervalOf(first, answer.receivedAt);
        if (fundingIntervalHours === null)
          rejected.push({ of: "perp", subject: "fundingHistory", reason: "shape", field: "time" });
        for (const [index, market] of universe.entries()) {
          if (market.isDelisted) continue;
          const context = Context.safeParse(contexts[index]);
          if (!context.success) {
            rejected.push({ of: "perp", subject: `market ${index}`, ...whyOf(context.error) });
            continue;
          }
          statements.push(
            ...statementsOf({
              venue: NAME,
              market: market.name,
              ticker: tickerOf(market.name),
              markPrice: context.data.markPx,
              indexPrice: context.data.oraclePx,
              fundingRate: context.data.funding,
              fundingIntervalHours,
              at: null,
              rawHash,
            }),
          );
        }
        return readable(NAME, { statements, rejected }, rawHash);
      },

      fundingHistory,

      /** Of a stock's perpetual, with their interval; none where the venue has no such perpetual. @throws ProviderFault */
      async fundings(ticker: string, from: number, to: number): Promise<readonly PaidFunding[]> {
        const { statements } = await markets.ask();
        const perp = statements.find((one) => one.of === "perp" && one.subject === ticker) as
          | PerpState
          | undefined;
        if (!perp?.fundingIntervalHours) return [];
        const paid = await fundingHistory(perp.market, from, to);
        return paid.map((one) => ({ ...one, intervalHours: perp.fundingIntervalHours }));
      },
    };
    const markets = perpSource(NAME, () => hyperliquid.perps(STOCKS));
    return hyperliquid;
  },
  sources: (hyperliquid) => [perpSource(NAME, () => hyperliquid.perps(STOCKS))],
  tryOut: (hyperliquid) => hyperliquid.perps(STOCKS),
});

/** `xyz:TSLA` is TSLA. */
const tickerOf = (market: string): string => market.slice(market.indexOf(":") + 1);

/** Fundings that an interval is read from. */
const SEEN_SECONDS = 25 * HOUR_SECONDS;

/** Hours between the fundings of a market, asked once an hour; null where they cannot be had, or are not evenly apart. */
function createIntervals(fundingHistory: ReturnType<typeof pagedFunding>) {
  let kept: { readonly at: number; readonly hours: Promise<number | null> } | undefined;
  const read = async (market: string, now: number) => {
    const times = (await fundingHistory(market, now - SEEN_SECONDS, now)).map(({ at }) => at);
    const steps = new Set(times.slice(1).map((at, index) => at - (times[index] ?? 0)));
    const [step = 0] = steps;
    const hours = step / HOUR_SECONDS;
    return steps.size === 1 && hours > 0 && hours <= MOST_FUNDING_HOURS ? hours : null;
  };
  return (market: string, now: number): Promise<number | null> => {
    if (kept === undefined || now - kept.at >= HOUR_SECONDS)
      kept = {
        at: now,
        hours: read(market, now).catch(() => {
          kept = undefined;
          return null;
        }),
      };
    return kept.hours;
  };
}

/**
 * Hourly funding of a market, oldest first, both ends included, from pages that come oldest first, each starting after the
 * last row of the one before. `from` and `to` are unix seconds.
 * @throws ProviderFault, `shape` also for rows of another market
 */
const pagedFunding =
  ({ postJson }: Http) =>
  async (market: string, from: number, to: number): Promise<readonly PaidFunding[]> => {
    const endTime = to * 1_000 + 999;
    const points = new Map<number, PaidFunding>();
    let startTime = from * 1_000;
    for (let page = 0; page < MAX_PAGES && startTime <= endTime; page++) {
      const question = { type: "fundingHistory", coin: market, startTime, endTime };
      const { data, rawHash } = await postJson("/info", question, History);
      const rows = data ?? [];
      for (const { coin, fundingRate: rate, time } of rows) {
        if (coin !== market) throw new ProviderFault(NAME, "shape");
        const at = Math.floor(time / 1_000 / HOUR_SECONDS) * HOUR_SECONDS;
        const stated = { subject: tickerOf(market), source: NAME, origin: NAME, at, rawHash };
        if (at <= to) points.set(at, { ...stated, of: "funding", figure: rate, intervalHours: null });
      }
      const last = Math.max(0, ...rows.map(({ time }) => time));
      // Fewer rows are the last page; a full page without progress would be requested forever.
      if (rows.length < HISTORY_ROWS || last < startTime) break;
      startTime = last + 1;
    }
    return [...points.values()].sort((one, other) => one.at - other.at);
  };
