/** What Prometheus reads: what this process counted, and what the database holds for all of them. */
import { nullIfAway } from "../database/errors.ts";
import { connectionsOf } from "../database/open.ts";
import { stepAges } from "../market/status.ts";
import type { Listening } from "./http/listen.ts";
import { logFamilies } from "./log/state.ts";
import { expositionOf, gaugeFor } from "./metrics/instruments.ts";
import { listenForMetrics } from "./metrics/listen.ts";
import { marketFamilies } from "./metrics/market.ts";
import { unreadBlocks, unreadFamily } from "./published/followProgress.ts";
import type { Service } from "./service.ts";
import { heartbeatFamilies } from "./status/heartbeats.ts";

/** @returns null where the settings ask for no metrics */
export async function serveMetrics(service: Service): Promise<Listening | null> {
  const { config, newRequestId, logger: log } = service;
  if (config.metrics === null) return null;
  return listenForMetrics({ ...config.metrics, collect: () => measurements(service), newRequestId, log });
}

/** Metrics of the database have no values while it is away. */
async function measurements(service: Service): Promise<string> {
  const { db, now, watches, clockAheadMs } = service;
  const [payments, log, heartbeats, unread, market, steps] = await Promise.all([
    service.paymentMetrics.families(),
    service.log.state().catch(nullIfAway),
    service.heartbeats().catch(nullIfAway),
    unreadBlocks(db, service.deployment).catch(nullIfAway),
    service.marketStatus().catch(nullIfAway),
    // Asked anew each time, which tells whether the database answers.
    stepAges(db, Math.floor(now() / 1_000)).catch(nullIfAway),
  ]);
  return expositionOf([
    ...watches.families(connectionsOf(db)),
    gaugeFor("assay_database_up", [[{}, steps === null ? 0 : 1]]),
    ...payments,
    ...logFamilies(log, now()),
    ...heartbeatFamilies(heartbeats ?? []),
    unreadFamily(unread),
    ...marketFamilies(market, steps ?? undefined),
    gaugeFor("assay_clock_ahead_seconds", [[{}, clockAheadMs() / 1_000]]),
  ]);
}
