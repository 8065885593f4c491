/** Publishes the market in the background: seals hours, then makes the daily files of what is sealed. */
import { type SealDeps, sealHours } from "../../market/series/sealing.ts";
import { addPointsEntry } from "../log/entries.ts";
import type { Logger } from "../metrics/logger.ts";
import { type Repeated, repeat } from "../repeat.ts";
import { type FileDeps, makeFiles } from "./dayFiles.ts";

const ROUND_EVERY_MS = 15_000;

export interface PublishRoundsDeps extends FileDeps {
  readonly log: Pick<Logger, "info" | "warn">;
}

/** Starts at once. */
export function startPublishing(deps: PublishRoundsDeps): Pick<Repeated, "stop"> {
  let ending = false;
  const sealing: SealDeps = { ...deps, addEntry: addPointsEntry, isEnding: () => ending };
  const rounds = repeat(async () => {
    try {
      const sealed = await sealHours(sealing);
      // Files are of what is sealed: after a long backlog, not between.
      const made = ending ? 0 : await makeFiles(deps);
      if (sealed + made > 0) deps.log.info({ sealed, made }, "hours were sealed, or daily files made");
    } catch (error) {
      deps.log.warn({ err: error }, "hours or daily files could not be published; will try again");
    }
  }, ROUND_EVERY_MS);
  return {
    stop: () => {
      ending = true;
      return rounds.stop();
    },
  };
}
