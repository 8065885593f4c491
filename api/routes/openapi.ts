/** GET /openapi.json: the description of everything else, and of itself. */
import { z } from "zod";
import type { OpenApi } from "../docs/openapi.ts";
import { named } from "../docs/operations.ts";
import { defineRoute, type Route } from "../http/route.ts";

const Document = z
  .looseObject({ openapi: z.string(), info: z.looseObject({}), paths: z.looseObject({}) })
  .describe("An OpenAPI 3.1 document");

/** @param describe makes the document; asked once, with the first request */
export function openapiRoute(describe: () => OpenApi): Route {
  let bytes: Buffer | undefined;
  return defineRoute({
    path: "/openapi.json",
    ...named("openapi"),
    tags: ["Operations"],
    auth: "public",
    responses: { 200: { description: "OpenAPI 3.1", schema: Document } },
    async handle() {
      bytes ??= Buffer.from(JSON.stringify(describe()));
      return { status: 200, body: bytes, headers: { "Cache-Control": "public, max-age=300" } };
    },
  });
}
