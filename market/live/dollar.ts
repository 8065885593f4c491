/** What the dollar token is worth that buys on BNB chain are quoted in. */
import { DOLLAR_TOLERANCE_BPS, RUNNING_SECONDS } from "../bounds.ts";
import type { Failure, Findings } from "../collect/sources.ts";
import { levelOf, type Witness } from "../level.ts";
import type { JupiterPrice } from "../providers/jupiter.ts";
import type { Pyth } from "../providers/pyth.ts";
import type { Batch } from "../providers/records.ts";
import { ProviderDecimal } from "../providers/values.ts";
import type { Rejection } from "../series/rejected.ts";

/** On Solana, whose list of prices is asked for anyway. */
export const USDT_MINT = "Es9vMFrzaCERmJfrF4H2FYD4KCoNky11McCe8BenwNYB";
/** `Crypto.USDT/USD` in Pyth's catalog of feeds, <hermes>/v2/price_feeds?query=USDT. */
export const USDT_FEED = {
  id: "2b89b9dc8fdf9f34709a5b106b472f0f39bb6ca9ce04b0fd7f2e971688e2e53b",
  symbol: "USDT",
};
/** A price outside of this is a slip of units, and no dollar. */
const [LEAST, MOST] = ["0.5", "1.5"];

export type Dollar = Awaited<ReturnType<typeof dollarOf>>;

/** Never throws: who does not answer is a failure, and without any word quotes are no prices. */
export async function dollarOf(upstreams: {
  readonly pyth: Pyth | undefined;
  jupiterPrices(): Promise<Batch<JupiterPrice>>;
  now(): number;
}) {
  const { pyth } = upstreams;
  const failures: Failure[] = [];
  const said = <T>(subject: string, ask: Promise<T>) =>
    ask.catch((error: unknown) => {
      failures.push({ subject, error });
      return null;
    });
  const [listed, fed] = await Promise.all([
    said("jupiter", upstreams.jupiterPrices()),
    pyth && said("pyth", pyth.latest([USDT_FEED])),
  ]);
  const usdt = listed?.rows.find(({ mint }) => mint === USDT_MINT);
  const stated = [
    ...(usdt ? [{ source: "jupiter", figure: usdt.usdPricePerToken, publishedAt: null }] : []),
    ...(fed?.rows ?? []).map(({ price, publishedAt }) => ({ source: "pyth", figure: price, publishedAt })),
  ].map((one): Witness => ({ ...one, origin: one.source, toleranceBps: DOLLAR_TOLERANCE_BPS }));
  const oldest = Math.floor(upstreams.now() / 1_000) - RUNNING_SECONDS;
  const faulty = stated.filter(
    ({ figure, publishedAt }) =>
      (publishedAt ?? oldest) < oldest ||
      new ProviderDecimal(figure).lt(LEAST) ||
      new ProviderDecimal(figure).gt(MOST),
  );
  const level = levelOf(stated.filter((one) => !faulty.includes(one)));
  const rejection = (reason: string, sample: unknown): Rejection => ({
    kind: "dollar",
    subject: USDT_FEED.symbol,
    reason,
    sample,
  });
  const rejected = [
    ...faulty.map((one) => rejection("no_running_dollar", one)),
    ...(level === null ? [rejection("missing", {})] : []),
    ...(level?.state === "disputed" ? [rejection("disputed", level.aside)] : []),
  ];
  let untold: Findings<never> | null = { rows: [], failures, rejected };
  return {
    /** US dollars, as those agree who say it; null: they do not, or nobody says it. */
    usd: level?.figure ?? null,
    state: level?.state ?? null,
    /** What was wrong with it: told to the first who asks, of the many that it serves. */
    troubles() {
      const told = untold ?? { rows: [] };
      untold = null;
      return told;
    },
  };
}
