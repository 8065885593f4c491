/** Reads docs/guard/calls.md, the guide for wallets, for the tests that recompute it. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { TradeGuard__factory } from "../../../types/contracts/factories/contracts/TradeGuard__factory.ts";

export const GUIDE = readFileSync(join(import.meta.dirname, "../../../docs/guard/calls.md"), "utf8");

/** The trade that the guide links to, for readers who check their own code. */
export const EXAMPLE = JSON.parse(
  readFileSync(join(import.meta.dirname, "../../../docs/examples/signed-trade.json"), "utf8"),
);

/** A fenced block by the name behind its language. */
export function block(name: string): string {
  const found = new RegExp(`^\`\`\`\\w+ ${name}\\n([\\s\\S]*?)\\n\`\`\`$`, "m").exec(GUIDE);
  if (found === null) throw new Error(`The guide has no block ${name}.`);
  return found[1]!;
}

/** A section's text, to the next one. */
export function sectionOf(title: string): string {
  const section = GUIDE.split(/^## /m).find((part) => part.startsWith(`${title}\n`));
  if (section === undefined) throw new Error(`The guide has no section ${title}.`);
  return section;
}

/** First cells of a section's table that are a name with arguments, in order, doubles included. */
export function firstCells(title: string): string[] {
  return [...sectionOf(title).matchAll(/^\| `([^`]*)` \| .*\|$/gm)].map(([, cell]) => cell!);
}

/** The errors or events of the guard's ABI, as the guide writes them: the name and the names of the arguments. */
export function declared(type: "error" | "event"): string[] {
  return TradeGuard__factory.abi.flatMap((entry) =>
    entry.type === type ? [`${entry.name}(${entry.inputs.map(({ name }) => name).join(", ")})`] : [],
  );
}
