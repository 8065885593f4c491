/** Answers in the OpenAPI document: headers and problems are components, to which each operation refers. */
import type { ZodOpenApiObject } from "zod-openapi";
import { isForAnyPage } from "../http/crossOrigin.ts";
import { PROBLEMS, type ProblemCode } from "../http/problems.ts";
import type { AnswerDoc, Route } from "../http/route.ts";

type Components = NonNullable<ZodOpenApiObject["components"]>;
type Responses = NonNullable<Components["responses"]>;

const HEADERS = {
  "X-Request-Id": "Name of this request in the service's log; a well-formed one sent by the client is kept",
  "Cache-Control": "How long the answer may be kept; `no-store, private` where nothing else is said",
  "RateLimit-Policy":
    'The limits that this request counts against, each by its name, with its quota and window in seconds: `"key";q=60;w=60`',
  RateLimit: 'Of each, what is left and the seconds until the next window: `"key";r=59;t=60`',
  "Access-Control-Allow-Origin": "`*`, where no key is needed: a page of any origin may read the answer",
  "Access-Control-Expose-Headers": "The headers that such a page may read",
  "Retry-After": "Seconds to wait",
  "WWW-Authenticate": '`Bearer realm="assay"`, where a key or a token is missing',
  ETag: "Send it as If-None-Match",
  "Ignored-Parameters": "Parameters that counted for nothing; absent without such",
  Attribution: "With CSV: whom to name as the source",
  Window: "With CSV: the window as `from/to`, the end exclusive",
  Series: "With CSV: of what all rows are, as `symbol=AAPLx&chain=bnb`",
  Vary: "Which headers of the request the answer depends on",
  "Content-Encoding": "`br` or `gzip`, where the client takes one of them",
  "PAYMENT-REQUIRED": "What to pay: x402 version 2, as base64 of JSON; also in the body",
  "PAYMENT-RESPONSE":
    "When it was paid for: the receipt, as base64 of JSON with transaction, network, payer and amount",
};
type HeaderName = keyof typeof HEADERS;
type Headers = Readonly<Record<string, { readonly $ref: string }>>;

const headersNamed = (...names: HeaderName[]): Headers =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
const OF_ALL = headersNamed("X-Request-Id", "Cache-Control");
const OF_LIMITS = headersNamed("RateLimit-Policy", "RateLimit");
const OF_CSV = headersNamed("Attribution", "Window", "Series");
const FOR_ANY_PAGE = headersNamed("Access-Control-Allow-Origin", "Access-Control-Expose-Headers");

/** Every header that several answers have. */
export const headerComponents: NonNullable<Components["headers"]> = headersOf(
  Object.fromEntries(Object.entries(HEADERS).map(([name, description]) => [name, { description }])),
);

function headersOf(docs: NonNullable<AnswerDoc["headers"]>) {
  return Object.fromEntries(
    Object.entries(docs).map(([name, { description }]) => [
      name,
      { description, schema: { type: "string" as const } },
    ]),
  );
}

const NOT_MODIFIED = { $ref: "#/components/responses/NotModified" };

/** Answers of a route that are no problems, by status. */
export function answersOf(route: Route) {
  return Object.fromEntries(
    Object.entries(route.responses).map(([status, answer]) => [
      status,
      status === "304" ? NOT_MODIFIED : answerOf(route, answer),
    ]),
  );
}

function answerOf(
  route: Route,
  { description, headers = {}, schema, contentType = "application/json", also = {} }: AnswerDoc,
) {
  const types = [contentType].flat();
  const forms = [...types.map((type) => [type, schema] as const), ...Object.entries(also)];
  return {
    description,
    headers: {
      ...OF_ALL,
      ...(isForAnyPage(route) ? FOR_ANY_PAGE : {}),
      ...(isLimited(route) ? OF_LIMITS : {}),
      ...(304 in route.responses ? headersNamed("ETag", "Vary", "Content-Encoding") : {}),
      ...(route.takesPayment ? headersNamed("PAYMENT-RESPONSE") : {}),
      ...("text/csv" in also ? OF_CSV : {}),
      ...headersOf(headers),
    },
    ...(schema ? { content: Object.fromEntries(forms.map(([type, form]) => [type, { schema: form }])) } : {}),
  };
}

function isLimited(route: Route): boolean {
  return route.auth !== "public" || route.addressLimit !== "none";
}

/** Problems of a route by status, each as a reference to its component. */
export function problemsOf(route: Route) {
  return Object.fromEntries(
    [...codesOf(route)].map(([status, codes]) => [
      String(status),
      { $ref: `#/components/responses/${problemName(codes)}` },
    ]),
  );
}

/** The components to which `answersOf` and `problemsOf` refer. */
export function responseComponents(routes: readonly Route[]): Responses {
  const components: Responses = {
    NotModified: {
      description: "The client already has this answer",
      headers: {
        ...OF_ALL,
        ...FOR_ANY_PAGE,
        ...OF_LIMITS,
        ...headersNamed("ETag", "Vary", "Ignored-Parameters"),
        ...OF_CSV,
      },
    },
  };
  for (const route of routes)
    for (const [status, codes] of codesOf(route)) components[problemName(codes)] ??= problemOf(status, codes);
  return components;
}

const pascal = (code: string): string =>
  code.replace(/(?:^|_)([a-z])/g, (_match, letter: string) => letter.toUpperCase());

const problemName = (codes: readonly ProblemCode[]): string => codes.map(pascal).join("Or");

const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` });

function problemOf(status: number, codes: ProblemCode[]): Responses[string] {
  return {
    description: codes.map((code) => `\`${code}\`: ${PROBLEMS[code].title}`).join("; "),
    headers: headersOfProblem(status),
    content: {
      "application/problem+json": {
        schema: {
          allOf: [
            ref("Problem"),
            { properties: { code: { type: "string", enum: codes } } },
            ...(codes.includes("payment_required") ? [ref("PaymentRequired")] : []),
          ],
        },
      },
    },
  };
}

/** What a problem may come with. One that says who asks is mostly found before anything is counted. */
function headersOfProblem(status: number): Headers {
  if (status === 401) return { ...OF_ALL, ...headersNamed("WWW-Authenticate") };
  if (status === 403) return { ...OF_ALL, ...OF_LIMITS };
  return {
    ...OF_ALL,
    ...FOR_ANY_PAGE,
    ...OF_LIMITS,
    ...headersNamed("PAYMENT-RESPONSE"),
    ...(status === 402 ? headersNamed("PAYMENT-REQUIRED") : {}),
    ...(status === 409 || status === 429 || status === 503 ? headersNamed("Retry-After") : {}),
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
  if (route.body) add("request_timeout", "body_too_large", "unsupported_media_type");
  if (codes.has("unavailable")) add("overloaded");
  // A request that is no readable HTTP is refused wherever it was meant to go.
  add("internal", "invalid_request");
  const all = Object.keys(PROBLEMS) as ProblemCode[];
  return Map.groupBy(
    all.filter((code) => codes.has(code)),
    (code) => PROBLEMS[code].status,
  );
}
