/** Lets old jobs go in the background. */
import type { UnixMs } from "../../attestor/values/time.ts";
import type { Database } from "../../database/open.ts";
import { type Repeated, repeat } from "../repeat.ts";
import type { JobRetention } from "../settings/retention.ts";
import { clearOldJobs } from "./retention.ts";

const ROUND_EVERY_MS = 600_000;

export interface RetentionDeps {
  readonly db: Database;
  readonly retention: JobRetention;
  readonly clock: () => UnixMs;
  readonly log: {
    info(details: object, message: string): void;
    warn(details: object, message: string): void;
  };
}

/** Starts at once. */
export function startRetention({ db, retention, clock, log }: RetentionDeps): Pick<Repeated, "stop"> {
  return repeat(async () => {
    try {
      const gone = await clearOldJobs(db, retention, Math.floor(clock() / 1000));
      if (Object.values(gone).some((count) => count > 0)) log.info(gone, "old jobs and payments deleted");
    } catch (error) {
      log.warn({ err: error }, "old jobs could not be deleted; will try again");
    }
  }, ROUND_EVERY_MS);
}
