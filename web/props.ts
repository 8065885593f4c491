/** What the service hands to the pages: plain values, without words and without HTML. `web/server.tsx` makes pages of them. */
import type { Language } from "../attestor/view/language.ts";
import type { JudgedView } from "../attestor/view/reportView.ts";

/** What `web/dist/server/server.js` exports. */
export interface PageRenderer {
  /** @returns the whole document */
  render(page: Page, frame: Frame): string;
}

export type Page = MarketPage | TokenPage | ReportPage | StatusPage | SignPage | DocsPage | RefusedPage;

/** In which language the reader gets a page. */
export interface Reader {
  readonly language: Language;
  /** The address says so (`?lang=`): links then say it too. */
  readonly explicit: boolean;
}

/** A path of ours in the reader's language. @param path may have a query and a fragment */
export function pathFor({ language, explicit }: Reader, path: string): string {
  if (!explicit) return path;
  const url = new URL(path, "http://pages.invalid");
  url.searchParams.set("lang", language);
  return `${url.pathname}${url.search}${url.hash}`;
}

/** Around every page. */
export interface Frame extends Reader {
  /** Of this page, with its query and without its language. */
  readonly path: string;
  readonly simulated: boolean;
  readonly version: string;
  /** Where the service is found, without a slash at its end. */
  readonly origin: string;
  readonly style: string;
  /** What a script of `web/` needs, as addresses; null: the build does not know it. @param entry `islands/token.tsx` */
  entry(entry: string): Entry | null;
}

export interface Entry {
  readonly script: string;
  /** Modules that the script imports: to be asked for at once. */
  readonly preloads: readonly string[];
}

/** Texts are as issuers and providers write them. */
export interface Token {
  readonly symbol: string;
  readonly underlying: string;
  readonly nameEn: string;
  readonly nameCn: string;
  readonly issuer: string;
  readonly chain: string;
  readonly address: string;
  /** Of its page. */
  readonly path: string;
}

export type Agreement = "agreed" | "single" | "disputed";

export interface MarketPage {
  readonly name: "market";
  /** Unix seconds. */
  readonly now: number;
  readonly choice: MarketChoice;
  readonly issuers: readonly string[];
  readonly chains: readonly string[];
  /** null: the simulated market, which never closes. */
  readonly session: { readonly state: string; readonly closesAt: number } | null;
  /** null: the database did not tell. */
  readonly totals: {
    readonly volumeUsd: number | null;
    readonly liquidityUsd: number | null;
    readonly tokens: number;
    readonly withData: number;
  } | null;
  /** Oldest first. */
  readonly days: readonly MarketDay[];
  readonly rows: readonly MarketRow[];
  readonly pages: number;
  /** Whether rows have price and grade, which most services give to keys alone. */
  readonly hasPrices: boolean;
}

export interface MarketChoice {
  /** Words of symbol, name or address; empty: all. */
  readonly search: string;
  readonly issuer: string | null;
  readonly chain: string | null;
  /** Of a token's newest hour with a premium. */
  readonly session: string | null;
  /** null: as they are listed. */
  readonly sort: MarketSort | null;
  readonly ascending: boolean;
  /** From 1. */
  readonly page: number;
}

export const MARKET_SORTS = ["symbol", "premium", "liquidity", "volume"] as const;
export type MarketSort = (typeof MARKET_SORTS)[number];
export const MARKET_SESSIONS = ["pre-market", "regular", "post-market", "overnight", "closed"] as const;

/** A day before today whose sum has no gap, or has one: null. */
export interface MarketDay {
  /** YYYY-MM-DD */
  readonly day: string;
  readonly volumeUsd: number | null;
  readonly liquidityUsd: number | null;
}

export interface MarketRow {
  readonly token: Token;
  /** Of the newest hour with a premium; null: no price this week. */
  readonly newest: {
    /** Unix seconds, start of the hour. */
    readonly hour: number;
    readonly premium: number;
    readonly state: Agreement | null;
    readonly spread: number | null;
    readonly halted: boolean;
    readonly source: string;
    readonly session: string;
  } | null;
  /** Hours of the week with their premium, oldest first; null: the database did not tell. */
  readonly week: readonly (readonly [hour: number, premium: number | null])[] | null;
  readonly low: number | null;
  readonly high: number | null;
  readonly liquidityUsd: number | null;
  readonly volumeUsd: number | null;
  readonly priceUsd: string | null;
  readonly grade: string | null;
}

export interface TokenPage {
  readonly name: "token";
  readonly token: Token;
  /** Why it has no premium; null: it has one. */
  readonly unpriced: string | null;
  readonly days: number;
  /** null: the database does not answer. */
  readonly series: TokenSeries | null;
}

