/** `--json`: what a command shows, for programs. */
import { flag } from "./command.ts";
import type { World } from "./console.ts";

export const JSON_OPTION = { json: flag("print JSON") };

/** Whole numbers that JSON cannot hold are texts. */
export const jsonText = (value: unknown): string =>
  JSON.stringify(value, (_, each) => (typeof each === "bigint" ? String(each) : each), 2);

/** The same for programs and for people. */
export function show(
  { out }: Pick<World, "out">,
  isJson: boolean,
  value: unknown,
  lines: readonly string[],
): void {
  if (isJson) out(jsonText(value));
  else for (const line of lines) out(line);
}
