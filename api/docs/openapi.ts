/** The OpenAPI 3.1 document, made from the routes themselves. */
import { z } from "zod";
import { createDocument, type ZodOpenApiObject, type ZodOpenApiOperationObject } from "zod-openapi";
import { MAX_BODY_BYTES } from "../http/body.ts";
import { PROBLEMS, ProblemBody, type ProblemCode } from "../http/problems.ts";
import type { AnswerDoc, Route } from "../http/route.ts";
import { PaymentRequired } from "../payments/challenge.ts";
import { SignInError, SignInRequired } from "../payments/signIn/declare.ts";

export type OpenApi = ReturnType<typeof createDocument>;

const LIMIT_HEADERS = {
  "RateLimit-Policy": { description: 'Quota and window in seconds, such as `"default";q=60;w=60`' },
  RateLimit: {
    description: 'What is left, and the seconds until the next window, such as `"default";r=59;t=60`',
  },
};
const REQUEST_ID = {
  "X-Request-Id": {
    description: "Name of this request in the service's log; a well-formed one sent by the client is kept",
  },
};

/** @param version of the program */
export function describeApi(routes: readonly Route[], version: string): OpenApi {
  const document: ZodOpenApiObject = {
    openapi: "3.1.0",
    info: {
      title: "Assay",
      version,
      description:
        "Data and trade verification for tokenized US stocks, alpha. Data is indicative only and is not advice. Answers may gain members; clients ignore what they do not know. The verification API is also available as MCP tools: POST /mcp (Streamable HTTP, with an API key or without), which its own `tools/list` describes.",
      license: { name: "MIT", identifier: "MIT" },
    },
    servers: [{ url: "/" }],
    tags: [...new Set(routes.flatMap(({ tags }) => tags))].map((name) => ({ name })),
    paths: pathsOf(routes),
    components: {
      schemas: { Problem: ProblemBody, PaymentRequired, SignInRequired },
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
  return createDocument(document, {
    // Answers may gain members: what a client validates by must not forbid them.
    override: ({ jsonSchema, io }) => {
      if (io === "output" && jsonSchema.additionalProperties === false)
        delete jsonSchema.additionalProperties;
    },
  });
}

function pathsOf(routes: readonly Route[]): NonNullable<ZodOpenApiObject["paths"]> {
  const paths: Record<string, Record<string, ZodOpenApiOperationObject>> = {};
  for (const route of routes) {
    const path = route.path.replace(/[:*]([A-Za-z]+)/g, "{$1}");
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
    ...(params || query || route.takesPayment || route.takesSignIn
      ? {
          requestParams: {
            ...(params ? { path: params as z.ZodObject } : {}),
            ...(query ? { query: query as z.ZodObject } : {}),
            ...headersTaken(route),
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
          answerOf(
            { ...answer, headers: { ...(route.takesPayment ? PAYMENT_RECEIPT : {}), ...answer.headers } },
            isLimited(route),
          ),
        ]),
      ),
      ...problemsOf(route),
    },
  };
}

const TOKENS: Readonly<Record<Exclude<Route["auth"], "public">, Record<string, string[]>[]>> = {
  key: [],
  keyOrJobToken: [{ jobToken: [] }],
  keyOrAnyToken: [{ jobToken: [] }, { signToken: [] }],
};

function securityOf(route: Route): Record<string, string[]>[] {
  if (route.auth === "public") return [];
  return [{ apiKey: [] }, { bearerKey: [] }, ...TOKENS[route.auth]];
}

function headersTaken({ takesPayment, takesSignIn }: Route) {
  const taken = z.object({
    ...(takesPayment ? PaymentHeaders.shape : {}),
    ...(takesSignIn ? SignInHeaders.shape : {}),
  });
  return takesPayment || takesSignIn ? { header: taken } : {};
}

/** Requests of the paid phase; headers of its answers. */
const PaymentHeaders = z.object({
  "PAYMENT-SIGNATURE": z
    .string()
    .optional()
    .describe("In the paid phase: an x402 version 2 payment, as base64 of its JSON"),
});
const SignInHeaders = z.object({
  "SIGN-IN-WITH-X": z
    .string()
    .optional()
    .describe(
      "In the paid phase: a message that the wallet which paid has signed (x402 extension sign-in-with-x), base64 of its JSON; for this URL, used once, and no older than five minutes",
    ),
});
const PAYMENT_RECEIPT = {
  "PAYMENT-RESPONSE": {
    description:
      "When it was paid for: the receipt, as base64 of JSON with transaction, network, payer and amount, and the signed receipt as the extension offer-receipt",
  },
};
const PAYMENT_CHALLENGE = {
  "PAYMENT-REQUIRED": { description: "What to pay: x402 version 2, as base64 of JSON; also in the body" },
};

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

function answerOf(answer: AnswerDoc, limited: boolean) {
  return {
    description: answer.description,
    headers: headersOf({ ...REQUEST_ID, ...(limited ? LIMIT_HEADERS : {}), ...answer.headers }),
    ...(answer.schema
      ? { content: { [answer.contentType ?? "application/json"]: { schema: answer.schema } } }
      : {}),
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
  if (route.takesSignIn === "only") add("sign_in_required");
  if (route.takesSignIn === "only" || route.takesSignIn === "also")
    add("invalid_sign_in", "not_found", "upstream_unavailable", "unavailable");
  if (route.auth !== "public")
    add("missing_api_key", "invalid_api_key", "revoked_api_key", "key_pending_approval", "unavailable");
  if (isLimited(route)) add("rate_limited");
  if (route.params) add("not_found");
  if (route.query && !route.lenientQuery) add("invalid_request");
  if (route.body) add("invalid_request", "body_too_large", "unsupported_media_type");
  add("internal");
  return Map.groupBy(codes, (code) => PROBLEMS[code].status);
}

const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` });
/** Why a sign-in is not taken. */
const SIGN_IN_ERROR = { properties: { signInError: { type: "string" as const, enum: SignInError.options } } };

function problemsOf(route: Route) {
  return Object.fromEntries(
    [...codesOf(route)].map(([status, codes]) => [
      String(status),
      {
        description: codes.map((code) => `\`${code}\`: ${PROBLEMS[code].title}`).join("; "),
        headers: headersOf({
          ...REQUEST_ID,
          ...(status === 402 ? PAYMENT_CHALLENGE : {}),
          ...(status === 409 || status === 429 || status === 503
            ? { "Retry-After": { description: "Seconds to wait" } }
            : {}),
        }),
        content: {
          "application/problem+json": {
            schema: {
              allOf: [
                { $ref: "#/components/schemas/Problem" },
                { properties: { code: { type: "string" as const, enum: codes } } },
                ...(codes.includes("payment_required") ? [ref("PaymentRequired")] : []),
                ...(codes.includes("sign_in_required") ? [ref("SignInRequired")] : []),
                ...(codes.includes("payment_required") && route.takesSignIn === "instead"
                  ? [SIGN_IN_ERROR]
                  : []),
                ...(codes.includes("invalid_sign_in") ? [SIGN_IN_ERROR] : []),
              ],
            },
          },
        },
      },
    ]),
  );
}
