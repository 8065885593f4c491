/** How the answers of the data API are documented. */
import type { z } from "zod";
import type { AnswerDoc } from "../http/route.ts";
import { LIFETIME_SECONDS } from "./answers.ts";

/** What a cached answer may be, over HTTP. */
export function cachedResponses(description: string, schema: z.ZodType): Record<number, AnswerDoc> {
  const headers = {
    ETag: { description: "Send it as If-None-Match" },
    "Cache-Control": { description: `\`max-age=${LIFETIME_SECONDS}\`: answers are kept that long` },
  };
  return {
    200: { description, schema, headers },
    304: { description: "The client already has this answer", headers },
  };
}
