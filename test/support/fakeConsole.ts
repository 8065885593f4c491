/** The world of the command line for tests: answers that are typed, files in memory, and what was shown. */
import { setTimeout as sleep } from "node:timers/promises";
import type { World } from "../../scripts/console.ts";
import { Unusable } from "../../scripts/errors.ts";

/** @param answers taken in order @param columns of the terminal; null: there is none @param env the settings */
export function fakeConsole(
  answers: readonly string[] = [],
  files: Record<string, string> = {},
  columns: number | null = null,
  env: World["env"] = {},
) {
  const left = [...answers];
  const shown: string[] = [];
  const warned: string[] = [];
  const questions: string[] = [];
  const world: World = {
    out: (line) => void shown.push(line),
    err: (line) => void warned.push(line),
    columns: () => columns,
    write: (text) => void shown.push(text),
    now: Date.now,
    monotonic: () => performance.now(),
    sleep: (milliseconds) => sleep(milliseconds),
    fetch,
    env,
    confirm: async () => false,
    readText: async (path) => {
      const content = files[path];
      if (content === undefined) throw new Unusable("the file or folder does not exist");
      return content;
    },
    exists: async (path) => path in files,
    writeSecret: async (path, content) => {
      if (path in files) throw new Unusable("it already exists");
      files[path] = content;
    },
    ask: async (question) => {
      questions.push(question);
      const answer = left.shift();
      if (answer === undefined) throw new Unusable("standard input ended before everything was answered");
      return answer;
    },
  };
  return { world, shown, warned, questions, files };
}
