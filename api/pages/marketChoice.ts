/** Which tokens the market's table shows, and in which order: what its address says, parsed and applied. */
import { Decimal } from "decimal.js";
import type { z } from "zod";
import type { LiveVolume, MarketAsset } from "../../market/queries.ts";
import { daysOf } from "../data/query.ts";
import type { PublicPremiumAnswer } from "../data/schemas.ts";
import SESSION_WORDS from "./words/session.json" with { type: "json" };

export type PremiumPoints = z.infer<typeof PublicPremiumAnswer>["points"];

export interface TokenWeek {
  readonly asset: MarketAsset;
  /** Oldest first; hours without samples are absent. Null: the database did not tell. */
  readonly points: PremiumPoints | null;
}

export const SORTS = ["symbol", "premium", "liquidity", "volume"] as const;
export type Sort = (typeof SORTS)[number];
export const SESSIONS = [
  "pre-market",
  "regular",
  "post-market",
  "overnight",
  "closed",
] as const satisfies readonly (keyof (typeof SESSION_WORDS)["en"])[];

export interface Choice {
  /** null: all. */
  readonly issuer: string | null;
  readonly chain: string | null;
  /** Of a token's newest hour with a premium. */
  readonly session: string | null;
  /** null: as they are listed. */
  readonly sort: Sort | null;
  readonly ascending: boolean;
  /** From 1. */
  readonly page: number;
}

const MOST_PAGES = 1_000;
const known = <T extends string>(value: unknown, values: readonly T[]): T | null =>
  values.find((one) => one === value) ?? null;

/** Accepts any query. */
export function choiceOf(query: Readonly<Record<string, unknown>>, assets: readonly MarketAsset[]): Choice {
  const sort = known(query.sort, SORTS);
  return {
    issuer: known(query.issuer, issuersOf(assets)),
    chain: known(query.chain, chainsOf(assets)),
    session: known(query.session, SESSIONS),
    sort,
    // Names from the first letter, figures from the greatest.
    ascending: sort === "symbol" ? query.order !== "desc" : query.order === "asc",
    page: daysOf(query.page, MOST_PAGES, 1),
  };
}

export const issuersOf = (assets: readonly MarketAsset[]) => [...new Set(assets.map(({ issuer }) => issuer))];
export const chainsOf = (assets: readonly MarketAsset[]) => [...new Set(assets.map(({ chain }) => chain))];

/** The path of a choice: what is by default is not said. */
export function choicePath({ issuer, chain, session, sort, ascending, page }: Choice): string {
  const order = ascending === (sort === "symbol") ? null : ascending ? "asc" : "desc";
  const query = new URLSearchParams();
  const parts = { issuer, chain, session, sort, order: sort === null ? null : order };
  for (const [name, value] of Object.entries(parts)) if (value !== null) query.set(name, value);
  if (page > 1) query.set("page", String(page));
  return query.size === 0 ? "/" : `/?${query}`;
}

export function listedIn(assets: readonly MarketAsset[], { issuer, chain }: Choice): MarketAsset[] {
  return assets.filter(
    (asset) => (issuer === null || asset.issuer === issuer) && (chain === null || asset.chain === chain),
  );
}

/** Whether the weeks of all tokens have to be known to say which are shown. */
export const needsWeeks = ({ sort, session }: Choice): boolean => sort === "premium" || session !== null;

export const newestOf = ({ points }: TokenWeek) => points?.findLast(({ premium }) => premium !== null);

export const inSession = (token: TokenWeek, { session }: Choice): boolean =>
  session === null || newestOf(token)?.session === session;

/** Figures that are not known come last, whichever way. @param figureOf decimal text */
export function ordered<T extends { readonly asset: MarketAsset }>(
  tokens: readonly T[],
  { sort, ascending }: Choice,
  figureOf: (token: T) => string | null,
): T[] {
  if (sort === null) return [...tokens];
  const way = ascending ? 1 : -1;
  if (sort === "symbol")
    return tokens.toSorted((one, other) => way * compare(one.asset.symbol, other.asset.symbol));
  return tokens
    .map((token) => ({ token, figure: figureOf(token) }))
    .toSorted((one, other) => {
      if (one.figure === null || other.figure === null)
        return Number(one.figure === null) - Number(other.figure === null);
      return way * new Decimal(one.figure).comparedTo(other.figure);
    })
    .map(({ token }) => token);
}

const compare = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0);

/** What is known of a token's pools now; null: nothing fresh. */
export type Volumes = ReadonlyMap<string, LiveVolume>;
