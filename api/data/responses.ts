/** How the answers of the data API are documented. */
import type { z } from "zod";
import type { AnswerDoc } from "../http/route.ts";
import { LIFETIME_SECONDS } from "./answers.ts";
import { otherFormats } from "./formats.ts";

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

/** The same answers in other forms, too. */
export const withForms = ({
  200: found,
  ...others
}: Record<number, AnswerDoc>): Record<number, AnswerDoc> => ({
  ...others,
  200: { ...(found as AnswerDoc), ...otherFormats },
});

const LINK = { description: 'The next page, as `rel="next"`; absent on the last' };

/** The answers of a list that has pages and other forms, and that refuses parameters which it does not know. */
export function listedResponses(description: string, schema: z.ZodType): Record<number, AnswerDoc> {
  const { 200: found, ...others } = withForms(cachedResponses(description, schema));
  return { ...others, 200: { ...(found as AnswerDoc), headers: { ...found?.headers, Link: LINK } } };
}

/** The same of one that names them. */
export function windowedResponses(description: string, schema: z.ZodType): Record<number, AnswerDoc> {
  const { 200: found, 304: same, ...others } = listedResponses(description, schema);
  const named = {
    "Ignored-Parameters": { description: "Parameters that counted for nothing; absent without such" },
  };
  const withNames = (doc: AnswerDoc | undefined) => ({
    ...(doc as AnswerDoc),
    headers: { ...doc?.headers, ...named },
  });
  return { ...others, 200: withNames(found), 304: withNames(same) };
}
