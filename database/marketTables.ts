/** The types of the market's tables: samples, the series of hours and days that follow from them, and what providers said. */
import type { Generated } from "kysely";

/** Seconds since 1970-01-01T00:00:00Z. */
type UnixSeconds = number;

export interface MarketTables {
  /** One measurement of what a buy of a size costs. */
  impact_samples: {
    asset_key: string;
    sampled_at: UnixSeconds;
    source: string;
    session: string;
    /** Basis points as a decimal string, positive is adverse; null: there was no route. */
    impact_1k_bps: string | null;
    impact_10k_bps: string | null;
  };
  sample_batches: {
    root: string;
    asset_key: string;
    body: string;
  };
  /** Series by number, with the last sample of the newest hour. Rows are only ever added. */
  series: {
    id: Generated<number>;
    /** `premium/<asset key>` or `basis/<venue>/<ticker>`. */
    name: string;
    /** Unix seconds; null: it has no hours. */
    latest_at: Generated<number | null>;
    /** As `raw_samples.sample`; null: it was no longer kept when its hour became the newest. */
    latest_sample: Generated<string | null>;
  };
  /** Where figures come from, by number. Rows are only ever added. */
  origins: {
    id: Generated<number>;
    source: string;
    session: string;
    /** Empty: no reference. */
    reference_source: string;
    /** Of the figure, and of a basis's funding: `agreed`, `single`, `disputed`; empty: there is none. */
    state: string;
    funding_state: string;
    /** 1: the token is paused, or the stock halted. */
    halted: number;
  };
  /** One hour of a series. Figures are whole numbers of ten-thousandths of a basis point. */
  hour_buckets: {
    series_id: number;
    /** Unix seconds / 3600. */
    hour: number;
    /** Of the last sample; null: it had no reference. */
    close: number | null;
    lo: number | null;
    hi: number | null;
    /** Of a premium's close: what is left of it after fees and impact; null in a basis's series. */
    net_edge: number | null;
    /** Of a basis's close: a year's funding; null in a premium's series. */
    funding_annual: number | null;
    /** Seconds between the close's reference price and the close; null: no reference, or of unknown age. */
    reference_age: number | null;
    /** Sources that agree on the close; null: not counted. */
    witnesses: number | null;
    /** Of the close: between the outermost that agree, ten-thousandths of a basis point; null: fewer than two do. */
    spread: number | null;
    /** When in the hour the close was sampled. */
    close_second: number;
    /** Of the close. */
    origin_id: number;
    samples: number;
  };
  /** What was sampled, whole, while it is kept. */
  raw_samples: {
    series_id: number;
    sampled_at: UnixSeconds;
    /** A JSON list of what the series and the time do not say: two samples are the same when their texts are. */
    sample: string;
    origin_id: number;
    /** These follow from the sample; see `hour_buckets`, which has those of an hour's last sample. */
    close: number | null;
    net_edge: number | null;
    funding_annual: number | null;
    reference_age: number | null;
    witnesses: number | null;
    spread: number | null;
  };
  /** The last sample of volume and liquidity of an asset on a UTC day. */
  volume_days: {
    /** YYYY-MM-DD. */
    day: string;
    asset_key: string;
    sampled_at: UnixSeconds;
    source: string;
    session: string;
    /** US dollars as decimal strings; null: not known. */
    volume_24h_usd: string | null;
    liquidity_usd: string | null;
    /** `agreed`, `single`, `disputed`; empty: not known. */
    state: string;
    /** 1: the token is halted, and counts in no total. */
    halted: number;
  };
  daily_totals: {
    day: string;
    /** `all`, `issuer:<issuer>` or `chain:<chain>`. */
    scope: string;
    /** US dollars as decimal strings; null: one of the expected tokens has no figure. */
    volume_usd: string | null;
    liquidity_usd: string | null;
    count: number;
    /** Tokens that should have counted. */
    expected: number;
    /** 1: a sample of the day came after these totals were made. */
    late: Generated<number>;
  };
  /** A sample that cannot be true, and why it was left out. */
  rejected_samples: {
    rejected_at: UnixSeconds;
    kind: string;
    /** The asset key or ticker. */
    subject: string;
    reason: string;
    /** JSON. */
    sample: string;
  };
  /** A span of a series that counts nowhere, retracted by an operator. */
  retractions: {
    series: string;
    /** Unix seconds; the end is exclusive. */
    from_second: number;
    to_second: number;
    reason: string;
    actor: string;
    retracted_at: UnixSeconds;
  };
  /** Seven-day medians, as the last round of the collectors found them. */
  liquidity_scores: {
    asset_key: string;
    /** 0: nobody measured it in these days; the others are null. */
    sample_n: number;
    impact_1k_bps: string | null;
    impact_10k_bps: string | null;
    /** Of the newest sample. */
    updated_at: UnixSeconds | null;
    source: string | null;
  };
  /** How requests to a provider ended in an hour. */
  provider_outcomes: {
    /** Unix seconds / 3600. */
    hour: number;
    provider: string;
    /** `ok`, or what failed. */
    kind: string;
    count: number;
    last_at: UnixSeconds;
  };
  /** How figures, listings and providers stand: a row each, as the newest round found it. */
  market_figures: {
    /** `premium`, `basis`, `listing`, `provider`. */
    kind: string;
    /** The asset key, `<venue>/<ticker>`, or the provider. */
    subject: string;
    /** `agreed`, `single`, `disputed`; of a listing `listed`, `missing`, `migrated`, `halted`; of a provider `excluded`, `counts`. */
    state: string;
    /** Since when it is so. */
    since: UnixSeconds;
    seen_at: UnixSeconds;
  };
  /** What sources announce of tokens. */
  corporate_actions: {
    id: Generated<number>;
    asset_key: string;
    /** `split`, `dividend`, `multiplier`, `migration`. */
    kind: string;
    /** Shares per token, decimal text; of a migration addresses. */
    value_before: string | null;
    value_after: string | null;
    /** Null: not told. */
    effective_at: UnixSeconds | null;
    /** First read; null: it was in effect by then. */
    announced_at: UnixSeconds | null;
    /** When it takes effect, or was first read. */
    at: UnixSeconds;
    source: string;
    raw_hash: string | null;
  };
  market_state: {
    /** `step/<kind>`: when a step of the collection was last of use; `skipped/<round>`: when a round was not begun. */
    name:
      | "raw_cleared_before"
      | "round_started_at"
      | "round_ended_at"
      | `step/${string}`
      | `skipped/${string}`;
    value: UnixSeconds;
  };
}
