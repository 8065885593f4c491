/**
 * The types of the tables: the service's here, the market's in marketTables.ts. What each column means, and what the
 * database itself checks, is in baseline.sql. A table that is added has its type here or there.
 */
import type { Generated } from "kysely";
import type { MarketTables } from "./marketTables.ts";

/** Milliseconds since 1970-01-01T00:00:00Z. */
type UnixMs = number;
/** Seconds since 1970-01-01T00:00:00Z. */
type UnixSeconds = number;

export type Schema = ServiceTables & MarketTables;

interface ServiceTables {
  api_keys: {
    id: string;
    digest: string;
    name: string;
    email: string;
    purpose: string;
    state: "pending" | "active" | "revoked";
    limit_per_minute: number | null;
    created_at: UnixMs;
    updated_at: UnixMs;
  };
  api_key_events: {
    id: string;
    key_id: string;
    actor: string;
    action: "applied" | "approved_automatically" | "created" | "approved" | "revoked" | "limit_set";
    detail: string | null;
    at: UnixMs;
  };
  jobs: {
    id: string;
    key_id: string | null;
    token_digest: string | null;
    client_request_id: string;
    request_hash: string;
    intent: string;
    policy_version: number;
    created_at: UnixSeconds;
    expires_at: UnixSeconds;
    last_version: number;
    sold: Generated<0 | 1>;
  };
  reports: {
    job_id: string;
    version: number;
    kind: "initial" | "prepare";
    decision: "ALLOW" | "DENY";
    evidence_hash: string;
    created_at: UnixSeconds;
    body: string;
    execution: string | null;
    deadline: UnixSeconds | null;
    sign_digest: string | null;
    proofs_hash: Generated<string | null>;
    samples_root: Generated<string | null>;
  };
  proofs: {
    hash: string;
    body: string;
  };
  executions: {
    id: string;
    job_id: string;
    transaction_hash: string;
    report_version: number | null;
    state: "submitted" | "confirmed" | "reverted" | "mismatched" | "dropped";
    confirmed: string | null;
    reason: string | null;
    submitted_at: UnixSeconds;
    next_look_at: UnixMs | null;
    key_id: Generated<string | null>;
  };
  public_evidence: {
    evidence_hash: string;
    job_id: string;
    version: number;
  };
  definitions: {
    hash: string;
    kind: "registry" | "policy";
    body: string;
  };
  chain_cursors: {
    name: string;
    block: number;
  };
  payment_terms: {
    job_id: string;
    accepts: string;
    created_at: UnixSeconds;
  };
  payments: {
    network: string;
    asset: string;
    payer: string;
    nonce: string;
    job_id: string;
    state: "settling" | "settled" | "expired";
    amount: string;
    pay_to: string;
    valid_before: UnixSeconds;
    payload: string;
    requirements: string;
    unused_at_block: number;
    created_at: UnixSeconds;
    attempts: number;
    attempt_until: UnixMs;
    attempt_owner: Generated<string | null>;
    next_look_at: UnixMs;
    fault: string | null;
    transaction_hash: string | null;
    block_number: number | null;
    block_hash: string | null;
    log_index: Generated<number | null>;
    settled_at: UnixSeconds | null;
    released_at: UnixSeconds | null;
  };
  refunds: {
    network: string;
    asset: string;
    payer: string;
    nonce: string;
    job_id: string;
    state: "proposed" | "confirmed";
    amount: string;
    sender: string;
    from_block: number;
    actor: string;
    reason: string | null;
    created_at: UnixSeconds;
    transaction_hash: string | null;
    block_number: number | null;
    log_index: number | null;
    confirmed_at: UnixSeconds | null;
  };
  body_purchases: {
    payer: string;
    intent_hash: string;
    identifier: string;
    job_id: string;
    created_at: UnixSeconds;
    answers_until: UnixSeconds;
    expires_at: UnixSeconds;
  };
  job_tokens: {
    digest: string;
    job_id: string;
    created_at: UnixMs;
  };
  owner_nonces: { owner: string; next: number };
  leases: {
    name: string;
    holder: string;
    epoch: number;
    expires_at_ms: UnixMs;
    renewed_at_ms: UnixMs;
    fault: Generated<string | null>;
  };
  write_probe: {
    id: number;
    written_at: UnixMs;
    filler: string;
  };
  log_tree: {
    id: 1;
    origin: string;
    size: number;
    signed_size: number;
    checkpoint: string | null;
    signed_at: UnixMs | null;
    cosigned_size: number;
    cosigned: string | null;
    refused: string | null;
    created_at: UnixMs;
  };
  log_waiting: {
    id: Generated<number>;
    entry: string;
    evidence_key: number;
  };
  log_withheld: {
    job_id: string;
    entry: string;
    evidence_key: number;
  };
  log_entries: {
    position: number;
    entry: string;
    evidence_key: number;
  };
  log_nodes: {
    level: number;
    position: number;
    hash: string;
  };
  migration_compatibility: { migration: string; older_programs: "work" | "refused"; because: string };
}

export type LogTreeTable = Schema["log_tree"];
