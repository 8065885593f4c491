/** What primary and replica say of themselves. */
import { type CompiledQuery, sql } from "kysely";
import type { Database } from "../open.ts";
import { positionOf } from "./lag.ts";

/** Which data a server has: the same cluster, database and timeline have one history. */
export interface History {
  /** PostgreSQL's own name of the cluster, which its replicas share. */
  readonly cluster: string;
  readonly database: string;
  /** Counts promotions. */
  readonly timeline: number;
}

export interface PrimaryView extends History {
  readonly position: bigint;
}

export interface ReplicaView extends History {
  /** null: it follows nobody, being a primary itself. */
  readonly replayed: bigint | null;
}

interface Row {
  readonly cluster: string;
  readonly database: string;
  readonly timeline: number;
  readonly position: string | null;
}

const WHO = sql`(select system_identifier::text from pg_control_system()) as cluster, current_database() as database`;

/** @throws DatabaseUnavailable, or the server's error where it is no primary itself */
export async function lookAtPrimary(db: Database): Promise<PrimaryView> {
  // The first eight characters of a segment's name are the timeline.
  const row = await only(
    db,
    sql<Row>`select ${WHO}, pg_current_wal_lsn()::text as position,
      ('x' || left(pg_walfile_name(pg_current_wal_lsn()), 8))::bit(32)::int as timeline`.compile(db),
  );
  return { ...historyOf(row), position: positionOf(row.position ?? "") };
}

/** @throws DatabaseUnavailable */
export async function lookAtReplica(db: Database): Promise<ReplicaView> {
  // A role without access to the receiver's view gets the last checkpoint's timeline, which may be too old but never
  // too new.
  const row = await only(
    db,
    sql<Row>`select ${WHO},
      case when pg_is_in_recovery() then pg_last_wal_replay_lsn()::text end as position,
      coalesce((select received_tli from pg_stat_wal_receiver),
        (select timeline_id from pg_control_checkpoint())) as timeline`.compile(db),
  );
  return { ...historyOf(row), replayed: row.position === null ? null : positionOf(row.position) };
}

async function only(db: Database, query: CompiledQuery<Row>): Promise<Row> {
  const [row] = (await db.executeQuery<Row>(query)).rows;
  if (row === undefined) throw new Error("the server said nothing of itself");
  return row;
}

const historyOf = ({ cluster, database, timeline }: Row): History => ({ cluster, database, timeline });
