/** The worker's side: one question at a time, each with its answer. */
import { judge } from "./judging.ts";
import type { Question } from "./question.ts";

/** What a worker receives. */
export interface Asked {
  readonly id: number;
  readonly question: Question;
}

/** The part of a worker's scope that is used. */
interface Scope {
  postMessage(message: unknown): void;
  addEventListener(type: "message", listener: (event: { data: Asked }) => void): void;
}

/** Says that it is there, and then answers. */
export function serve(scope: Scope): void {
  scope.addEventListener("message", ({ data: { id, question } }) => {
    try {
      scope.postMessage({ id, answer: judge(question) });
    } catch {
      // A fault of ours: the page must not wait forever.
      scope.postMessage({ id, answer: { kind: "lost", why: "failed" } });
    }
  });
  scope.postMessage("ready");
}
