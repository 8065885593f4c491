/** GET /openapi.json: the description of everything else, and of itself. */
import { z } from "zod";
import { describeApi } from "../docs/openapi.ts";
import type { Route } from "../http/route.ts";
import { once, route } from "../route.ts";

const Document = z
  .looseObject({ openapi: z.string(), info: z.looseObject({}), paths: z.looseObject({}) })
  .describe("An OpenAPI 3.1 document");

/** @param routes all of them, this one included */
export function openapiRoute(routes: () => readonly Route[]) {
  const bytes = once(({ version, publicUrl }) =>
    Buffer.from(JSON.stringify(describeApi(routes(), { version, baseUrl: publicUrl() }))),
  );
  return route({
    path: "/openapi.json",
    operationId: "openapi",
    summary: "This document",
    description: "Made from the schemas that validate the requests. Generate clients from it.",
    tags: ["Operations"],
    auth: "public",
    responses: { 200: { description: "OpenAPI 3.1", schema: Document } },
    handle: async (_call, service) => ({
      status: 200,
      body: bytes(service),
      headers: { "Cache-Control": "public, max-age=300" },
    }),
  });
}
