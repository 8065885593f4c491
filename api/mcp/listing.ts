/** The tools as hosts see them; made once, since JSON Schemas take longer to make than most calls. */
import { z } from "zod";
import { OPEN_TOOLS } from "./openTools.ts";
import { REPORT_VIEW } from "./resources.ts";
import { TOOLS, type Tool } from "./tools.ts";

type ObjectSchema = { readonly type: "object"; readonly [member: string]: unknown };

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
function objectSchema(schema: z.ZodType, io: "input" | "output"): ObjectSchema {
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

/** As MCP Apps name a view, and under the key of its first drafts, which some hosts still read. */
const VIEW = { ui: { resourceUri: REPORT_VIEW }, "ui/resourceUri": REPORT_VIEW };

const listed = ({ name, title, description, annotations, hasView, input, output, due }: Tool) => ({
  name,
  title,
  description,
  annotations: { title, ...annotations },
  inputSchema: objectSchema(input, "input"),
  outputSchema: outputSchema(output, due),
  ...(hasView ? { _meta: VIEW } : {}),
});

/**
 * Some clients hold structured content against the schema although it is that of a failure, and terms of payment are
 * structured content: so they are in the schema.
 */
function outputSchema(output: z.ZodType, due: z.ZodType | undefined): ObjectSchema {
  const sold = objectSchema(output, "output");
  return due === undefined ? sold : { type: "object", anyOf: [sold, objectSchema(due, "output")] };
}

export const LISTED_TOOLS = TOOLS.map(listed);
/** To a host without an API key. */
export const LISTED_OPEN_TOOLS = OPEN_TOOLS.map(listed);