export interface TokenSeries {
  /** Unix seconds; hours that start at `from` or later and before `to`. */
  readonly from: number;
  readonly to: number;
  /** Oldest first; hours without samples are absent. */
  readonly premium: readonly Hour[];
  /** null: no venue has the stock. */
  readonly venue: string | null;
  readonly basis: readonly Hour[];
}

/** An hour of a series, in basis points as decimal text. */
export interface Hour {
  readonly hour: number;
  /** Premium or basis; null: there is none. */
  readonly close: string | null;
  readonly low: string | null;
  readonly high: string | null;
  /** Net edge of a premium, funding of a basis. */
  readonly second: string | null;
  readonly session: string;
  readonly source: string;
  readonly reference: string | null;
  /** Seconds; null: no reference, or of unknown age. */
  readonly age: number | null;
  readonly samples: number;
  readonly state: Agreement | null;
  /** Of `second`, where it has one of its own. */
  readonly secondState: Agreement | null;
  readonly spread: string | null;
  readonly halted: boolean;
}

export interface ReportPage {
  readonly name: "report";
  readonly hash: string;
  /** null: nothing is published under the hash. */
  readonly stored: StoredTrade | null;
}

/** What the service says of a published trade. */
export interface StoredTrade {
  /** The report as it is stored; nobody has judged it again. */
  readonly judged: JudgedView;
  /** null: the service was not told the transaction. */
  readonly executed: Executed | null;
  /** The token's page; null: it is not listed. */
  readonly tokenPath: string | null;
  readonly service: ServiceStatement;
}

export interface Executed {
  /** As the data API names it; null: a chain without a name, such as the local one. */
  readonly chain: string | null;
  readonly transactionHash: string;
  readonly blockNumber: number;
  readonly blockHash: string;
  readonly amountInRaw: string;
  readonly amountOutRaw: string;
  /** Unix seconds. */
  readonly at: number;
  /** Address of an explorer's page; null: the chain has none. */
  readonly explorer: string | null;
}

/** What the service says of itself: nothing of it counts as known unless the reader lets it. */
export interface ServiceStatement {
  readonly guard: { readonly chainId: number; readonly address: string };
  /** Addresses of its attestation keys. */
  readonly signers: readonly string[];
  /** Verifier keys of its decision log. */
  readonly logKeys: readonly string[];
  /** Where it gives what the report names by hash; null: the report names none. */
  readonly paths: {
    readonly policy: string;
    readonly registry: string;
    readonly samples: string | null;
  };
}

export interface StatusPage {
  readonly name: "status";
  readonly now: number;
  readonly parts: readonly { readonly name: string; readonly works: boolean | null }[];
  readonly tasks: readonly { readonly name: string; readonly ago: number | null; readonly isAway: boolean }[];
  readonly log: {
    readonly entries: number;
    readonly signedEntries: number;
    readonly signedAgo: number | null;
    readonly waiting: number;
  } | null;
  /** Why the log is not signed; null: it is. */
  readonly logFault: string | null;
  readonly signer: string;
  /** Takes over when the guard names it. */
  readonly nextSigner: string | null;
  readonly changes: readonly {
    readonly call: string;
    readonly operation: string;
    readonly readyAt: number;
  }[];
  /** null: the database does not answer. */
  readonly market: MarketState | null;
}

/** How the market is collected. */
export interface MarketState {
  readonly round: { readonly endedAgo: number; readonly took: number } | null;
  readonly series: readonly {
    readonly kind: string;
    readonly count: number;
    readonly newestAgo: number;
    readonly oldestAgo: number;
  }[];
  readonly providers: readonly {
    readonly provider: string;
    readonly lastSuccessAgo: number | null;
    readonly successes: number;
    readonly failures: Readonly<Record<string, number>>;
  }[];
  readonly figures: readonly {
    readonly kind: string;
    readonly state: string;
    readonly count: number;
    readonly forAnHour: number;
  }[];
  readonly setAside: readonly { readonly kind: string; readonly reason: string; readonly count: number }[];
  readonly unpriced: readonly { readonly symbol: string; readonly chain: string }[];
}

export interface SignPage {
  readonly name: "sign";
  readonly chainId: number;
  readonly guard: string;
}

/** The API's reference: a packaged viewer shows our OpenAPI document. */
export interface DocsPage {
  readonly name: "docs";
  /** Addresses of the viewer's two files; null: it is not installed. */
  readonly viewer: { readonly script: string; readonly style: string } | null;
  readonly documents: readonly { readonly name: string; readonly about: string }[];
}

export interface RefusedPage {
  readonly name: "refused";
  readonly status: number;
  readonly detail: string;
}
