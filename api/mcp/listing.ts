/** The tools as hosts see them; made once, since JSON Schemas take longer to make than most calls. */
import type { z } from "zod";
import { type ObjectSchema, objectSchema } from "./jsonSchema.ts";
import { OPEN_TOOLS } from "./openTools.ts";
import { REPORT_VIEW } from "./resources.ts";
import { TOOLS, type Tool } from "./tools.ts";

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
