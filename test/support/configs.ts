/** Configuration files as docs/run/several-machines.md has them, with the places of a test in them. */
import { readFileSync } from "node:fs";

/**
 * @param name of the block, after its three backticks
 * @param places the texts to replace, each with its replacement; each must occur
 */
export function documentedConfig(name: string, places: readonly (readonly [string, string])[]): string {
  const docs = readFileSync(new URL("../../docs/run/several-machines.md", import.meta.url), "utf8");
  const block = new RegExp(`\n\`\`\`${name}\n(.*?)\n\`\`\`\n`, "s").exec(docs)?.[1];
  if (block === undefined) throw new Error(`docs/run/several-machines.md has no block ${name}`);
  let text = `${block}\n`;
  for (const [from, to] of places) {
    if (!text.includes(from)) throw new Error(`the block ${name} has no ${from}`);
    text = text.replaceAll(from, to);
  }
  return text;
}
