/** What Prometheus reads: what this process counted, and what the database holds for all of them. */
import type { Caches } from "../chain/caches.ts";
import { nullIfAway } from "../database/errors.ts";
import { connectionsOf, type Database } from "../database/open.ts";
import { stepAges } from "../market/status.ts";
import type { Listening } from "./http/listen.ts";
import { unreadBlocks } from "./jobs/guardEvents.ts";
import { measureLog } from "./log/state.ts";
import { listenForMetrics } from "./metrics/listen.ts";
import { measureMarket } from "./metrics/market.ts";
import { type Metrics, measure } from "./metrics/metrics.ts";
import type { Service } from "./service.ts";
import { measureHeartbeats } from "./status/heartbeats.ts";

/** @returns null where the settings ask for no metrics */
export async function serveMetrics(service: Service): Promise<Listening | null> {
  const { config, newRequestId, logger: log, metrics } = service;
  if (config.metrics === null) return null;
  measureAll(service);
  return listenForMetrics({ ...config.metrics, collect: () => metrics.metrics(), newRequestId, log });
}

/** Metrics of the database have no values while it is away. */
function measureAll(service: Service): void {
  const { metrics, db, now, deployment, log, clockAheadMs } = service;
  measureDatabase(metrics, db, now);
  measureCaches(metrics, service.caches);
  measureLog(metrics, () => log.state().catch(nullIfAway), now);
  measureHeartbeats(metrics, () => service.heartbeats().catch(nullIfAway));
  measureMarket(metrics, () => service.marketStatus().catch(nullIfAway));
  measure(metrics, () => unreadBlocks(db, deployment).catch(nullIfAway), [
    {
      name: "assay_guard_unread_blocks",
      help: "Final blocks whose trades of the guard nobody has read yet.",
      samples: (blocks) => [[{}, blocks]],
    },
  ]);
  measure(metrics, async () => clockAheadMs() / 1_000, [
    {
      name: "assay_clock_ahead_seconds",
      help: "How far the clock of this process's machine is ahead of the database's; negative: behind. 0 on SQLite.",
      samples: (ahead) => [[{}, ahead]],
    },
  ]);
}

function measureDatabase(metrics: Metrics, db: Database, now: Service["now"]): void {
  // Asked anew each time, which tells whether the database answers.
  const steps = async () => ({ ages: await stepAges(db, Math.floor(now() / 1_000)).catch(nullIfAway) });
  measure(metrics, steps, [
    {
      name: "assay_database_up",
      help: "1: what the database holds could be read for this answer. 0: metrics of it have no values.",
      samples: ({ ages }) => [[{}, ages === null ? 0 : 1]],
    },
    {
      name: "assay_collector_step_age_seconds",
      help: "Seconds since a step of the collection was last of use, in whichever process.",
      labelNames: ["step"],
      samples: ({ ages }) => [...(ages ?? [])].map(([step, age]) => [{ step }, age]),
    },
  ]);
  measure(metrics, async () => connectionsOf(db), [
    {
      name: "assay_database_connections",
      help: "Connections of this process by state: used, idle. On SQLite the one that writes.",
      labelNames: ["state"],
      samples: ({ used, idle }) => [
        [{ state: "used" }, used],
        [{ state: "idle" }, idle],
      ],
    },
    {
      name: "assay_database_waiting",
      help: "Callers in this process that wait for a connection; on SQLite for their turn to write.",
      samples: ({ waiting }) => [[{}, waiting]],
    },
  ]);
}

function measureCaches(metrics: Metrics, caches: Caches): void {
  measure(metrics, async () => caches.held(), [
    {
      name: "assay_cache_bytes",
      help: "Bytes of memory that a cache of this process keeps alive.",
      labelNames: ["cache"],
      samples: (held) => held.map(({ cache, bytes }) => [{ cache }, bytes]),
    },
    {
      name: "assay_cache_entries",
      help: "Entries of a cache of this process.",
      labelNames: ["cache"],
      samples: (held) => held.map(({ cache, entries }) => [{ cache }, entries]),
    },
  ]);
}
