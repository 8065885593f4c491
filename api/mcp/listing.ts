/** The tools as hosts see them; made once, since JSON Schemas take longer to make than most calls. */
import { objectSchema } from "./jsonSchema.ts";
import { TOOLS } from "./tools.ts";

export const LISTED_TOOLS = TOOLS.map(({ name, title, description, annotations, input, output }) => ({
  name,
  title,
  description,
  annotations: { title, ...annotations },
  inputSchema: objectSchema(input, "input"),
  outputSchema: objectSchema(output, "output"),
}));
