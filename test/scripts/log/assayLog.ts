import { readFile } from "node:fs/promises";
import { fakeConsole } from "../../support/fakeConsole.ts";
import { assayIn } from "../../support/typed.ts";

/** `assay log` in this process, as anybody may run it; files are real. */
export async function assayLog(...args: string[]): Promise<{ code: number; out: string }> {
  const { world, shown, warned } = fakeConsole();
  const own = { ...world, readText: (path: string) => readFile(path, "utf8") };
  const code = await assayIn(["log", ...args], own);
  return { code, out: [...shown, ...warned].join("\n") };
}
