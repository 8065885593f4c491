/** docs/run/settings.md, from the schema that reads the settings: names, defaults, forms and meanings. */
import type { z } from "zod";
import { SECTIONS } from "../../api/settings/schema.ts";

/** No setting takes it that has bounds at all. */
const NONSENSE = "\u0000";

const HEAD = `# Settings

For operators. After this page you know what each environment variable does. \`npm run reference\` generates the page from the schema
that reads them (\`api/settings/schema.ts\`).

[Process](#process) · [Data and databases](#data-and-databases) · [Chain](#chain) · [Keys](#keys) · [Decision log](#decision-log) ·
[Access](#access) · [Market data](#market-data) · [Retention](#retention) · [Payments](#payments) · [Metrics](#metrics)

- An empty variable counts as not set. A start with invalid settings fails and lists all of them.
- **file**: the setting may be read from a file. Set \`<name>_FILE\` to its path. Setting both is an error.
- **secret**: the value is redacted in messages and logs.
`;

type Setting = readonly [name: string, schema: z.ZodType];

/** What a message says at length, in the few words of a cell. */
const SHORTER: readonly (readonly [RegExp, string])[] = [
  [/^must (?:be|have|name) (?:an? )?/, ""],
  [/^whole number from (\d+) to (\d+)$/, "$1 to $2"],
  [/^whole number of days, (\d+) or more, or forever$/, "$1 or more, or `forever`"],
  [/^one of /, ""],
  [/^URL such as .*$/, "URL"],
  [/^address: .*$/, "address"],
  [/^name such as .*$/, "name"],
  [/^host names separated by commas.*$/, "host names, separated by commas"],
  [/^key and its secret, separated by a colon$/, "`KEY:SECRET`"],
];

/** By the schema's own message, such as `must be a whole number from 0 to 60000`. Any text: nothing. */
function formOf(schema: z.ZodType): string {
  const parsed = schema.safeParse(NONSENSE);
  const [issue] = parsed.error?.issues ?? [];
  return SHORTER.reduce((text, [long, short]) => text.replace(long, short), issue?.message ?? "");
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
