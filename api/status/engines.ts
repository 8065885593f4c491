/** The engines beside the database that a service may do without: its read replica, and Redis. */
import type { ReplicaStatus } from "../../database/replica/reads.ts";
import type { CountsState } from "../http/redisCounts.ts";
import { type Family, gaugeOf } from "../metrics/instruments.ts";

export interface EngineStatus {
  /** null: `DATABASE_READ_URL` is not set. */
  readonly readReplica: ReplicaStatus | null;
  /** null: `REDIS_URL` is not set. */
  readonly limits: CountsState | null;
}

/** What is measured of a read replica; nothing where there is none. */
export function replicaFamilies(status: ReplicaStatus | null): Family[] {
  if (status === null) return [];
  const { state, lagMs, reads } = status;
  return [
    gaugeOf("assay_read_replica_used", "1 while the data API reads the replica.", [
      [{}, state === "used" || state === "primary_away" ? 1 : 0],
    ]),
    gaugeOf("assay_read_replica_state", "1 for the state of the read replica.", [[{ state }, 1]]),
    gaugeOf(
      "assay_read_replica_lag_seconds",
      "At most so long ago was what the replica shows current; absent while nobody knows.",
      lagMs === null ? [] : [[{}, lagMs / 1_000]],
    ),
    gaugeOf("assay_data_reads", "Answers of the data API since the start, by the server that was read.", [
      [{ server: "replica" }, reads.replica],
      [{ server: "primary" }, reads.primary],
    ]),
    gaugeOf(
      "assay_data_reads_failed_over",
      "Answers since the start that the replica failed and the primary gave.",
      [[{}, reads.failedOver]],
    ),
  ];
}
