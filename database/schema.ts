/**
 * The tables, as both engines hold them. Portable by design: text for JSON and decimals, integers for
 * times and flags. A table that is added has its type here.
 */

import type { Generated } from "kysely";

/** Milliseconds since 1970-01-01T00:00:00Z. */
type UnixMs = number;
/** Seconds since 1970-01-01T00:00:00Z. */
type UnixSeconds = number;

export interface Schema {
  /** A key of the HTTP APIs. The key itself is never stored. */
  api_keys: {
    id: string;
    /** SHA-256 of the key's UTF-8 bytes, lower-case hexadecimal. */
    digest: string;
    name: string;
    email: string;
    purpose: string;
    state: "pending" | "active" | "revoked";
    /** Requests a minute; null: the default of the service. */
    limit_per_minute: number | null;
    created_at: UnixMs;
    updated_at: UnixMs;
  };
  /** What happened to a key, who did it and when. Rows are only ever added. */
  api_key_events: {
    id: string;
    key_id: string;
    actor: string;
    action: "applied" | "approved_automatically" | "created" | "approved" | "revoked" | "limit_set";
    /** A word more, such as the new limit. */
    detail: string | null;
    at: UnixMs;
  };
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
  /** A fixed-intent verification task. It belongs to an API key, or to the bearer of its token. */
  jobs: {
    id: string;
    key_id: string | null;
    /** SHA-256 of the job token, for jobs that were made without a key. */
    token_digest: string | null;
    client_request_id: string;
    /** Hash of the intent, to tell a repeated request from another one under the same id. */
    request_hash: string;
    /** JSON. */
    intent: string;
    /** Of the intent's policy. */
    policy_version: number;
    created_at: UnixSeconds;
    expires_at: number;
    /** Version of the newest report. */
    last_version: number;
    /** 1: it was paid for or executed, as retention found out when it was old enough to go otherwise. */
    sold: Generated<0 | 1>;
  };
  reports: {
    job_id: string;
    version: number;
    kind: "initial" | "prepare";
    decision: "ALLOW" | "DENY";
    evidence_hash: string;
    created_at: UnixSeconds;
    /** The report, JSON. */
    body: string;
    /** What prepare-execution returned beside it, JSON; null where nothing was authorized. */
    execution: string | null;
    /** Unix seconds after which the prepared trade can no longer be executed. */
    deadline: number | null;
    /** SHA-256 of the token by which `/sign` opens what was prepared; null where nothing was. */
    sign_digest: string | null;
    /** What its evidence names: a row of `proofs`, and one of `sample_batches`; null: none. */
    proofs_hash: Generated<string | null>;
    samples_root: Generated<string | null>;
  };
  /** Proofs of the state that reports of a block rest on; see `attestor/proofs/stateProofs.ts`. */
  proofs: {
    /** keccak256 of their canonical JSON. */
    hash: string;
    /** As `api/jobs/packed.ts` packs it. */
    body: string;
  };
  /** The samples that a liquidity grade was computed from; see `attestor/evidence/samples.ts`. */
  sample_batches: {
    /** keccak256 of the batch's canonical JSON. */
    root: string;
    asset_key: string;
    /** As `api/jobs/packed.ts` packs it. */
    body: string;
  };
  /** The prepare limit: each slot of a job can be taken once in the window. */
  prepare_slots: {
    job_id: string;
    slot: number;
    taken_at_ms: UnixMs;
    /** The process whose call is under way, as `api/settings/processIdentity.ts` names it; null: none, or not known. */
    owner: Generated<string | null>;
    /** Unix milliseconds until which the slot is lent to a call that is under way; null: none is. */
    lent_until_ms: Generated<number | null>;
    /** Of the report that was judged under it and is not certified yet; null: none, or the call has come to its end. */
    version: Generated<number | null>;
  };
  executions: {
    id: string;
    job_id: string;
    transaction_hash: string;
    report_version: number | null;
    state: "submitted" | "confirmed" | "reverted" | "mismatched" | "dropped";
    /** JSON. */
    confirmed: string | null;
    reason: string | null;
    submitted_at: UnixSeconds;
    /** Unix milliseconds of the watcher's next look; null when nothing can change any more. */
    next_look_at: number | null;
    /** The order of inspection, lowest first: see `api/jobs/lookOrder.ts`. */
    look_rank: Generated<number>;
    /** The API key that submitted it; null: a job token. */
    key_id: Generated<string | null>;
  };
  /** Transactions in which the guard carried out a trade, so that a submission that comes later is known at once. */
  guard_trades: { transaction_hash: string; seen_at: UnixSeconds };
  /** What was scheduled of a guard, by events in final blocks. Rows are only ever added. */
  scheduled_operations: {
    chain_id: number;
    guard: string;
    transaction_hash: string;
    log_index: number;
    /** Caller, target and data, as JSON. */
    operation: string;
  };
  /** Evidence that anybody may read: its trade was carried out, in a block that is final. */
  public_evidence: {
    evidence_hash: string;
    job_id: string;
    version: number;
  };
  /** What evidence names by hash, as canonical JSON: every one that this service ever used. Rows are only ever added. */
  definitions: {
    /** keccak256 of the body's UTF-8 bytes. */
    hash: string;
    kind: "registry" | "policy";
    body: string;
  };
  /** What a `rawHash` of evidence commits to. */
  raw_answers: {
    /** keccak256 of the answer's bytes. */
    hash: string;
    /** The bytes, Brotli, base64. */
    body: string;
    /** Unix seconds, as the newest judgement that it was kept for. */
    kept_at: number;
  };
  /** How far events were followed, by what is followed. */
  chain_cursors: {
    name: string;
    /** The last block that was read. */
    block: number;
  };
  /** What a job costs, frozen when it was made in the paid phase. A job without terms is free. */
  payment_terms: {
    job_id: string;
    /** The payment requirements to choose from, JSON. */
    accepts: string;
    created_at: UnixSeconds;
  };
  /** One authorization of a buyer's (network, asset, payer, nonce) and what became of it. */
  payments: {
    /** CAIP-2, such as `eip155:56`. */
    network: string;
    /** The token, EIP-55. */
    asset: string;
    /** The signer, EIP-55. */
    payer: string;
    /** 32 bytes, lower-case hexadecimal. */
    nonce: string;
    job_id: string;
    state: "settling" | "settled" | "expired";
    /** Raw units, decimal. */
    amount: string;
    pay_to: string;
    /** Unix seconds of block time from which on the token refuses the authorization. */
    valid_before: number;
    /** What the buyer sent, JSON; to settle it again. Never shown, never logged. */
    payload: string;
    /** The requirements that it fulfils, JSON. */
    requirements: string;
    /** Block at which the nonce was seen unused, before this row was written. */
    unused_at_block: number;
    created_at: UnixSeconds;
    /** How often it was sent to the facilitator. */
    attempts: number;
    /** Unix milliseconds until which one attempt has it to itself; 0: none is under way. */
    attempt_until: number;
    /** Which process has it, as `api/settings/processIdentity.ts` names it; null: none, or not known. */
    attempt_owner: Generated<string | null>;
    /** Unix milliseconds of the reconciler's next look. */
    next_look_at: number;
    /** Our own name for what went wrong last. */
    fault: string | null;
    transaction_hash: string | null;
    block_number: number | null;
    block_hash: string | null;
    settled_at: UnixSeconds | null;
    /** Unix seconds of the first answer with the report that was sent whole. */
    released_at: number | null;
  };
  /** What an operator pays back for a settled payment, all of it, and what became of it. */
  refunds: {
    /** These four name the payment. */
    network: string;
    asset: string;
    payer: string;
    nonce: string;
    job_id: string;
    /** `confirmed`: the chain has its transfer. */
    state: "proposed" | "confirmed";
    /** Raw units, decimal: those of the payment. */
    amount: string;
    /** Whose transfer it is, or shall be; EIP-55. */
    sender: string;
    /** Transfers of blocks before this one are none of it. */
    from_block: number;
    /** The operator. */
    actor: string;
    reason: string | null;
    /** Unix seconds. */
    created_at: number;
    transaction_hash: string | null;
    block_number: number | null;
    /** Of the `Transfer` within its block. */
    log_index: number | null;
    /** Unix seconds at which it was seen deep enough. */
    confirmed_at: number | null;
  };
  /** Which purchase answers for another payment of the same payer for the same body. */
  body_purchases: {
    /** EIP-55; of a contract wallet behind its network, as CAIP-10. */
    payer: string;
    /** As `request_hash` of the job. */
    intent_hash: string;
    /** The buyer's own name for it; empty: none. */
    identifier: string;
    job_id: string;
    created_at: UnixSeconds;
    /** Unix seconds until which it answers for payments without an identifier. */
    answers_until: number;
    /** Unix seconds until which nobody else can take the row. */
    expires_at: number;
  };
  /** Bearer tokens of a job that was bought without a key: one of each payment that was answered by it. */
  job_tokens: {
    /** SHA-256, lower-case hexadecimal. */
    digest: string;
    job_id: string;
    created_at: UnixMs;
  };
  /** How many nonces were handed out for an owner. */
  owner_nonces: { owner: string; next: number };
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
  /** Which process does a work that one alone may do. */
  leases: {
    name: string;
    /** Empty: nobody. */
    holder: string;
    /** Grows by one with each new holder. */
    epoch: number;
    /** 0: it was given back. */
    expires_at_ms: UnixMs;
    /** When its last holder was heard of last; 0: it never had one. */
    renewed_at_ms: UnixMs;
    /** Why a process that looked at it, while nobody had it, could not do the work; null: none said so. */
    fault: Generated<string | null>;
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
  /** One row that is written over and over, to see whether writing works. */
  write_probe: {
    id: number;
    written_at: UnixMs;
    /** As much as a job takes, to detect a disk with room for less. */
    filler: string;
  };
  /** The decision log: one row, from when it begins. */
  log_tree: {
    id: 1;
    /** Its name, the first line of its checkpoints. */
    origin: string;
    /** Entries that have a place in the tree. */
    size: number;
    /** Of the newest checkpoint; 0: there is none. */
    signed_size: number;
    /** The newest, as the log signed it. */
    checkpoint: string | null;
    signed_at: UnixMs | null;
    /** Of the newest checkpoint that witnesses cosigned. */
    cosigned_size: number;
    cosigned: string | null;
    /** Why it is signed and added to no more, for good: what was signed contradicts the tree. */
    refused: string | null;
    created_at: UnixMs;
  };
  /** Entries without a place in a tree yet, each stored with its report. */
  log_waiting: {
    id: Generated<number>;
    /** The leaf: canonical JSON. */
    entry: string;
    /** The first 48 bits of the evidence's hash, to find the entry by. */
    evidence_key: number;
  };
  /** Rows are only ever added. */
  log_entries: {
    /** Index of the leaf. */
    position: number;
    entry: string;
    evidence_key: number;
  };
  /** Hashes of whole subtrees of 256 ** level leaves, as tiles have them. Rows are only ever added. */
  log_nodes: {
    level: number;
    position: number;
    /** Base64. */
    hash: string;
  };
  /** What each migration says of programs that do not know it (`database/compatibility.ts`). */
  migration_compatibility: { migration: string; older_programs: "work" | "refused"; because: string };
}

export type LogTreeTable = Schema["log_tree"];
