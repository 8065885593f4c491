/** Asks a worker, so that any document leaves the page responsive. Where the browser allows none, the page does the work. */
import { orElse } from "../../attestor/values/orElse.ts";
import type { Answer, Question } from "./judging.ts";

export type Judge = ReturnType<typeof createJudge>;

export interface JudgeDeps {
  /** A new worker that runs `serveJudge`. @throws where none is allowed */
  openWorker(): Worker;
  judgeHere(question: Question): Promise<Answer>;
  /** Unix seconds. */
  now(): number;
  /** Calls back after so many milliseconds. @returns calls it off */
  after(ms: number, then: () => void): () => void;
}

/** A report takes well under a second; what takes longer than this is no report. */
const LIMIT_MS = 60_000;

export function createJudge({ openWorker, judgeHere, now, after }: JudgeDeps) {
  let worker = orElse(openWorker, null);
  let isUp = false;
  let isRefused = worker === null;
  let pending: ((outcome: Answer | "refused" | null) => void) | null = null;

  function listen(): void {
    const own = worker;
    own?.addEventListener("message", ({ data }) => {
      if (own !== worker) return;
      if (data === "ready") isUp = true;
      else pending?.(data);
    });
    own?.addEventListener("error", (event) => {
      event.preventDefault();
      if (own !== worker) return;
      // One that never came up was not allowed; one that did was lost with its work.
      isRefused = !isUp;
      end(isUp ? { kind: "lost", why: "failed" } : "refused");
    });
  }

  /** The worker ends with its question. */
  function end(outcome: Answer | "refused" | null): void {
    worker?.terminate();
    worker = null;
    pending?.(outcome);
  }

  listen();
  return {
    /** @returns null: a newer question came */
    async ask(asked: Omit<Question, "now">): Promise<Answer | null> {
      const question = { ...asked, now: now() };
      if (pending !== null) end(null);
      if (worker === null && !isRefused) {
        isUp = false;
        worker = orElse(openWorker, null);
        isRefused = worker === null;
        listen();
      }
      const outcome = worker === null ? "refused" : await askWorker(worker, question);
      if (outcome !== "refused") return outcome;
      return judgeHere(question).catch((): Answer => ({ kind: "lost", why: "failed" }));
    },
  };

  function askWorker(open: Worker, question: Question): Promise<Answer | "refused" | null> {
    return new Promise((resolve) => {
      const stop = after(LIMIT_MS, () => end({ kind: "lost", why: "slow" }));
      pending = (outcome) => {
        stop();
        pending = null;
        resolve(outcome);
      };
      open.postMessage(question);
    });
  }
}
