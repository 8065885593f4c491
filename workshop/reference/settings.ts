/** docs/run/settings.md, from the schema that reads the settings: names, defaults, forms and meanings. */
import type { z } from "zod";
import { SECTIONS } from "../../api/settings/schema.ts";

/** No setting takes it that has bounds at all. */
const NONSENSE = "\u0000";

const HEAD = `# Settings

For operators. Generated from the schema that reads the environment (\`api/settings/schema.ts\`) by \`npm run reference\`.

[Process](#process) · [Data and databases](#data-and-databases) · [Chain](#chain) · [Keys](#keys) · [Decision log](#decision-log) ·
[Access](#access) · [Market data](#market-data) · [Retention](#retention) · [Payments](#payments) · [Metrics](#metrics)

- An empty variable counts as not set. An invalid one stops the start with one list of everything that is wrong.
- **file**: the setting can be read from a file. Set \`<name>_FILE\` to its path. Setting both is an error.
- **secret**: the value is redacted in messages and logs.
`;

type Setting = readonly [name: string, schema: z.ZodType];

/** In words of the schema's own message, such as `a whole number from 0 to 60000`. */
function formOf(schema: z.ZodType): string {
  const parsed = schema.safeParse(NONSENSE);
  const [issue] = parsed.error?.issues ?? [];
  return issue === undefined ? "text" : issue.message.replace(/^must (?:be|have|name) (?:an? )?/, "");
}

function defaultOf(schema: z.ZodType): string {
  const value: unknown = schema.safeParse(undefined).data;
  if (value === undefined || (Array.isArray(value) && value.length === 0)) return "";
  return `\`${Array.isArray(value) ? value.join(",") : String(value)}\``;
}

/** `file` where all of them are marked so, and their names where only some are. */
function markOf(mark: "file" | "secret", settings: readonly Setting[]): string {
  const marked = settings.filter(([, schema]) => schema.meta()?.[mark] === true);
  if (marked.length === 0) return "";
  return marked.length === settings.length ? `**${mark}**` : `**${mark}**: ${spans(marked)}`;
}

const spans = (settings: readonly Setting[]) => settings.map(([name]) => `\`${name}\``).join(", ");

function rowOf(meaning: string, settings: readonly Setting[]): string {
  const [first] = settings;
  if (first === undefined || meaning === "") throw new Error(`${spans(settings)} has no description`);
  const marks = [markOf("file", settings), markOf("secret", settings)].filter((mark) => mark !== "");
  const form = formOf(first[1]).replaceAll("|", "\\|").replaceAll("<", "&lt;");
  const words = [meaning, marks.join(", ")].join(" ").trim();
  return `| ${spans(settings)} | ${defaultOf(first[1])} | ${form} | ${words} |`;
}

/** Settings that mean the same share a row. */
function tableOf(title: string, settings: Readonly<Record<string, z.ZodType>>): string {
  const rows = Map.groupBy(Object.entries(settings), ([, schema]) => schema.description ?? "");
  const lines = [...rows].map(([meaning, group]) => rowOf(meaning, group));
  return [
    `## ${title}\n`,
    "| setting | default | accepts | meaning |",
    "|---|---|---|---|",
    ...lines,
    "",
  ].join("\n");
}

export const settingsPage = (): string =>
  [HEAD, ...Object.entries(SECTIONS).map(([title, settings]) => tableOf(title, settings))].join("\n");
