/**
 * What a source states of the market: the one form of every fact on its way from a provider to a sample or a report.
 *
 * | `of`        | subject    | figure                                              | beside it |
 * |-------------|------------|-----------------------------------------------------|-----------|
 * | `price`     | token      | US dollars, or dollar tokens, per whole raw token   | whose kind of price it is |
 * | `ratio`     | token      | the issuer's factor: shares of a whole raw token    | an announced change |
 * | `reference` | ticker     | US dollars per share                                | confidence, signatures |
 * | `close`     | ticker     | US dollars per share at the close before            | |
 * | `report`    | feed       | a signed report, which says its price itself        | |
 * | `dollar`    | `USDT`     | US dollars per dollar token                         | |
 * | `pool`      | token      | US dollars per whole raw token in one pool          | liquidity, volume, trades |
 * | `perp`      | ticker     | the perpetual's mark                                | oracle, funding |
 * | `funding`   | ticker     | rate that was paid, a fraction                      | interval |
 * | `volume`    | token      | US dollars of 24 hours, measured                    | liquidity |
 * | `liquidity` | token      | US dollars, for an order of tokens alone            | |
 * | `impact`    | token      | basis points that a buy of $10,000 is worse         | that of $1,000, the tiny buy's price |
 * | `listing`   | token      | whether its issuer's list has it                    | whether it is halted, where it is now |
 * | `action`    | token      | shares per token after a change                     | before, when |
 *
 * A provider's file names subjects as the provider does: a mint, a symbol. What a round asks (`Source`) states tokens by
 * their asset key.
 */
import type { PriceProof } from "../attestor/evidence/facts.ts";
import type { UnixSeconds } from "../attestor/values/time.ts";
import type { State } from "./level.ts";
import type { MarketAsset } from "./queries.ts";
import type { ActionKind } from "./series/corporateActions.ts";

interface Stated<Of extends string, Figure = string> {
  readonly of: Of;
  readonly subject: string;
  /** Who was asked, such as `jupiter`. */
  readonly source: string;
  /** Where the figure comes from in the end: sources of one origin count as one witness. */
  readonly origin: string;
  /** Decimal text, where it is a number. */
  readonly figure: Figure;
  /** By the source's own clock; null: it states no time. */
  readonly at: UnixSeconds | null;
  /** keccak256 of the answer; null: there was no one answer. */
  readonly rawHash: string | null;
}

export interface TokenPrice extends Stated<"price"> {
  /** A list's price, what a small buy costs with its fees, or that of the pool which prices the token. */
  readonly by: "aggregator" | "quote" | "pool";
  /** `dollar`: the chain's dollar token, whose own price makes US dollars of it. */
  readonly paidIn: "usd" | "dollar";
  /** How the dollar token's price stands that made US dollars of it; absent: nothing was converted. */
  readonly converted?: State | null;
}

export interface ShareRatio extends Stated<"ratio"> {
  /** Nothing is converted: amounts of such a token are in shares already. */
  readonly fixed?: true;
  /** What else of the source's row changes all the time: it reveals a list that stands still. */
  readonly fingerprint?: string;
  /** What the source announces: from `effectiveAt` on `next` counts. Null: nothing. */
  readonly change: {
    /** Null: not known yet, as the next. */
    readonly next: string | null;
    readonly effectiveAt: UnixSeconds | null;
    readonly reason: "split" | "dividend" | null;
  } | null;
}

export interface StockPrice extends Stated<"reference"> {
  /** Half-width of the source's own confidence interval, US dollars; null: it states none. */
  readonly confidence: string | null;
  /** What its publisher signed of it, not checked; null or absent: nothing. */
  readonly proof?: PriceProof | null;
}

export type PreviousClose = Stated<"close">;
export type SignedReport = Stated<"report">;
export type DollarPrice = Stated<"dollar">;

/** A pool comes once for each of its two tokens. */
export interface PoolState extends Stated<"pool", string | null> {
  readonly pool: string;
  /** A pool of two listed tokens belongs to its base token. */
  readonly side: "base" | "quote";
  /** US dollars; null: not stated, as the next two. */
  readonly liquidityUsd: string | null;
  readonly volume24hUsd: string | null;
  /** Buys and sells of 24 hours. */
  readonly trades24h: number | null;
}

