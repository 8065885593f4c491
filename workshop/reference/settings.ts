/** docs/run/settings.md, from the schema that reads the settings: names, defaults, forms and meanings. */
import type { z } from "zod";
import { SECTIONS } from "../../api/settings/schema.ts";

/** No setting takes it that has bounds at all. */
const NONSENSE = "\u0000";

const HEAD = `# Settings

For operators. After this page you know what each environment variable does. \`npm run reference\` writes it from
\`api/settings/schema.ts\`.

[Process](#process) · [Data and databases](#data-and-databases) · [Chain](#chain) · [Keys](#keys) · [Decision log](#decision-log) ·
[Access](#access) · [Market data](#market-data) · [Retention](#retention) · [Payments](#payments) · [Metrics](#metrics)

- An empty variable counts as not set. A start with invalid settings fails, and says of each what it must be.
- **file**: the setting may be read from a file. Set \`<name>_FILE\` to its path. Setting both is an error.
- **secret**: the value is redacted in messages and logs.
`;

type Setting = readonly [name: string, schema: z.ZodType];

/** Of a setting that takes one of some words; the form of any other stands in the message of a start that refuses it. */
function choicesOf(schema: z.ZodType): readonly string[] {
  const [issue] = schema.safeParse(NONSENSE).error?.issues ?? [];
  return /^must be one of (.*)$/.exec(issue?.message ?? "")?.[1]?.split(", ") ?? [];
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
  const byDefault = defaultOf(first[1]);
  const others = choicesOf(first[1]).filter((choice) => `\`${choice}\`` !== byDefault);
  const values = [byDefault, ...others].filter((value) => value !== "").join(", ");
  const words = [meaning, marks.join(", ")].join(" ").trim();
  return `| ${spans(settings)} | ${values} | ${words} |`;
}

/** Settings that mean the same share a row. */
function tableOf(title: string, settings: Readonly<Record<string, z.ZodType>>): string {
  const rows = Map.groupBy(Object.entries(settings), ([, schema]) => schema.description ?? "");
  const lines = [...rows].map(([meaning, group]) => rowOf(meaning, group));
  return [
    `## ${title}\n`,
    "| setting | default, other values | meaning |",
    "|---|---|---|",
    ...lines,
    "",
  ].join("\n");
}

export const settingsPage = (): string =>
  [HEAD, ...Object.entries(SECTIONS).map(([title, settings]) => tableOf(title, settings))].join("\n");
