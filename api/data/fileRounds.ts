/** Makes daily files in the background. */
import { type Repeated, repeat } from "../repeat.ts";
import { type FileDeps, makeFiles } from "./dayFiles.ts";

const ROUND_EVERY_MS = 15_000;

export interface FileRoundsDeps extends FileDeps {
  readonly log: {
    info(details: object, message: string): void;
    warn(details: object, message: string): void;
  };
}

/** Starts at once. */
export function startFiles(deps: FileRoundsDeps): Pick<Repeated, "stop"> {
  return repeat(async () => {
    try {
      const made = await makeFiles(deps);
      if (made > 0) deps.log.info({ made }, "daily files were made");
    } catch (error) {
      deps.log.warn({ err: error }, "daily files could not be made; will try again");
    }
  }, ROUND_EVERY_MS);
}
