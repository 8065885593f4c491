/** The questions of /readyz, which `assay check-live` asks before a start. */
import type { UnixMs } from "../../attestor/values/time.ts";
import type { Database } from "../../database/open.ts";
import { probeWriting } from "../../database/probe.ts";
import type { Probes } from "./health.ts";

/** @param chain answers when its node is there and serves the right chain */
export function probesOf(db: Database, chain: { probe(): Promise<void> }, now: () => UnixMs): Probes {
  return { database: () => probeWriting(db, now()), chain: () => chain.probe() };
}
