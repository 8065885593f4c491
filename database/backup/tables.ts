/** What a backup holds: every table, each after those that it refers to. */
import type { Schema } from "../schema.ts";
import TABLES from "./tables.json" with { type: "json" };

/**
 * Of no use after a restore: who is at work right now, how often somebody asked in this minute, and how providers
 * answered lately.
 */
export const LEFT_OUT = [
  "leases",
  "rate_limits",
  "provider_outcomes",
  "write_probe",
  "migration_compatibility",
  "kysely_migration",
  "kysely_migration_lock",
] as const;

export type BackupTable = Exclude<keyof Schema, (typeof LEFT_OUT)[number]>;

export const BACKUP_TABLES = TABLES as readonly BackupTable[];

/** What a migration itself puts a row into; a restore puts the backup's in its place. */
export const SEEDED = ["market_state"] as const satisfies readonly BackupTable[];

/** Tables whose numbers PostgreSQL assigns; a restore must set where each sequence continues. */
export const NUMBERED = [
  "series",
  "origins",
  "corporate_actions",
  "log_waiting",
] as const satisfies readonly BackupTable[];

export type Row = Readonly<Record<string, string | number | null>>;

export interface BackupRow {
  readonly table: BackupTable;
  readonly row: Row;
}
