/** Lets old jobs go in the background: of several processes on one database, in one of them. */
import type { UnixMs } from "../../attestor/time.ts";
import type { Database } from "../../database/open.ts";
import { acquireLease, releaseLease } from "../../market/collect/lease.ts";
import type { JobRetention } from "../settings/retention.ts";
import { type Repeated, repeat } from "./repeat.ts";
import { clearOldJobs } from "./retention.ts";

const ROUND_EVERY_MS = 600_000;
/** A round takes seconds. */
const LEASE_MS = 2 * ROUND_EVERY_MS;

export interface RetentionDeps {
  readonly db: Database;
  readonly retention: JobRetention;
  /** Tells this process from others on the database. */
  readonly holder: string;
  readonly clock: () => UnixMs;
  readonly log: {
    info(details: object, message: string): void;
    warn(details: object, message: string): void;
  };
}

/** Starts at once. */
export function startRetention({ db, retention, holder, clock, log }: RetentionDeps): Pick<Repeated, "stop"> {
  const lease = { db, name: "retention", holder, ttlMs: LEASE_MS, now: clock };
  const rounds = repeat(async () => {
    try {
      if (!(await acquireLease(lease))) return;
      const gone = await clearOldJobs(db, retention, Math.floor(clock() / 1000));
      if (Object.values(gone).some((count) => count > 0)) log.info(gone, "old jobs and payments deleted");
    } catch (error) {
      log.warn({ err: error }, "old jobs could not be deleted; will try again");
    }
  }, ROUND_EVERY_MS);
  return {
    async stop() {
      await rounds.stop();
      await releaseLease(lease).catch(() => {});
    },
  };
}
