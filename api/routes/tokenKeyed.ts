/** The part of a token's page that a key opens. It is not in the API's OpenAPI document. */
import { z } from "zod";
import { type DataDeps, LIFETIME_SECONDS } from "../data/answers.ts";
import { named } from "../docs/operations.ts";
import { createCache } from "../http/cache.ts";
import { replyWith } from "../http/cacheReply.ts";
import { defineRoute, type Route } from "../http/route.ts";
import { readerOf } from "../pages/language.ts";
import { keyedDays, keyedTokenPart, TokenParams, TokenQuery } from "../pages/token.ts";

const MAX_CACHE_BYTES = 16 * 1024 * 1024;

/** HTML that script puts into the token's page; the key comes in a header, and nobody keeps the answer. */
export function keyedTokenRoute(data: DataDeps): Route {
  // Made once for all who have a key, as long as the JSON lives; outside of the service nobody keeps it.
  const lifetimeMs = LIFETIME_SECONDS * 1_000;
  const cache = createCache({
    caches: data.caches,
    name: "keyed pages",
    now: () => data.now(),
    lifetimeMs,
    maxBytes: MAX_CACHE_BYTES,
  });
  return defineRoute({
    path: "/tokens/:chain/:address/keyed",
    ...named("tokenKeyed"),
    tags: ["Pages"],
    auth: "key",
    recentKeyWillDo: true,
    params: TokenParams,
    query: TokenQuery.extend({ lang: z.unknown().optional() }),
    lenientQuery: true,
    responses: {},
    async handle({ params, query, headers }) {
      const reader = readerOf(query.lang, headers["accept-language"]);
      const call = { params, query, reader };
      const name = JSON.stringify([params, keyedDays(query), reader]);
      const part = await cache.get(name, () => keyedTokenPart(data, call));
      return replyWith(part, headers, "private, no-store", { "Content-Type": "text/html; charset=utf-8" });
    },
  });
}
