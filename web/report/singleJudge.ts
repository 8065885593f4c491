/**
 * The judge of a page that is one file: the worker is made of the page's own script, which is program and worker in one.
 * Where the host or the browser allows no such worker, the work is done in parts.
 */
import { after, secondsNow } from "../browser.ts";
import { createJudge, type Judge } from "./judge.ts";
import { judging } from "./judging.ts";
import { serve } from "./serve.ts";

/** Whether this is the worker, which then serves. */
export function servesAsWorker(): boolean {
  if (typeof document !== "undefined") return false;
  serve(self);
  return true;
}

/** A new worker of the page's own script. Pages off a disk may have no module workers, so it is none. */
function ownWorker(): Worker | null {
  const program = document.querySelector('script[type="module"]')?.textContent ?? "";
  if (program === "") return null;
  const parts = ['(()=>{"use strict";\n', program, "\n})()"];
  return new Worker(URL.createObjectURL(new Blob(parts, { type: "text/javascript" })));
}

export function singleJudge(): Judge {
  return createJudge({
    openWorker: ownWorker,
    parts: async (question) => judging(question),
    now: secondsNow,
    after,
  });
}
