/** The worker's side: one question at a time, each with its answer. */
import { judge } from "./judging.ts";
import type { Question } from "./question.ts";

export interface Asked {
  readonly id: number;
  readonly question: Question;
}

interface Scope {
  postMessage(message: unknown): void;
  addEventListener(type: "message", listener: (event: { data: Asked }) => void): void;
}

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
