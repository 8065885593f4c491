/** The examples of client/README.md and of other pages, verbatim. */
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
