/** What a backup holds: every table, each after those that it refers to. */
import type { Schema } from "../schema.ts";

export const BACKUP_TABLES = [
  "api_keys",
  "api_key_events",
  "impact_samples",
  "jobs",
  "proofs",
  "sample_batches",
  "reports",
  "prepare_slots",
  "executions",
  "guard_trades",
  "guard_changes",
  "public_evidence",
  "definitions",
  "raw_answers",
  "chain_cursors",
  "owner_nonces",
  "payment_terms",
  "payments",
  "body_purchases",
  "job_tokens",
  "sign_ins",
  "refunds",
  "series",
  "origins",
  "hour_buckets",
  "raw_samples",
  "volume_days",
  "daily_totals",
  "rejected_samples",
  "strikes",
  "liquidity_scores",
  "market_state",
  "log_shards",
  "log_waiting",
  "log_entries",
  "log_nodes",
  "status_days",
  "status_parts",
] as const satisfies readonly (keyof Schema)[];

export type BackupTable = (typeof BACKUP_TABLES)[number];

/**
 * Of no use after a restore: who is at work right now, how often somebody asked in this minute, and how providers
 * answered and were asked lately.
 */
export const LEFT_OUT = [
  "leases",
  "rate_limits",
  "provider_outcomes",
  "provider_slots",
  "write_probe",
  "migration_compatibility",
  "kysely_migration",
  "kysely_migration_lock",
] as const;

/** What a migration itself puts a row into; a restore puts the backup's in its place. */
export const SEEDED = ["market_state"] as const satisfies readonly BackupTable[];

/** Tables whose numbers PostgreSQL hands out; it has to be told where a restored one ends. */
export const NUMBERED = ["series", "origins", "log_waiting"] as const satisfies readonly BackupTable[];

export type Row = Readonly<Record<string, string | number | null>>;

export interface BackupRow {
  readonly table: BackupTable;
  readonly row: Row;
}
