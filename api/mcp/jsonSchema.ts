/** JSON Schema 2020-12 of a tool's input or output, from the zod schema that validates it. */
import { z } from "zod";

export type ObjectSchema = { readonly type: "object"; readonly [member: string]: unknown };

/** Component names are for the OpenAPI file: without them everything stands in place, and hosts need no `$ref`. */
const withoutNames = {
  has: (schema: z.ZodType) => z.globalRegistry.has(schema),
  get(schema: z.ZodType) {
    const known = z.globalRegistry.get(schema);
    if (known === undefined) return undefined;
    const { id: _, ...rest } = known;
    return rest;
  },
};

/**
 * @param io of `input` members with a default are optional, of `output` no unknown ones are allowed
 * @throws Error for a schema that describes no object
 */
export function objectSchema(schema: z.ZodType, io: "input" | "output"): ObjectSchema {
  const { $schema: _, ...json } = z.toJSONSchema(schema, {
    target: "draft-2020-12",
    io,
    metadata: withoutNames as unknown as typeof z.globalRegistry,
  });
  if (json.type !== "object") throw new Error("tools take and give objects");
  return portable(json) as ObjectSchema;
}

/**
 * The same contract in the words that every host understands: one `type` at a time, and `true` for whatever may come.
 * (`mcp-inspector --strict` tells which words those are.)
 */
function portable(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(portable);
  if (typeof node !== "object" || node === null) return node;
  const plain = Object.fromEntries(
    Object.entries(node).map(([key, value]) => [key, isAnything(key, value) ? true : portable(value)]),
  );
  const { type, ...rest } = plain;
  return Array.isArray(type) ? { ...rest, anyOf: type.map((each) => ({ type: each })) } : plain;
}

function isAnything(key: string, value: unknown): boolean {
  return (
    key === "additionalProperties" &&
    typeof value === "object" &&
    value !== null &&
    Object.keys(value).length === 0
  );
}
