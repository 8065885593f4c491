/** HAProxy's configuration as docs/run/several-machines.md has it, with the places of a test in it. */
import { readFileSync } from "node:fs";

/** @param places the texts to replace, each with its replacement; each must occur */
export function documentedConfig(places: readonly (readonly [string, string])[]): string {
  const docs = readFileSync(new URL("../../docs/run/several-machines.md", import.meta.url), "utf8");
  const block = /\n```haproxy\n(.*?)\n```\n/s.exec(docs)?.[1];
  if (block === undefined) throw new Error("docs/run/several-machines.md has no block haproxy");
  let text = `${block}\n`;
  for (const [from, to] of places) {
    if (!text.includes(from)) throw new Error(`the block haproxy has no ${from}`);
    text = text.replaceAll(from, to);
  }
  return text;
}
