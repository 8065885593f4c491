/** Hyperliquid: perpetuals of the builder-deployed exchange `xyz`, funded by the hour. */
import { z } from "zod";
import { pagedFunding } from "./funding.ts";
import { MINUTE_MS, provider } from "./provider.ts";
import { type Batch, type FundingPoint, type Perp, type Rejected, rawHashOf, whyOf } from "./records.ts";
import { DecimalText, PositiveDecimal } from "./values.ts";

const NAME = "hyperliquid";
const HISTORY_ROWS = 500;

export interface Hyperliquid {
  /**
   * Markets of one exchange that are still listed. A market without a usable price is in `rejected`.
   * Names are the venue's: `xyz:SP500` is an index and not SPY, so join them through a list made by hand.
   * @throws ProviderFault, `shape` also for an exchange that does not exist
   */
  perps(dex: string): Promise<Batch<Perp>>;
  /**
   * Hourly funding of a market, oldest first, both ends included.
   * @param from unix seconds
   * @param to unix seconds
   * @throws ProviderFault
   */
  fundingHistory(market: string, from: number, to: number): Promise<readonly FundingPoint[]>;
}

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
  open(upstream): Hyperliquid {
    const info = <T>(body: object, schema: z.ZodType<T>) => upstream.postJson("/info", body, schema);
    return {
      async perps(dex) {
        const answer = await info({ type: "metaAndAssetCtxs", dex }, Markets);
        const [{ universe }, contexts] = answer.data;
        const rawHash = rawHashOf(answer);
        const rows: Perp[] = [];
        const rejected: Rejected[] = [];
        universe.forEach((market, index) => {
          if (market.isDelisted) return;
          const context = Context.safeParse(contexts[index]);
          if (!context.success) {
            rejected.push({ key: `market ${index}`, ...whyOf(context.error) });
            return;
          }
          rows.push({
            provider: NAME,
            market: market.name,
            ticker: market.name.slice(market.name.indexOf(":") + 1),
            markPrice: context.data.markPx,
            indexPrice: context.data.oraclePx,
            fundingRate: context.data.funding,
            fundingIntervalHours: 1,
            publishedAt: null,
            receivedAt: answer.receivedAt,
            rawHash,
          });
        });
        return { rows, rejected };
      },

      fundingHistory: (market, from, to) =>
        pagedFunding({
          provider: NAME,
          market,
          from,
          to,
          pageRows: HISTORY_ROWS,
          async ask(startTime, endTime) {
            const { data } = await info(
              { type: "fundingHistory", coin: market, startTime, endTime },
              History,
            );
            return (data ?? []).map((row) => ({ market: row.coin, rate: row.fundingRate, time: row.time }));
          },
        }),
    };
  },
  serves: { perps: (hyperliquid) => () => hyperliquid.perps("xyz") },
  asks: ({ lists }) => ({ perRound: lists }),
});
