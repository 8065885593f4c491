/** GET /docs/calls.md and its neighbors: the documents that an agent's developer reads. */
import { z } from "zod";
import { documentOf, documents, TYPES } from "../docs/documents.ts";
import { type Finished, finish, replyWith } from "../http/cache.ts";
import { Problem } from "../http/problems.ts";
import { once, route } from "../route.ts";

interface Made {
  readonly finished: Finished;
  readonly contentType: string;
}

const made = once(() => new Map<string, Made>());

export const documentsRoute = route({
  path: "/docs/:name",
  operationId: "document",
  summary: "A document of Assay: how to trade, pay and verify",
  description: "Markdown, or JSON and Python where the name says so. /llms.txt says what each is about.",
  tags: ["Operations"],
  auth: "public",
  params: z.object({ name: z.enum([...documents.keys()]).describe("Which document") }),
  responses: {
    200: { description: "The document", contentType: Object.values(TYPES), schema: z.unknown() },
    304: { description: "The client already has it" },
  },
  errors: ["not_found"],
  async handle({ params: { name }, headers }, service) {
    const document = made(service).get(name) ?? make(name, service.publicUrl());
    made(service).set(name, document);
    return replyWith(document.finished, headers, "public, max-age=300", {
      "Content-Type": document.contentType,
    });
  },
});

function make(name: string, baseUrl: string): Made {
  const document = documentOf(name, baseUrl);
  if (document === null) throw new Problem("not_found", "there is nothing at this path");
  return { finished: finish(document.text), contentType: document.contentType };
}
