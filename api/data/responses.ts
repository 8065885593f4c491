/** How the answers of the data API are documented. */
import { z } from "zod";
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

const named = {
  "Ignored-Parameters": { description: "Parameters that counted for nothing; absent without such" },
};

/** The same of an answer that names what it ignores. @param also in which other forms it comes */
export function namedResponses(
  description: string,
  schema: z.ZodType,
  also?: AnswerDoc["also"],
): Record<number, AnswerDoc> {
  const { 200: found, 304: same } = cachedResponses(description, schema);
  const withNames = (doc: AnswerDoc | undefined) => ({
    ...(doc as AnswerDoc),
    headers: { ...doc?.headers, ...named },
  });
  const answer = withNames(found);
  return { 200: also === undefined ? answer : { ...answer, also }, 304: withNames(same) };
}

/** The same of a history, which also comes as CSV. */
export const historyResponses = (description: string, schema: z.ZodType): Record<number, AnswerDoc> =>
  namedResponses(description, schema, { "text/csv": z.string() });
