/** /llms.txt and /server.json: how agents and catalogs find the service. */
import { z } from "zod";
import type { Facts } from "../discovery/facts.ts";
import { llmsText } from "../discovery/llms.ts";
import { serverJson } from "../discovery/serverJson.ts";
import { named } from "../docs/operations.ts";
import { constantReply } from "../http/cacheReply.ts";
import { defineRoute, type Route } from "../http/route.ts";

interface Text extends ReturnType<typeof named> {
  readonly path: string;
  readonly contentType: string;
  readonly schema: z.ZodType;
  make(facts: Facts): string;
}

const TEXTS: readonly Text[] = [
  { ...named("llms"), path: "/llms.txt", contentType: "text/plain", schema: z.string(), make: llmsText },
  {
    path: "/server.json",
    ...named("serverJson"),
    contentType: "application/json",
    schema: z.looseObject({ name: z.string(), remotes: z.array(z.looseObject({})) }),
    make: (facts) => `${JSON.stringify(serverJson(facts), null, 2)}\n`,
  },
];

/** @param facts asked once for each text, with its first request */
export function discoveryRoutes(facts: () => Facts): Route[] {
  return TEXTS.map(({ contentType, schema, make, ...words }) =>
    defineRoute({
      ...words,
      tags: ["Operations"],
      auth: "public",
      responses: {
        200: { description: "The text", contentType, schema },
        304: { description: "The client already has it" },
      },
      handle: constantReply(() => make(facts()), "public, max-age=300", {
        "Content-Type": `${contentType}; charset=utf-8`,
      }),
    }),
  );
}
