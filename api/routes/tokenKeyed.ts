/** The part of a token's page that a key opens. It stands beside the API, not in its OpenAPI document. */
import { z } from "zod";
import type { DataDeps } from "../data/answers.ts";
import { finish } from "../http/cache.ts";
import { replyWith } from "../http/cacheReply.ts";
import { defineRoute, type Route } from "../http/route.ts";
import { readerOf } from "../pages/language.ts";
import { keyedTokenPart, TokenParams, TokenQuery } from "../pages/token.ts";

/** HTML that script puts into the token's page; the key comes in a header, and nobody keeps the answer. */
export function keyedTokenRoute(data: DataDeps): Route {
  return defineRoute({
    method: "get",
    path: "/tokens/:chain/:address/keyed",
    operationId: "tokenKeyed",
    summary: "What a key opens of a token's page",
    tags: ["Pages"],
    auth: "key",
    recentKeyWillDo: true,
    params: TokenParams,
    query: TokenQuery.extend({ lang: z.unknown().optional() }),
    lenientQuery: true,
    responses: {},
    errors: [],
    async handle({ params, query, headers }) {
      const reader = readerOf(query.lang, headers["accept-language"]);
      const part = await keyedTokenPart(data, { params, query, reader });
      const reply = await replyWith(finish(part), headers, "private, no-store");
      if (reply.status === 304) return reply;
      return { ...reply, headers: { ...reply.headers, "Content-Type": "text/html; charset=utf-8" } };
    },
  });
}
