/**
 * Asks the worker, so that the page stays awake whatever the document is. Where no worker can be had, the work is done
 * here in parts; a new question ends the one before.
 */
import type { Answer, Question } from "./question.ts";

export interface Judge {
  /** null: a newer question came. */
  ask(question: Question): Promise<Answer | null>;
  /** Ends what it is at, and the worker. */
  end(): void;
}

export interface JudgeDeps {
  /** A new worker that runs `serve`; null or an exception: there is none to be had. */
  openWorker(): Worker | null;
  /** The parts of the work. */
  parts(question: Question): Promise<Generator<undefined, Answer>>;
  /** Calls back after so many milliseconds. @returns calls it off */
  after(ms: number, then: () => void): () => void;
}

/** A report takes well under a second; what takes longer than this is no report. */
const LIMIT_MS = 60_000;

type Ended = (answer: Answer | null | "no worker") => void;

export function createJudge({ openWorker, parts, after }: JudgeDeps): Judge {
  let worker: Worker | null = null;
  let isReady = false;
  let isRefused = false;
  let end: Ended | null = null;
  let count = 0;

  function open(): void {
    isReady = false;
    try {
      worker = openWorker();
    } catch {
      worker = null;
    }
    if (worker === null) {
      isRefused = true;
      return;
    }
    const own = worker;
    own.addEventListener("message", ({ data }) => {
      if (own !== worker) return;
      if (data === "ready") isReady = true;
      else if (data.id === count) end?.(data.answer);
    });
    own.addEventListener("error", (event) => {
      event.preventDefault();
      if (own !== worker) return;
      // One that never came up was not allowed; one that did was lost with its work.
      if (!isReady) isRefused = true;
      close();
      end?.(isReady ? { kind: "lost", why: "failed" } : "no worker");
    });
  }

  function close(): void {
    worker?.terminate();
    worker = null;
  }

  function askWorker(question: Question, id: number): Promise<Answer | null | "no worker"> {
    return new Promise((resolve) => {
      const stop = after(LIMIT_MS, () => {
        close();
        end?.({ kind: "lost", why: "slow" });
      });
      end = (answer) => {
        stop();
        end = null;
        resolve(answer);
      };
      worker?.postMessage({ id, question });
    });
  }

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

  open();
  return {
    async ask(question) {
      const id = ++count;
      if (end !== null) {
        // What it is at may be long: a new one is there sooner.
        close();
        end(null);
      }
      if (worker === null && !isRefused) open();
      if (worker !== null) {
        const answer = await askWorker(question, id);
        if (answer !== "no worker") return id === count ? answer : null;
      }
      return askParts(question, id);
    },
    end() {
      count++;
      close();
      end?.(null);
    },
  };
}
