/** Publishes the market in the background: seals hours. */

import type { UnixMs } from "../../attestor/values/time.ts";
import type { Database } from "../../database/open.ts";
import { type SealDeps, sealHours } from "../../market/series/sealing.ts";
import { addPointsEntry } from "../log/entries.ts";
import type { Logger } from "../metrics/logger.ts";
import { type Repeated, repeat } from "../repeat.ts";

const ROUND_EVERY_MS = 15_000;

export interface PublishRoundsDeps {
  readonly db: Database;
  now(): UnixMs;
  readonly log: Pick<Logger, "info" | "warn">;
}

/** Starts at once. */
export function startPublishing(deps: PublishRoundsDeps): Pick<Repeated, "stop"> {
  let ending = false;
  const sealing: SealDeps = { ...deps, addEntry: addPointsEntry, isEnding: () => ending };
  const rounds = repeat(async () => {
    try {
      const sealed = await sealHours(sealing);
      if (sealed > 0) deps.log.info({ sealed }, "hours were sealed");
    } catch (error) {
      deps.log.warn({ err: error }, "hours could not be published; will try again");
    }
  }, ROUND_EVERY_MS);
  return {
    stop: () => {
      ending = true;
      return rounds.stop();
    },
  };
}
