/** A body to begin with: what a schema requires, with names in the places of what the caller has to know. */
import type { Schema } from "./schema.ts";

const MAX_DEPTH = 8;

type Schemas = Readonly<Record<string, Schema>>;

/** @param schemas by the name of their `$ref` @param known values by the names of members */
export function exampleOf(
  schema: Schema,
  schemas: Schemas,
  known: Readonly<Record<string, unknown>> = {},
): unknown {
  return exampleAt(schema, { schemas, known, name: "value", depth: 0 });
}

interface Place {
  readonly schemas: Schemas;
  readonly known: Readonly<Record<string, unknown>>;
  readonly name: string;
  readonly depth: number;
}

function exampleAt(schema: Schema, place: Place): unknown {
  const { schemas, known, name, depth } = place;
  if (depth > MAX_DEPTH) return null;
  if (Object.hasOwn(known, name)) return known[name];
  const inner = (next: Schema, called = name) =>
    exampleAt(next, { ...place, name: called, depth: depth + 1 });
  const named = schema.$ref?.split("/").at(-1);
  if (named !== undefined) return inner(schemas[named] ?? {});
  if ("default" in schema) return schema.default;
  if ("const" in schema) return schema.const;
  if (schema.enum) return schema.enum[0];
  const [choice] = schema.anyOf ?? schema.oneOf ?? [];
  if (choice) return inner(choice);
  if (schema.allOf) return Object.assign({}, ...schema.allOf.map((part) => inner(part)));
  if (schema.properties) {
    const required = new Set(schema.required);
    const members = Object.entries(schema.properties).filter(([member]) => required.has(member));
    return Object.fromEntries(members.map(([member, type]) => [member, inner(type, member)]));
  }
  return simple(schema, name);
}

function simple({ type, minimum }: Schema, name: string): unknown {
  const [first] = typeof type === "string" ? [type] : (type ?? []);
  if (first === "integer" || first === "number") return Math.max(0, minimum ?? 0);
  if (first === "boolean") return false;
  if (first === "array") return [];
  if (first === "object") return {};
  return first === "null" ? null : `<${name}>`;
}
