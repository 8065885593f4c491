/** The calls of the data API. Days count back from now; what is out of range is clamped by the service. */

import { CalendarAnswer, CorporateActionsAnswer } from "../api/data/actionSchemas.ts";
import { LatestAnswer } from "../api/data/latestSchemas.ts";
import {
  AssetsAnswer,
  BasisAnswer,
  OverviewAnswer,
  PremiumHistoryAnswer,
  PublicPremiumAnswer,
  ScoresAnswer,
} from "../api/data/schemas.ts";
import type { Chain } from "../attestor/chains.ts";
import type { Get } from "./transport.ts";

/** Which part of a history: from and to are dates or date-times, UTC, the end exclusive. */
export interface WindowQuery {
  readonly from?: string;
  readonly to?: string;
}

/** What each point shows beside its figures: what it was computed from. */
export interface InputsQuery {
  readonly inputs?: 1;
}

export interface PremiumQuery extends WindowQuery {
  /** As minted; not needed with `address`. */
  readonly symbol?: string;
  /** Names one token, also one whose symbol the endpoint does not take. */
  readonly address?: string;
  readonly days?: number;
  /** Selects the token, where the symbol exists on several chains. */
  readonly chain?: Chain;
}

export interface BasisQuery extends WindowQuery, InputsQuery {
  readonly underlying?: string;
  readonly address?: string;
  readonly days?: number;
  readonly venue?: string;
}

/** Each but `address` and `q` may be several words, with commas between. */
export interface LatestQuery {
  readonly symbol?: string;
  readonly chain?: string;
  readonly issuer?: string;
  readonly grade?: string;
  readonly underlying?: string;
  readonly address?: string;
  /** Words of a symbol, a ticker or a name. */
  readonly q?: string;
}

/** `kind` may be several words, with commas between; from and to are dates or date-times, UTC. */
export interface ActionsQuery extends WindowQuery {
  readonly symbol?: string;
  readonly chain?: Chain;
  readonly address?: string;
  readonly underlying?: string;
  readonly kind?: string;
  readonly limit?: number;
}

export function dataCalls(get: Get) {
  return {
    /** @param query `address` lists that token alone */
    assets: (query: { address?: string } = {}) => get("key", "/api/v1/assets", AssetsAnswer, { ...query }),
    /** The newest values of all tokens, or of those that are asked for. */
    latest: (query: LatestQuery = {}) => get("key", "/api/v1/latest", LatestAnswer, { ...query }),
    /** @param query `address` lists that token alone */
    liquidityScores: (query: { address?: string } = {}) =>
      get("key", "/api/v1/liquidity-scores", ScoresAnswer, { ...query }),
    /** @param query days: 1 to 90 (30) */
    premiumHistory: (query: PremiumQuery & InputsQuery) =>
      get("key", "/api/v1/premium-history", PremiumHistoryAnswer, { ...query }),
    /** Oldest first. @param query limit: 1 to 1000 (1000); for those after them begin `from` at the `at` of the last */
    corporateActions: (query: ActionsQuery = {}) =>
      get("key", "/api/v1/corporate-actions", CorporateActionsAnswer, { ...query }),
    /** @param query days in New York, YYYY-MM-DD: from (today) and before to (a year later), at most five years */
    calendar: (query: { from?: string; to?: string } = {}) =>
      get("key", "/api/v1/calendar", CalendarAnswer, query),
    /** Public. @param query days: 1 to 365 (90) */
    marketOverview: (query: { days?: number } & WindowQuery = {}) =>
      get("none", "/api/market-overview", OverviewAnswer, { ...query }),
    /** Public. @param query days: 1 to 30 (7) */
    publicPremiumHistory: (query: PremiumQuery) =>
      get("none", "/api/premium/history", PublicPremiumAnswer, { ...query }),
    /** Public. @param query underlying: the stock's ticker, or the address of a token; days: 1 to 30 (7) */
    basisHistory: (query: BasisQuery) => get("none", "/api/basis/history", BasisAnswer, { ...query }),
  };
}
