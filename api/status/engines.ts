/** The engines beside the database that a service may do without: its read replica, and Redis. */
import type { ReplicaStatus } from "../../database/replica/reads.ts";
import type { CountsState, RedisCounts } from "../http/redisCounts.ts";
import { counterFor, type Family, gaugeFor } from "../metrics/instruments.ts";

export interface EngineStatus {
  /** null: `DATABASE_READ_URL` is not set. */
  readonly readReplica: ReplicaStatus | null;
  /** null: `REDIS_URL` is not set. */
  readonly limits: CountsState | null;
}

/** What is measured of limits; of those that are not counted in Redis, nothing is counted for want of it. */
export function limitFamilies(redis: Pick<RedisCounts, "state" | "localCounts"> | null): Family[] {
  const local = counterFor("assay_limits_local_total");
  if (redis !== null) local.inc(redis.localCounts());
  const isShared = redis?.state().counts === "shared";
  return [gaugeFor("assay_limits_shared", redis === null ? [] : [[{}, isShared ? 1 : 0]]), local];
}

/** What is measured of a read replica; no values where there is none. */
export function replicaFamilies(status: ReplicaStatus | null): Family[] {
  const { state, lagMs, reads } = status ?? { state: null, lagMs: null, reads: null };
  const isUsed = state === "used" || state === "primary_away";
  return [
    gaugeFor("assay_read_replica_used", state === null ? [] : [[{}, isUsed ? 1 : 0]]),
    gaugeFor("assay_read_replica_state", state === null ? [] : [[{ state }, 1]]),
    gaugeFor("assay_read_replica_lag_seconds", lagMs === null ? [] : [[{}, lagMs / 1_000]]),
    gaugeFor(
      "assay_data_reads",
      reads === null
        ? []
        : [
            [{ server: "replica" }, reads.replica],
            [{ server: "primary" }, reads.primary],
          ],
    ),
    gaugeFor("assay_data_reads_failed_over", reads === null ? [] : [[{}, reads.failedOver]]),
  ];
}
