/** A schema in a few words, with links to the schemas that have a name. */
import { type Html, html, join } from "../pages/html.ts";

/** What is read of a JSON schema. */
export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly description?: string;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly default?: unknown;
  readonly pattern?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | Schema;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
}

const MAX_DEPTH = 6;

export function typeOf(schema: Schema, depth = 0): Html {
  if (depth > MAX_DEPTH) return html`…`;
  const inner = (next: Schema) => typeOf(next, depth + 1);
  const name = schema.$ref?.split("/").at(-1);
  if (name) return html`<a href="#schema-${name}">${name}</a>`;
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices) return list(choices.map(inner), " or ");
  if (schema.allOf) return list(schema.allOf.map(inner), " and ");
  if ("const" in schema) return html`<code>${JSON.stringify(schema.const)}</code>`;
  if (schema.enum)
    return list(
      schema.enum.map((value) => html`<code>${JSON.stringify(value)}</code>`),
      " ",
    );
  if (schema.items) return html`array of ${inner(schema.items)}`;
  if (schema.properties)
    return html`object {${list(
      Object.entries(schema.properties).map(([member, type]) => html`<code>${member}</code>: ${inner(type)}`),
      ", ",
    )}}`;
  if (typeof schema.additionalProperties === "object")
    return html`object of ${inner(schema.additionalProperties)}`;
  return simple(schema);
}

function list(parts: readonly Html[], between: string): Html {
  return join(parts.flatMap((part, index) => (index === 0 ? [part] : [html`${between}`, part])));
}

// Bounds of the safe range say no more than `integer`.
const says = (bound: number | undefined) => bound !== undefined && Math.abs(bound) < Number.MAX_SAFE_INTEGER;

function simple(schema: Schema): Html {
  const { type, format, minimum, maximum } = schema;
  const types = typeof type === "string" ? type : (type?.join(" or ") ?? "any");
  const notes = [
    ...(format ? [format] : []),
    ...(says(minimum) && says(maximum) ? [`${minimum} to ${maximum}`] : []),
    ...(says(minimum) && !says(maximum) ? [`from ${minimum}`] : []),
    ...(!says(minimum) && says(maximum) ? [`to ${maximum}`] : []),
    ...("default" in schema ? [`default ${JSON.stringify(schema.default)}`] : []),
  ];
  return html`${[types, ...notes].join(", ")}`;
}
