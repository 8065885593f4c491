/** GET /docs/guard.md and its neighbours: the documents that an agent's developer reads. */
import { z } from "zod";
import { documentOf, documents, TYPES } from "../docs/documents.ts";
import { named } from "../docs/operations.ts";
import { type Finished, finish } from "../http/cache.ts";
import { replyWith } from "../http/cacheReply.ts";
import { Problem } from "../http/problems.ts";
import { defineRoute, type Route } from "../http/route.ts";

/** @param baseUrl where clients find the service; asked once for each document, with its first request */
export function documentsRoute(baseUrl: () => string): Route {
  const known = new Map<string, { readonly finished: Finished; readonly contentType: string }>();
  return defineRoute({
    path: "/docs/:name",
    ...named("document"),
    tags: ["Operations"],
    auth: "public",
    params: z.object({ name: z.enum([...documents.keys()]).describe("Which document") }),
    responses: {
      200: { description: "The document", contentType: Object.values(TYPES), schema: z.unknown() },
      304: { description: "The client already has it" },
    },
    errors: ["not_found"],
    async handle({ params: { name }, headers }) {
      const made = known.get(name) ?? make(name, baseUrl());
      known.set(name, made);
      return replyWith(made.finished, headers, "public, max-age=300", { "Content-Type": made.contentType });
    },
  });
}

function make(name: string, baseUrl: string) {
  const document = documentOf(name, baseUrl);
  if (document === null) throw new Problem("not_found", "there is nothing at this path");
  return { finished: finish(document.text), contentType: document.contentType };
}
