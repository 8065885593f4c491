/** The tools as hosts see them; made once, since JSON Schemas take longer to make than most calls. */
import { z } from "zod";
import { IN_PLACE } from "../jobs/verifyInput.ts";
import type { Tool } from "./tool.ts";
import { OPEN_TOOLS, TOOLS } from "./tools.ts";

export type ObjectSchema = { readonly type: "object"; readonly [member: string]: unknown };

/** @throws Error for a schema that describes no object */
function objectSchema(schema: z.ZodType): ObjectSchema {
  const { $schema: _, ...json } = z.toJSONSchema(schema, {
    target: "draft-2020-12",
    // Members with a default are optional.
    io: "input",
    metadata: IN_PLACE,
  });
  if (json.type !== "object") throw new Error("tools take and give objects");
  return portable(json) as ObjectSchema;
}

/** The same contract in the words that every host understands: one `type` at a time, and `true` for any value. */
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

const listed =
  (phase: "paid" | "free") =>
  ({ name, title, description, hints, input, output, sells }: Tool) => ({
    name,
    title,
    description,
    annotations: hints[phase],
    inputSchema: objectSchema(input),
    outputSchema: sells && phase === "paid" ? orDue(objectSchema(output)) : objectSchema(output),
  });

/** Terms of payment, of which x402 says more than a model need know beforehand. */
const DUE: ObjectSchema = {
  type: "object",
  properties: { x402Version: { const: 2 }, accepts: { type: "array", items: { type: "object" } } },
  required: ["x402Version", "accepts"],
};

/**
 * Some clients hold structured content against the schema although it is that of a failure, and terms of payment are
 * structured content: so they are in the schema.
 */
const orDue = (sold: ObjectSchema): ObjectSchema => ({ type: "object", anyOf: [sold, DUE] });

const bothPhases = (tools: readonly Tool[]) => ({
  paid: tools.map(listed("paid")),
  free: tools.map(listed("free")),
});

/** What a host sees: without an API key, and by whether payments are on. */
const LISTS = {
  keyed: bothPhases(TOOLS),
  open: bothPhases(OPEN_TOOLS),
};

export const listedTools = (isOpen: boolean, charges: boolean) =>
  LISTS[isOpen ? "open" : "keyed"][charges ? "paid" : "free"];
