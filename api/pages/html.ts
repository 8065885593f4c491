/** HTML that inserted values cannot break: any value that is not HTML is escaped. */

export interface Html {
  readonly text: string;
}

/** What a template takes: texts and numbers are escaped, nothing (`null`, `undefined`, `false`) leaves nothing. */
export type Value = string | number | Html | readonly Html[] | null | undefined | false;

const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? character);
}

/** Text of our own that is HTML already. Nothing from outside may come this way. */
export function raw(text: string): Html {
  return { text };
}

export function join(parts: readonly Html[]): Html {
  return { text: parts.map(({ text }) => text).join("") };
}

/** Template tag. Attributes are always quoted: `<a title="${title}">`. */
export function html(template: TemplateStringsArray, ...values: readonly Value[]): Html {
  return { text: String.raw({ raw: template }, ...values.map(textOf)) };
}

/** Rows of a name and what it is. */
export function rows(pairs: readonly (readonly [string, Value])[]): Html {
  return html`<dl class="rows">${join(
    pairs.map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>\n`),
  )}</dl>`;
}

function textOf(value: Value): string {
  if (typeof value === "string") return escapeHtml(value);
  if (typeof value === "number") return String(value);
  if (value === null || value === undefined || value === false) return "";
  return "text" in value ? value.text : join(value).text;
}
