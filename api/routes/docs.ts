/** GET /docs: the reference page for people. */
import { z } from "zod";
import { type Described, DOCS_POLICY, docsPage } from "../docs/page.ts";
import { type Finished, finish } from "../http/cache.ts";
import { replyWith } from "../http/cacheReply.ts";
import type { OpenApi } from "../http/openapi.ts";
import { defineRoute, type Route } from "../http/route.ts";

/**
 * @param describe makes the OpenAPI document; asked once, with the first request, as is
 * @param baseUrl where clients find the service
 */
export function docsRoute(describe: () => OpenApi, baseUrl: () => string): Route {
  let page: Finished | undefined;
  return defineRoute({
    method: "get",
    path: "/docs",
    operationId: "docs",
    summary: "This reference, for people",
    tags: ["Operations"],
    auth: "public",
    responses: {
      200: { description: "A page that needs no network", contentType: "text/html", schema: z.string() },
      304: { description: "The client has this page already" },
    },
    errors: [],
    async handle({ headers }) {
      page ??= finish(docsPage(JSON.parse(JSON.stringify(describe())) as Described, baseUrl()));
      const reply = await replyWith(page, headers, "public, max-age=300");
      if (reply.status === 304) return reply;
      return {
        ...reply,
        headers: {
          ...reply.headers,
          "Content-Type": "text/html; charset=utf-8",
          "Content-Security-Policy": DOCS_POLICY,
        },
      };
    },
  });
}
