/** The OpenAPI 3.1 document, made from the routes themselves. */
import { z } from "zod";
import { createDocument, type ZodOpenApiObject, type ZodOpenApiOperationObject } from "zod-openapi";
import { MAX_BODY_BYTES } from "../http/body.ts";
import { isForAnyPage } from "../http/crossOrigin.ts";
import { PROBLEMS, ProblemBody, type ProblemCode } from "../http/problems.ts";
import type { AnswerDoc, Route } from "../http/route.ts";
import { PaymentRequired } from "../payments/challenge.ts";

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

const HEADERS = {
  "X-Request-Id": "Name of this request in the service's log; a well-formed one sent by the client is kept",
  "Cache-Control": "How long the answer may be kept; `no-store, private` where nothing else is said",
  "RateLimit-Policy":
    'The limits that this request counts against, each by its name, with its quota and window in seconds: `"key";q=60;w=60`',
  RateLimit: 'Of each, what is left and the seconds until the next window: `"key";r=59;t=60`',
  "Access-Control-Allow-Origin": "`*`: a page of any origin may read the answer",
  "Access-Control-Expose-Headers": "The headers that such a page may read",
  "Retry-After": "Seconds to wait",
  "WWW-Authenticate": '`Bearer realm="assay"`, where a key or a token is missing',
  ETag: "Send it as If-None-Match",
  Vary: "Which headers of the request the answer depends on",
  "Content-Encoding": "`br` or `gzip`, where the client takes one of them",
  "PAYMENT-REQUIRED": "What to pay: x402 version 2, as base64 of JSON; also in the body",
  "PAYMENT-RESPONSE":
    "When it was paid for: the receipt, as base64 of JSON with transaction, network, payer and amount",
};

type HeaderName = keyof typeof HEADERS;
const headersNamed = (...names: HeaderName[]) =>
  Object.fromEntries(names.map((name) => [name, { description: HEADERS[name] }]));
const OF_ALL = headersNamed("X-Request-Id", "Cache-Control");
const OF_LIMITS = headersNamed("RateLimit-Policy", "RateLimit");
const FOR_ANY_PAGE = headersNamed("Access-Control-Allow-Origin", "Access-Control-Expose-Headers");
const ofAll = (route: Route) => ({ ...OF_ALL, ...(isForAnyPage(route) ? FOR_ANY_PAGE : {}) });

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
    // Answers may gain members: what a client validates by must not forbid them.
    override: ({ jsonSchema, io }) => {
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
    responses: {
      ...Object.fromEntries(
        Object.entries(route.responses).map(([status, answer]) => [
          status,
          answerOf({ ...answer, headers: { ...headersOfAnswers(route), ...answer.headers } }),
        ]),
      ),
      ...problemsOf(route),
    },
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

/** What answers that are no problems come with. */
const headersOfAnswers = (route: Route) => ({
  ...ofAll(route),
  ...(isLimited(route) ? OF_LIMITS : {}),
  ...(304 in route.responses ? headersNamed("ETag", "Vary", "Content-Encoding") : {}),
  ...(route.takesPayment ? headersNamed("PAYMENT-RESPONSE") : {}),
});

/** What a problem comes with. One that says who asks, where a key is needed, was found before anything was counted. */
function headersOfProblem(route: Route, status: number) {
  const isOfCaller = status === 401 || status === 403;
  return {
    ...ofAll(route),
    ...(isLimited(route) && !(isOfCaller && route.auth !== "public") ? OF_LIMITS : {}),
    ...(status === 401 ? headersNamed("WWW-Authenticate") : {}),
    ...(status === 402 ? headersNamed("PAYMENT-REQUIRED") : {}),
    ...(route.takesPayment && !isOfCaller ? headersNamed("PAYMENT-RESPONSE") : {}),
    ...(status === 409 || status === 429 || status === 503 ? headersNamed("Retry-After") : {}),
  };
}

function isLimited(route: Route): boolean {
  return route.auth !== "public" || route.addressLimit !== "none";
}

function headersOf(docs: NonNullable<AnswerDoc["headers"]>) {
  return Object.fromEntries(
    Object.entries(docs).map(([name, { description }]) => [
      name,
      { description, schema: { type: "string" as const } },
    ]),
  );
}

function answerOf({
  description,
  headers = {},
  schema,
  contentType = "application/json",
  also = {},
}: AnswerDoc) {
  const types = [contentType].flat();
  const forms = [...types.map((type) => [type, schema] as const), ...Object.entries(also)];
  return {
    description,
    headers: headersOf(headers),
    ...(schema ? { content: Object.fromEntries(forms.map(([type, form]) => [type, { schema: form }])) } : {}),
  };
}

/** The route's own problems and those that come with how it is called, grouped by status. */
function codesOf(route: Route): Map<number, ProblemCode[]> {
  const codes = new Set<ProblemCode>(route.errors);
  const add = (...more: ProblemCode[]) => {
    for (const code of more) codes.add(code);
  };
  if (route.takesPayment)
    add("payment_required", "payment_in_progress", "upstream_unavailable", "unavailable");
  if (route.auth !== "public")
    add("missing_api_key", "invalid_api_key", "revoked_api_key", "key_pending_approval", "unavailable");
  if (isLimited(route)) add("rate_limited");
  if (route.params) add("not_found");
  if (route.body) add("body_too_large", "unsupported_media_type");
  // A request that is no readable HTTP is refused wherever it was meant to go.
  add("internal", "invalid_request");
  return Map.groupBy(codes, (code) => PROBLEMS[code].status);
}

const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` });

function problemsOf(route: Route) {
  return Object.fromEntries(
    [...codesOf(route)].map(([status, codes]) => [
      String(status),
      {
        description: codes.map((code) => `\`${code}\`: ${PROBLEMS[code].title}`).join("; "),
        headers: headersOf(headersOfProblem(route, status)),
        content: {
          "application/problem+json": {
            schema: {
              allOf: [
                { $ref: "#/components/schemas/Problem" },
                { properties: { code: { type: "string" as const, enum: codes } } },
                ...(codes.includes("payment_required") ? [ref("PaymentRequired")] : []),
              ],
            },
          },
        },
      },
    ]),
  );
}
