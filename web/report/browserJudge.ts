/** The judge of the pages: a worker of the service's own, or parts of the work between two frames. */
import { after, secondsNow } from "../browser.ts";
import { createJudge, type Judge } from "./judge.ts";

export function browserJudge(): Judge {
  return createJudge({
    openWorker: () => new Worker(new URL("./worker.ts", import.meta.url), { type: "module" }),
    // Loaded only where there is no worker.
    parts: async (question) => (await import("./judging.ts")).judging(question),
    now: secondsNow,
    after,
  });
}
