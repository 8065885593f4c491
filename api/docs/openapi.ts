/** The OpenAPI 3.1 document, made from the routes themselves. */
import { z } from "zod";
import { createDocument, type ZodOpenApiObject, type ZodOpenApiOperationObject } from "zod-openapi";
import { MAX_BODY_BYTES } from "../http/body.ts";
import { ProblemBody } from "../http/problems.ts";
import type { Route } from "../http/route.ts";
import { PaymentRequired } from "../payments/terms.ts";
import { answersOf, headerComponents, problemsOf, responseComponents } from "./answers.ts";

export type OpenApi = ReturnType<typeof createDocument>;

/** What each part of the API is for, in the order of the document. */
const TAGS: Readonly<Record<string, string>> = {
  Data: "Prices, premiums and liquidity of listed tokens, with an API key.",
  "Decision log": "The tree of all judgements, in the files of c2sp.org/tlog-tiles, to check or mirror.",
  Keys: "Applying for an API key.",
  Operations: "State of the service and its own descriptions.",
  "Public artefacts": "What evidence names by its hash, for verifiers.",
  "Public data": "Market figures without a key.",
  Verification: "Judging trades, preparing their execution and following it.",
};

/** @param service its program's version, and where clients find it, without a slash at its end */
export function describeApi(
  routes: readonly Route[],
  { version, baseUrl }: { readonly version: string; readonly baseUrl: string },
): OpenApi {
  const document: ZodOpenApiObject = {
    openapi: "3.1.0",
    info: {
      title: "Assay",
      version,
      description:
        "Data and trade verification for tokenized US stocks, alpha. Data is indicative only and is not advice. Answers may gain members; clients ignore what they do not know. The verification API is also available as MCP tools: POST /mcp (Streamable HTTP, with an API key or without), which its own `tools/list` describes.",
      contact: { name: "Assay", url: `${baseUrl}/docs` },
      license: { name: "MIT", identifier: "MIT" },
    },
    servers: [{ url: baseUrl, description: "This service" }],
    // Of what needs a key; each operation says its own.
    security: KEYS,
    tags: Object.entries(TAGS)
      .filter(([name]) => routes.some(({ tags }) => tags.includes(name)))
      .map(([name, description]) => ({ name, description })),
    paths: pathsOf(routes),
    components: {
      schemas: {
        Problem: ProblemBody,
        PaymentRequired,
      },
      headers: headerComponents,
      responses: responseComponents(routes),
      securitySchemes: {
        apiKey: { type: "apiKey", in: "header", name: "x-api-key", description: "API key `ak_…`" },
        bearerKey: { type: "http", scheme: "bearer", description: "The same API key as a bearer token" },
        jobToken: {
          type: "http",
          scheme: "bearer",
          description: "The `jobToken` of a report: gives access to the calls of that one job",
        },
        signToken: {
          type: "http",
          scheme: "bearer",
          description:
            "The `st_…` of a `signUrl`: reads that one prepared version until it expires, and records and follows its transaction",
        },
      },
    },
  };
  const made = createDocument(document, {
    override: ({ jsonSchema, io }) => {
      // No more than `integer` says where numbers are JavaScript's.
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
      if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
      // Answers may gain members: what a client validates by must not forbid them.
      if (io === "output" && jsonSchema.additionalProperties === false)
        delete jsonSchema.additionalProperties;
    },
  });
  for (const schema of Object.values(made.components?.schemas ?? {})) sayDefaults(schema as Members);
  return made;
}

interface Members {
  readonly properties?: Readonly<Record<string, { default?: unknown; description?: string }>>;
  readonly required?: readonly string[];
}

/** Generators take a member with a default for one that is always there, and so demand it of who sends it: words say it. */
function sayDefaults({ properties = {}, required = [] }: Members): void {
  for (const [name, member] of Object.entries(properties)) {
    if (!("default" in member) || required.includes(name)) continue;
    member.description = `${member.description ?? ""}; ${JSON.stringify(member.default)} by default`;
    delete member.default;
  }
}

/** Express's form of a path in OpenAPI's: `/v1/jobs/{id}`. */
export const pathOf = ({ path }: Pick<Route, "path">): string => path.replace(/[:*]([A-Za-z]+)/g, "{$1}");

function pathsOf(routes: readonly Route[]): NonNullable<ZodOpenApiObject["paths"]> {
  const paths: Record<string, Record<string, ZodOpenApiOperationObject>> = {};
  for (const route of routes) {
    const path = pathOf(route);
    paths[path] = { ...paths[path], [route.method]: operationOf(route) };
  }
  return paths;
}

function operationOf(route: Route): ZodOpenApiOperationObject {
  const { params, query, body } = route;
  return {
    operationId: route.operationId,
    summary: route.summary,
    ...(route.description ? { description: route.description } : {}),
    tags: [...route.tags],
    security: securityOf(route),
    ...(params || query || route.takesPayment
      ? {
          requestParams: {
            ...(params ? { path: params as z.ZodObject } : {}),
            ...(query ? { query: query as z.ZodObject } : {}),
            ...(route.takesPayment ? { header: PaymentHeaders } : {}),
          },
        }
      : {}),
    ...(body
      ? {
          requestBody: {
            required: route.bodyMode !== "optional",
            description: `Up to ${MAX_BODY_BYTES / 1024} KiB`,
            content: { "application/json": { schema: body } },
          },
        }
      : {}),
    responses: { ...answersOf(route), ...problemsOf(route) },
  };
}

const KEYS: Record<string, string[]>[] = [{ apiKey: [] }, { bearerKey: [] }];
const TOKENS: Readonly<Record<Exclude<Route["auth"], "public">, Record<string, string[]>[]>> = {
  key: [],
  keyOrJobToken: [{ jobToken: [] }],
  keyOrAnyToken: [{ jobToken: [] }, { signToken: [] }],
};

function securityOf(route: Route): Record<string, string[]>[] {
  if (route.auth === "public") return [];
  return [...KEYS, ...TOKENS[route.auth]];
}

/** Requests of the paid phase; headers of its answers. */
const PaymentHeaders = z.object({
  "PAYMENT-SIGNATURE": z
    .string()
    .optional()
    .describe("In the paid phase: an x402 version 2 payment, as base64 of its JSON"),
});
