/** The tools as hosts see them; made once, since JSON Schemas take longer to make than most calls. */
import { objectSchema } from "./jsonSchema.ts";
import { REPORT_VIEW } from "./resources.ts";
import { TOOLS } from "./tools.ts";

/** As MCP Apps name a view, and under the key of its first drafts, which some hosts still read. */
const VIEW = { ui: { resourceUri: REPORT_VIEW }, "ui/resourceUri": REPORT_VIEW };

export const LISTED_TOOLS = TOOLS.map(
  ({ name, title, description, annotations, hasView, input, output }) => ({
    name,
    title,
    description,
    annotations: { title, ...annotations },
    inputSchema: objectSchema(input, "input"),
    outputSchema: objectSchema(output, "output"),
    ...(hasView ? { _meta: VIEW } : {}),
  }),
);
