/** The examples of client/README.md, and the transcripts of this and other pages, verbatim. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { createClient, PaymentRequired, ServiceError, TradeRefused } from "../../client/client.ts";

const pageAt = (path: string) => readFileSync(join(import.meta.dirname, "../..", path), "utf8");
const EXAMPLE = /^```ts (example-\S+)\n([\s\S]*?)\n```$/gm;

/** Code by name; what it imports it is given. */
export const examplesOf = (page: string): ReadonlyMap<string, string> =>
  new Map(
    [...pageAt(page).matchAll(EXAMPLE)].map(([, name, code]) => [name!, code!.replace(/^import .*\n/gm, "")]),
  );
export const examples = examplesOf("client/README.md");

export type TranscriptPart =
  | { readonly kind: "file"; readonly name: string; readonly content: string }
  | { readonly kind: "commands"; readonly name: string; readonly commands: readonly Command[] };

export interface Command {
  readonly command: string;
  /** Lines that are not empty. */
  readonly output: readonly string[];
}

const PART = /^```(?:console (\S+)|(?:js|python) (\S+\.\w+))\n([\s\S]*?)\n```$/gm;

/** What a newcomer who reads the page types and saves, in its order. */
export const transcriptOf = (page: string): TranscriptPart[] =>
  [...pageAt(page).matchAll(PART)].map(([, commands, file, text]) =>
    file === undefined
      ? { kind: "commands", name: commands!, commands: commandsIn(text!) }
      : { kind: "file", name: file, content: `${text}\n` },
  );

function commandsIn(text: string): Command[] {
  return text.split(/^\$ /m).flatMap((part) => {
    const [command = "", ...output] = part.split("\n").filter((line) => line !== "");
    return command === "" ? [] : [{ command, output }];
  });
}

const AsyncFunction = Object.getPrototypeOf(async () => {}).constructor;

/**
 * @param given what the example takes for granted, by name
 * @returns what it printed, a line each
 */
export const runExample = (name: string, given: Record<string, unknown>): Promise<string[]> =>
  runCode(examples.get(name)!, given);

/** @returns what it printed, a line each */
export async function runCode(code: string, given: Record<string, unknown>): Promise<string[]> {
  const lines: string[] = [];
  const console = { log: (...words: unknown[]) => lines.push(words.join(" ")) };
  const ours = { createClient, PaymentRequired, ServiceError, TradeRefused };
  const names = { ...ours, console, ...given };
  await new AsyncFunction(...Object.keys(names), code)(...Object.values(names));
  return lines;
}
