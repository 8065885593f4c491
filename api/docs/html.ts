/** HTML that cannot be broken by what is put into it. */

export interface Html {
  readonly text: string;
}

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

/** Trusted text, as it is. */
export function raw(text: string): Html {
  return { text };
}

export function join(parts: readonly Html[]): Html {
  return { text: parts.map(({ text }) => text).join("") };
}

/** Template tag: texts are escaped, pieces of HTML are not. */
export function html(template: TemplateStringsArray, ...values: readonly (string | Html)[]): Html {
  return {
    text: String.raw(
      { raw: template },
      ...values.map((value) => (typeof value === "string" ? escapeHtml(value) : value.text)),
    ),
  };
}
