/** /llms.txt, /server.json and /a2mcp/listing.md: what agents and catalogues find the service by. */
import { z } from "zod";
import type { Facts } from "../discovery/facts.ts";
import { listingText } from "../discovery/listing.ts";
import { llmsText } from "../discovery/llms.ts";
import { serverJson } from "../discovery/serverJson.ts";
import { type Finished, finish } from "../http/cache.ts";
import { replyWith } from "../http/cacheReply.ts";
import { defineRoute, type Route } from "../http/route.ts";

interface Text {
  readonly path: string;
  readonly operationId: string;
  readonly summary: string;
  readonly contentType: string;
  readonly schema: z.ZodType;
  make(facts: Facts): string;
}

const TEXTS: readonly Text[] = [
  {
    path: "/llms.txt",
    operationId: "llms",
    summary: "What the service is and how an agent starts, written for language models",
    contentType: "text/plain",
    schema: z.string(),
    make: llmsText,
  },
  {
    path: "/a2mcp/listing.md",
    operationId: "verifyListing",
    summary: "Marketplace entry for POST /a2mcp/verify, with a curl command",
    contentType: "text/markdown",
    schema: z.string(),
    make: listingText,
  },
  {
    path: "/server.json",
    operationId: "serverJson",
    summary: "The MCP server's entry for registries",
    contentType: "application/json",
    schema: z.looseObject({ name: z.string(), remotes: z.array(z.looseObject({})) }),
    make: (facts) => `${JSON.stringify(serverJson(facts), null, 2)}\n`,
  },
];

/** @param facts asked once for each text, with its first request */
export function discoveryRoutes(facts: () => Facts): Route[] {
  return TEXTS.map(({ path, operationId, summary, contentType, schema, make }) => {
    let finished: Finished | undefined;
    return defineRoute({
      method: "get",
      path,
      operationId,
      summary,
      tags: ["Operations"],
      auth: "public",
      responses: {
        200: { description: "The text", contentType, schema },
        304: { description: "The client already has it" },
      },
      errors: [],
      async handle({ headers }) {
        finished ??= finish(make(facts()));
        const type = { "Content-Type": `${contentType}; charset=utf-8` };
        return replyWith(finished, headers, "public, max-age=300", type);
      },
    });
  });
}
