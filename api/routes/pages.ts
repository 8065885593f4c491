/** The pages, and the files that they load. They stand beside the API, not in its OpenAPI document. */
import { z } from "zod";
import type { DataDeps } from "../data/answers.ts";
import { finish } from "../http/cache.ts";
import { replyWith } from "../http/cacheReply.ts";
import { Problem } from "../http/problems.ts";
import { defineRoute, type Route } from "../http/route.ts";
import type { WebAssets } from "../pages/assets.ts";
import { homePage } from "../pages/home.ts";
import { readerOf } from "../pages/language.ts";
import { createPageRoutes, type PageDeps } from "../pages/page.ts";
import { keyedTokenPart, TokenParams, TokenQuery, tokenPage } from "../pages/token.ts";

export interface PagesDeps extends PageDeps {
  readonly data: DataDeps;
}

export function pageRoutes(deps: PagesDeps): Route[] {
  const pageRoute = createPageRoutes(deps);
  return [
    pageRoute(homePage()),
    pageRoute(tokenPage(deps.data)),
    keyedTokenRoute(deps.data),
    assetRoute(deps.assets),
  ];
}

/** The part of a token's page that a key opens; script puts it into the page. */
function keyedTokenRoute(data: DataDeps): Route {
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

/** Their names change with their content: whoever has one has it for ever. */
function assetRoute(assets: WebAssets): Route {
  return defineRoute({
    method: "get",
    path: "/assets/:name",
    operationId: "asset",
    summary: "A script or a style of the pages",
    tags: ["Pages"],
    auth: "public",
    params: z.object({ name: z.string().max(200) }),
    responses: {},
    errors: [],
    async handle({ params, headers }) {
      const asset = assets.file(params.name);
      if (asset === undefined) throw new Problem("not_found", "there is nothing at this path");
      const reply = await replyWith(asset.finished, headers, "public, max-age=31536000, immutable");
      if (reply.status === 304) return reply;
      return { ...reply, headers: { ...reply.headers, "Content-Type": asset.contentType } };
    },
  });
}
