/** What the pages know of the market: word for word what the public endpoints answer, and what /readyz tells everybody. */
import type { z } from "zod";
import { nullIfAway } from "../../database/databaseErrors.ts";
import type { MarketAsset } from "../../market/queries.ts";
import type { MarketStatus } from "../../market/status.ts";
import type { DataAnswers, PublicAnswer } from "../data/answers.ts";
import type { OverviewAnswer, PublicPremiumAnswer } from "../data/schemas.ts";

export type Overview = z.infer<typeof OverviewAnswer>;
export type PremiumPoints = z.infer<typeof PublicPremiumAnswer>["points"];

export interface TokenWeek {
  readonly asset: MarketAsset;
  /** Oldest first; hours without samples are absent. Null: the database did not tell. */
  readonly points: PremiumPoints | null;
}

export interface MarketReading {
  readonly overview: Overview;
  readonly tokens: readonly TokenWeek[];
  /** Null: the database did not tell. */
  readonly status: MarketStatus | null;
  readonly degraded: boolean;
}

const WEEK_DAYS = 7;
/** So many are asked for at a time: a page must not have all of a database's connections. */
const AT_ONCE = 4;

/** @param assets those that are shown, in their order */
export async function readMarket(
  answers: DataAnswers,
  marketStatus: () => Promise<MarketStatus>,
  assets: readonly MarketAsset[],
): Promise<MarketReading> {
  const [overview, status] = await Promise.all([answers.overview(1), marketStatus().catch(nullIfAway)]);
  const tokens: TokenWeek[] = [];
  let degraded = overview.degraded || status === null;
  for (let from = 0; from < assets.length; from += AT_ONCE) {
    const some = assets.slice(from, from + AT_ONCE);
    // Who waits for a database that is away waits once, not once for each token.
    if (degraded) {
      tokens.push(...some.map((asset) => ({ asset, points: null })));
      continue;
    }
    const weeks = await Promise.all(
      some.map(({ symbol, chain, address }) =>
        answers.publicPremium({ symbol, chain, address }, WEEK_DAYS).then(said<{ points: PremiumPoints }>),
      ),
    );
    for (const [index, asset] of some.entries()) {
      const week = weeks[index]!;
      degraded ||= week.degraded;
      tokens.push({ asset, points: week.degraded ? null : week.value.points });
    }
  }
  return { overview: said<Overview>(overview).value, tokens, status, degraded };
}

/** Sound, since the text is our own, and its schema is what OpenAPI documents. */
function said<T>({ finished, degraded }: PublicAnswer): { value: T; degraded: boolean } {
  return { value: JSON.parse(finished.bytes.toString("utf8")) as T, degraded };
}
