/** When each task of the background was heard of last, whichever process does it. */
import type { UnixMs } from "../../attestor/values/time.ts";
import type { Database } from "../../database/open.ts";
import { type Metrics, measure } from "../metrics/metrics.ts";

/** A lease is renewed every second, and another process takes over within five. */
const AWAY_SECONDS = 10;

export interface Heartbeat {
  /** `collector`, `log-publisher`, `reconciler`, `retention`, `watcher`. */
  readonly task: string;
  /** Seconds since the process that does it, or did it last, renewed its lease; null: nobody ever did. */
  readonly heartbeatAgo: number | null;
}

/** @param tasks those that somebody has to do. @throws DatabaseUnavailable */
export async function heartbeatsOf(
  db: Database,
  tasks: readonly string[],
  now: UnixMs,
): Promise<Heartbeat[]> {
  if (tasks.length === 0) return [];
  const rows = await db
    .selectFrom("leases")
    .select(["name", "renewed_at_ms"])
    .where("name", "in", tasks)
    .where("renewed_at_ms", ">", 0)
    .execute();
  const seen = new Map(rows.map(({ name, renewed_at_ms }) => [name, renewed_at_ms]));
  return [...tasks].sort().map((task) => {
    const at = seen.get(task);
    return { task, heartbeatAgo: at === undefined ? null : Math.max(0, Math.floor((now - at) / 1_000)) };
  });
}

export function isAway({ heartbeatAgo }: Heartbeat): boolean {
  return heartbeatAgo === null || heartbeatAgo > AWAY_SECONDS;
}

/** What operators measure of them. */
export function measureHeartbeats(metrics: Metrics, read: () => Promise<readonly Heartbeat[] | null>): void {
  measure(metrics, read, [
    {
      name: "assay_task_heartbeat_age_seconds",
      help: "Since the process that does a background task was heard of; no value: never.",
      labelNames: ["task"],
      samples: (heartbeats) =>
        heartbeats.flatMap(({ task, heartbeatAgo }) =>
          heartbeatAgo === null ? [] : [[{ task }, heartbeatAgo] as const],
        ),
    },
    {
      name: "assay_task_away",
      help: "1: no process does this task, by a heartbeat older than ten seconds, or none.",
      labelNames: ["task"],
      samples: (heartbeats) =>
        heartbeats.map((heartbeat) => [{ task: heartbeat.task }, isAway(heartbeat) ? 1 : 0]),
    },
  ]);
}
