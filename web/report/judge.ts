/**
 * Delegates to the worker, so that any document leaves the page responsive. Without a worker, the work is done here in
 * parts; a new question ends the one before.
 */
import { orElse } from "../../attestor/values/orElse.ts";
import type { Answer, Question } from "./question.ts";

export type Judge = ReturnType<typeof createJudge>;

export interface JudgeDeps {
  /** A new worker that runs `serve`; null or an exception: none is available. */
  openWorker(): Worker | null;
  parts(question: Question): Promise<Generator<undefined, Answer>>;
  /** Unix seconds. */
  now(): number;
  /** Calls back after so many milliseconds. @returns calls it off */
  after(ms: number, then: () => void): () => void;
}

/** A report takes well under a second; what takes longer than this is no report. */
const LIMIT_MS = 60_000;

/** null: a newer question came. */
type Outcome = Answer | null | "no worker";

export function createJudge({ openWorker, parts, now, after }: JudgeDeps) {
  const helper = createHelper(openWorker, after);
  let count = 0;

  async function askParts(question: Question, id: number): Promise<Answer | null> {
    try {
      const work = await parts(question);
      for (;;) {
        await new Promise<void>((resolve) => after(0, resolve));
        if (id !== count) return null;
        const part = work.next();
        if (part.done) return part.value;
      }
    } catch {
      return { kind: "lost", why: "failed" };
    }
  }

  return {
    /** null: a newer question came. */
    async ask(asked: Omit<Question, "now">): Promise<Answer | null> {
      const question = { ...asked, now: now() };
      const id = ++count;
      const answer = await helper.ask(question, id);
      if (answer !== "no worker") return id === count ? answer : null;
      return askParts(question, id);
    },
  };
}

/** The worker, which comes and goes: one that is lost or busy with an older question is replaced. */
function createHelper(openWorker: JudgeDeps["openWorker"], after: JudgeDeps["after"]) {
  let worker: Worker | null = null;
  let isReady = false;
  let isRefused = false;
  let pending: { readonly id: number; readonly finish: (outcome: Outcome) => void } | null = null;

  function open(): void {
    isReady = false;
    worker = orElse(openWorker, null);
    isRefused = worker === null;
    const own = worker;
    own?.addEventListener("message", ({ data }) => {
      if (own !== worker) return;
      if (data === "ready") isReady = true;
      else if (data.id === pending?.id) pending?.finish(data.answer);
    });
    own?.addEventListener("error", (event) => {
      event.preventDefault();
      if (own !== worker) return;
      // One that never came up was not allowed; one that did was lost with its work.
      if (!isReady) isRefused = true;
      giveUp(isReady ? { kind: "lost", why: "failed" } : "no worker");
    });
  }

  function giveUp(outcome: Outcome): void {
    worker?.terminate();
    worker = null;
    pending?.finish(outcome);
  }

  open();
  return {
    async ask(question: Question, id: number): Promise<Outcome> {
      // What it is at may be long: a new one is there sooner.
      if (pending !== null) giveUp(null);
      if (worker === null && !isRefused) open();
      if (worker === null) return "no worker";
      return new Promise((resolve) => {
        const stop = after(LIMIT_MS, () => giveUp({ kind: "lost", why: "slow" }));
        const finish = (outcome: Outcome) => {
          stop();
          pending = null;
          resolve(outcome);
        };
        pending = { id, finish };
        worker?.postMessage({ id, question });
      });
    },
  };
}