export interface PerpState extends Stated<"perp"> {
  /** As the venue names it: `xyz:TSLA`, `AAPLUSDT`. */
  readonly market: string;
  /** The venue's own price of the stock, which its mark is compared with; null: it states none. */
  readonly oracleUsd: string | null;
  /** Per interval, as a fraction, signed; null: not known. */
  readonly fundingRate: string | null;
  /** As the venue states it or its fundings show it; null: neither, or they contradict each other. */
  readonly fundingIntervalHours: number | null;
}

export interface PaidFunding extends Stated<"funding"> {
  /** Start of the hour. */
  readonly at: UnixSeconds;
  readonly intervalHours: number | null;
}

export interface VolumeState extends Stated<"volume", string | null> {
  /** US dollars; null: not known. */
  readonly liquidityUsd: string | null;
}

export type StatedLiquidity = Stated<"liquidity">;

export interface ImpactState extends Stated<"impact", string | null> {
  /** Null: no route, as the figure. */
  readonly impact1kBps: string | null;
  /** What the tiny buy paid, per whole raw token; null: no route, or it was not told. */
  readonly tinyPrice: string | null;
  readonly paidIn: TokenPrice["paidIn"];
}

/** `missing`: the list has no such token any more; `migrated`: it names another address. */
export interface ListingState extends Stated<"listing", "listed" | "missing" | "migrated"> {
  /** Whether trading stands still; null: the list does not say. */
  readonly isHalted: boolean | null;
  /** Why it trades or not, in the list's own words; absent or null: it has none. */
  readonly status?: string | null;
  /** Where the list has the token; absent: it does not say. */
  readonly addresses?: readonly string[];
}

export interface AnnouncedAction extends Stated<"action", string | null> {
  readonly kind: ActionKind;
  readonly before: string | null;
  /** Null: the source does not say. */
  readonly effectiveAt: UnixSeconds | null;
}

export type Statement =
  | TokenPrice
  | ShareRatio
  | StockPrice
  | PreviousClose
  | SignedReport
  | DollarPrice
  | PoolState
  | PerpState
  | PaidFunding
  | VolumeState
  | StatedLiquidity
  | ImpactState
  | ListingState
  | AnnouncedAction;

export type Kind = Statement["of"];
export type StatementOf<Of extends Kind> = Extract<Statement, { readonly of: Of }>;

/** A row that was left out, for the record: never silently. */
export interface Rejected {
  readonly of: Kind;
  /** What was asked for or its place in the answer; never the provider's text. */
  readonly subject: string;
  readonly reason:
    | "shape"
    | "missing"
    | "not_positive"
    | "duplicate"
    | "ratio_contradicts_prices"
    | "interval_contradicts_fundings";
  /** Of a wrong shape: which of the fields that we read it is, such as `price.expo`. */
  readonly field?: string;
}

/** A part of an answer that did not come. */
export interface Failure {
  /** The asset key, the ticker, or the provider's name. */
  readonly subject: string;
  readonly error: unknown;
}

export interface Answer<S extends Statement = Statement> {
  readonly statements: readonly S[];
  readonly rejected: readonly Rejected[];
  readonly failures?: readonly Failure[];
}

/** What a round asks. */
export type Source = ListSource | EachSource | SlowSource;

/** One answer says all that it knows of the listed tokens, and serves every question for a while. */
export interface ListSource {
  readonly asks: "list";
  readonly name: string;
  readonly of: readonly Kind[];
  /** How long an answer serves; 0: for one question. */
  readonly keepsMs: number;
  /** @throws ProviderFault */
  ask(): Promise<Answer>;
}

/** Asked about the tokens that are wanted, each by itself. */
export interface EachSource {
  readonly asks: "each";
  readonly name: string;
  readonly of: readonly Kind[];
  /** @throws ProviderFault */
  ask(tokens: readonly MarketAsset[]): Promise<Answer>;
}

/** One request a subject takes minutes: each round asks about some after its work, for the next ones. */
export interface SlowSource {
  readonly asks: "slow";
  readonly name: string;
  readonly of: readonly Kind[];
  /** What it can be asked about: asset keys, or tickers. */
  readonly subjects: readonly string[];
  /** Whether it is asked about what no other source states alone. */
  readonly isLastResort: boolean;
  readonly perRound: number;
  /** Until a subject is asked about again. */
  readonly againMs: number;
  readonly keepsMs: number;
  /** @throws ProviderFault */
  ask(subject: string): Promise<Answer>;
}
