/** The examples of client/README.md, as they stand there. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { verifyReport } from "../../attestor/verify.ts";
import { createClient, PaymentRequired, ServiceError } from "../../client/client.ts";

const README = readFileSync(join(import.meta.dirname, "../../client/README.md"), "utf8");
const EXAMPLE = /^```ts (example-\S+)\n([\s\S]*?)\n```$/gm;

/** Code by name. */
export const examples: ReadonlyMap<string, string> = new Map(
  [...README.matchAll(EXAMPLE)].map(([, name, code]) => [name!, code!]),
);

const AsyncFunction = Object.getPrototypeOf(async () => {}).constructor;

/**
 * @param given what the example takes for granted, by name
 * @returns what it printed, a line each
 */
export async function runExample(name: string, given: Record<string, unknown>): Promise<string[]> {
  const lines: string[] = [];
  const console = { log: (...words: unknown[]) => lines.push(words.join(" ")) };
  const names = { createClient, PaymentRequired, ServiceError, verifyReport, console, ...given };
  await new AsyncFunction(...Object.keys(names), examples.get(name))(...Object.values(names));
  return lines;
}
