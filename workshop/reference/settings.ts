/** docs/run/settings.md: names, defaults and bounds from the schema that reads the settings, and a sentence for each. */
import type { z } from "zod";
import { NOT_SHOWN, Settings } from "../../api/settings/config.ts";
import { FROM_FILES } from "../../api/settings/environment.ts";
import { PROVIDER_KEYS } from "../../api/settings/providers.ts";
import SENTENCES from "./settings.json" with { type: "json" };

const SHAPE = Settings.shape as Readonly<Record<string, z.ZodType>>;
/** No setting takes it that has bounds at all. */
const NONSENSE = "\u0000";

const HEAD = `# Settings

For operators. Generated from the schema that reads the environment (\`api/settings/config.ts\`) by \`npm run reference\`.

[Process](#process) · [Data and databases](#data-and-databases) · [Chain](#chain) · [Keys](#keys) · [Decision log](#decision-log) ·
[Access](#access) · [Market data](#market-data) · [Retention](#retention) · [Payments](#payments) · [Metrics](#metrics)

- An empty variable counts as not set. An invalid one stops the start with one list of everything that is wrong.
- **file**: the setting can be read from a file. Set \`<name>_FILE\` to its path. Setting both is an error.
- **secret**: the value is redacted in messages and logs.
`;

/** @returns names of settings for each sentence, each name once */
function namesOf(): ReadonlyMap<string, readonly string[]> {
  const keys = Object.values(SENTENCES).flatMap((group) => Object.keys(group));
  const unknown = keys.filter((key) => !key.startsWith("/") && !Object.hasOwn(SHAPE, key));
  if (unknown.length > 0)
    throw new Error(`settings.json describes what is no setting: ${unknown.join(", ")}`);
  const left = new Set(Object.keys(SHAPE));
  for (const key of keys) left.delete(key);
  const names = new Map(keys.map((key) => [key, key.startsWith("/") ? ([] as string[]) : [key]]));
  for (const name of left) {
    const pattern = keys.find((key) => key.startsWith("/") && new RegExp(key.slice(1, -1)).test(name));
    if (pattern === undefined) throw new Error(`settings.json does not describe ${name}`);
    names.get(pattern)!.push(name);
  }
  return names;
}

/** In words of the schema's own message, such as `a whole number from 0 to 60000`. */
function formOf(name: string): string {
  const parsed = SHAPE[name]!.safeParse(NONSENSE);
  const [issue] = parsed.error?.issues ?? [];
  return issue === undefined ? "text" : issue.message.replace(/^must (?:be|have|name) (?:an? )?/, "");
}

function defaultOf(name: string): string {
  const value: unknown = SHAPE[name]!.safeParse(undefined).data;
  if (value === undefined || (Array.isArray(value) && value.length === 0)) return "";
  return `\`${Array.isArray(value) ? value.join(",") : String(value)}\``;
}

/** `file` where all of them are marked so, and their names where only some are. */
function markOf(mark: string, names: readonly string[], isMarked: (name: string) => boolean): string {
  const marked = names.filter(isMarked);
  if (marked.length === 0) return "";
  return marked.length === names.length ? `**${mark}**` : `**${mark}**: ${spans(marked)}`;
}

const spans = (names: readonly string[]) => names.map((name) => `\`${name}\``).join(", ");

function rowOf(names: readonly string[], sentence: string): string {
  const [name = ""] = names;
  const marks = [
    markOf("file", names, (one) => [...FROM_FILES, ...PROVIDER_KEYS].includes(one)),
    markOf("secret", names, (one) => NOT_SHOWN.has(one)),
  ];
  const meaning = [sentence, marks.filter((mark) => mark !== "").join(", ")].join(" ").trim();
  return `| ${spans(names)} | ${defaultOf(name)} | ${formOf(name).replaceAll("|", "\\|").replaceAll("<", "&lt;")} | ${meaning} |`;
}

export function settingsPage(): string {
  const names = namesOf();
  const sections = Object.entries(SENTENCES).map(([title, sentences]) => {
    const rows = Object.entries(sentences).map(([key, sentence]) => rowOf(names.get(key) ?? [], sentence));
    return [`## ${title}\n`, "| setting | default | accepts | meaning |", "|---|---|---|---|", ...rows].join(
      "\n",
    );
  });
  return `${[HEAD, ...sections].join("\n").replaceAll("\n##", "\n\n##").replaceAll("\n\n\n", "\n\n")}\n`;
}
