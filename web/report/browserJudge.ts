/** The judge of the pages, in a worker of the service's own. */
import { after, secondsNow } from "../browser.ts";
import { createJudge, type Judge } from "./judge.ts";

export function browserJudge(): Judge {
  return createJudge({
    openWorker: () => new Worker(new URL("./worker.ts", import.meta.url), { type: "module" }),
    // Loaded only where there is no worker.
    judgeHere: async (question) => (await import("./judging.ts")).judge(question),
    now: secondsNow,
    after,
  });
}
