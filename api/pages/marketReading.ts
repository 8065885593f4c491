/** What the pages know of the market: word for word what the public endpoints answer, and what /readyz tells everybody. */
import type { z } from "zod";
import { nullIfAway } from "../../database/errors.ts";
import type { MarketAsset } from "../../market/queries.ts";
import type { MarketStatus } from "../../market/status.ts";
import type { DataAnswers, PublicAnswer } from "../data/answers.ts";
import type { OverviewAnswer } from "../data/schemas.ts";
import {
  type Choice,
  inSession,
  listedIn,
  needsWeeks,
  ordered,
  type PremiumPoints,
  type TokenWeek,
  type Volumes,
} from "./marketChoice.ts";

export type Overview = z.infer<typeof OverviewAnswer>;
export interface MarketReading {
  readonly overview: Overview;
  /** Those of the page. */
  readonly tokens: readonly TokenWeek[];
  /** How many there are on all pages. */
  readonly matching: number;
  readonly volumes: Volumes;
  /** Null: the database did not tell. */
  readonly status: MarketStatus | null;
  readonly degraded: boolean;
}

/** Days of the totals' charts. */
export const TOTAL_DAYS = 90;
const WEEK_DAYS = 7;
/** So many are asked for at a time: a page must not have all of a database's connections. */
const AT_ONCE = 4;

export interface ReadingDeps {
  readonly answers: DataAnswers;
  readonly marketStatus: () => Promise<MarketStatus>;
  /** By asset key. @throws DatabaseUnavailable */
  readonly volumes: () => Promise<Volumes>;
}

/** @param pageSize tokens on a page */
export async function readMarket(
  { answers, marketStatus, volumes: ask }: ReadingDeps,
  assets: readonly MarketAsset[],
  choice: Choice,
  pageSize: number,
): Promise<MarketReading> {
  const [overview, status, told] = await Promise.all([
    answers.overview({ days: TOTAL_DAYS }),
    marketStatus().catch(nullIfAway),
    ask().catch(nullIfAway),
  ]);
  const volumes: Volumes = told ?? new Map();
  const away = overview.degraded || status === null || told === null;
  const listed = listedIn(assets, choice).map((asset) => ({ asset }));
  const figureOf = ({ asset, points }: { asset: MarketAsset; points?: PremiumPoints | null }) => {
    const premium = points?.findLast(({ premium }) => premium !== null)?.premium;
    if (choice.sort === "premium") return premium == null ? null : String(premium);
    const volume = volumes.get(asset.assetKey);
    return (choice.sort === "volume" ? volume?.volume24hUsd : volume?.liquidityUsd) ?? null;
  };
  const from = (matching: number) => (pageIn(choice.page, matching, pageSize) - 1) * pageSize;
  const cut = <T>(all: readonly T[]) => all.slice(from(all.length), from(all.length) + pageSize);
  if (!needsWeeks(choice)) {
    const weeks = await weeksOf(answers, cut(ordered(listed, choice, figureOf)), away);
    return {
      ...{ overview: said<Overview>(overview).value, status, volumes, matching: listed.length },
      ...{ tokens: weeks.tokens, degraded: away || weeks.degraded },
    };
  }
  const weeks = await weeksOf(answers, listed, away);
  // Which session a token is in is not known while the database is away: none is left out then.
  const matching = weeks.degraded ? weeks.tokens : weeks.tokens.filter((token) => inSession(token, choice));
  return {
    ...{ overview: said<Overview>(overview).value, status, volumes, matching: matching.length },
    ...{ tokens: cut(ordered(matching, choice, figureOf)), degraded: away || weeks.degraded },
  };
}

/** The page that is shown of so many tokens: one beyond the last is the last. */
export const pageIn = (page: number, matching: number, pageSize: number): number =>
  Math.min(page, Math.max(1, Math.ceil(matching / pageSize)));

/** @param away who waits for a database that is away waits once, not once for each token */
async function weeksOf(answers: DataAnswers, listed: readonly { asset: MarketAsset }[], away: boolean) {
  const tokens: TokenWeek[] = [];
  let degraded = away;
  for (let from = 0; from < listed.length; from += AT_ONCE) {
    const some = listed.slice(from, from + AT_ONCE);
    const weeks = degraded
      ? []
      : await Promise.all(
          some.map(({ asset: { symbol, chain, address } }) =>
            answers
              .publicPremium({ symbol, chain, address }, { days: WEEK_DAYS })
              .then(said<{ points: PremiumPoints }>),
          ),
        );
    for (const [index, { asset }] of some.entries()) {
      const week = weeks[index];
      degraded ||= week?.degraded ?? true;
      tokens.push({ asset, points: week === undefined || week.degraded ? null : week.value.points });
    }
  }
  return { tokens, degraded };
}

/** Sound, since the text is our own, and its schema is what OpenAPI documents. */
function said<T>({ finished, degraded }: PublicAnswer): { value: T; degraded: boolean } {
  return { value: JSON.parse(finished.bytes.toString("utf8")) as T, degraded };
}
