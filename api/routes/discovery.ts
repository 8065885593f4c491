/** /llms.txt and /server.json: how agents and catalogs find the service. */
import { z } from "zod";
import { llmsText } from "../discovery/llms.ts";
import { serverJson } from "../discovery/serverJson.ts";
import { finish, replyWith } from "../http/cache.ts";
import type { Route } from "../http/route.ts";
import { once, route } from "../route.ts";

const common = { tags: ["Operations"], auth: "public" } as const;
const CACHE_CONTROL = "public, max-age=300";
const responsesOf = (contentType: string, schema: z.ZodType) => ({
  200: { description: "The text", contentType, schema },
  304: { description: "The client already has it" },
});

const registryEntry = once(({ version, publicUrl }) =>
  finish(`${JSON.stringify(serverJson({ version, baseUrl: publicUrl() }), null, 2)}\n`),
);

const serverJsonRoute = route({
  ...common,
  path: "/server.json",
  operationId: "serverJson",
  summary: "The MCP server's entry for registries",
  description: "The MCP registry's `server.json`.",
  responses: responsesOf(
    "application/json",
    z.looseObject({ name: z.string(), remotes: z.array(z.looseObject({})) }),
  ),
  handle: async ({ headers }, service) =>
    replyWith(registryEntry(service), headers, CACHE_CONTROL, {
      "Content-Type": "application/json; charset=utf-8",
    }),
});

/** @param routes all of them, which the text lists */
export function discoveryRoutes(routes: () => readonly Route[]) {
  const text = once((service) => finish(llmsText(service, routes())));
  const llms = route({
    ...common,
    path: "/llms.txt",
    operationId: "llms",
    summary: "What the service is and how an agent starts, written for language models",
    description: "Markdown by llmstxt.org: what an agent must know at once, then links.",
    responses: responsesOf("text/plain", z.string()),
    handle: async ({ headers }, service) =>
      replyWith(text(service), headers, CACHE_CONTROL, { "Content-Type": "text/plain; charset=utf-8" }),
  });
  return [llms, serverJsonRoute];
}
