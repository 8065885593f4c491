/** Carries routes into Express. One request: caller, limit, input, handler, reply. */
import type { IncomingHttpHeaders } from "node:http";
import type { Request, Response, Router } from "express";
import { readJson } from "./body.ts";
import { EXPOSED, isForAnyPage, PREFLIGHT } from "./crossOrigin.ts";
import { type Limits, takeOfAddress } from "./limits.ts";
import { accept, Problem } from "./problems.ts";
import { type Authenticate, type Caller, type Reply, type Route, TEXTS } from "./route.ts";

/** What requests are counted and let in by; handlers receive it with all else that it has. */
interface Mounting {
  readonly authenticate: Authenticate;
  readonly limits: Limits;
  /** Requests a minute. */
  readonly config: { readonly keyLimitPerMinute: number; readonly addressLimitPerMinute: number };
}

/** What the access log wants to know of a request; kept in `response.locals`. */
export interface RequestLocals {
  requestId: string;
  /** The client's, behind trusted proxies the one that they saw. */
  address: string | undefined;
  /** The template of the path's route; absent where there is none. */
  route?: string;
  caller?: string;
  /** The tool that was called over MCP, and how that ended. */
  rpc?: string;
}

export function mount<S extends Mounting>(router: Router, routes: readonly Route<S>[], service: S): void {
  for (const route of routes) {
    router[route.method](route.path, (request, response) => serve(route, request, response, service));
  }
  for (const [path, its] of Map.groupBy(routes, (route) => route.path)) {
    const methods = its.map(({ method }) => method.toUpperCase());
    const allow = [...methods, ...(methods.includes("GET") ? ["HEAD"] : []), "OPTIONS"].join(", ");
    const preflight = its.some(isForAnyPage) ? PREFLIGHT : {};
    router.all(path, (request, response) => {
      (response.locals as RequestLocals).route = path;
      if (request.method !== "OPTIONS")
        throw new Problem("method_not_allowed", `this path allows ${allow}`, { headers: { Allow: allow } });
      setHeaders(response, preflight);
      response.status(204).setHeader("Allow", allow).end();
    });
  }
}

async function serve<S extends Mounting>(
  route: Route<S>,
  request: Request,
  response: Response,
  service: S,
): Promise<void> {
  const locals = response.locals as RequestLocals;
  locals.route = route.path;
  if (isForAnyPage(route)) setHeaders(response, EXPOSED);
  const headers = flatten(request.headers);
  const address = locals.address ?? request.socket.remoteAddress ?? "unknown";

  const { auth, recentKeyWillDo } = route;
  const caller = await service.authenticate(auth, headers, address, recentKeyWillDo);
  locals.caller = nameOf(caller);
  setHeaders(response, await takeFromLimit(route, caller, address, service));

  const input = { params: parseParams(route, request), query: parseQuery(route, request) };
  const body = await parseBody(route, request, response);
  const { requestId } = locals;
  const gone = () => goneOf(response);
  const reply = await route.handle({ ...input, body, caller, address, requestId, headers, gone }, service);
  send(response, reply);
}

function goneOf(response: Response): AbortSignal {
  const control = new AbortController();
  if (response.closed) control.abort();
  response.once("close", () => control.abort());
  return control.signal;
}

/** Node joins repeated headers itself, all but one. */
function flatten(headers: IncomingHttpHeaders): Record<string, string | undefined> {
  if (headers["set-cookie"] === undefined) return headers as Record<string, string | undefined>;
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, Array.isArray(value) ? value.join(", ") : value]),
  );
}

function nameOf(caller: Caller): string {
  if (caller.kind === "key") return caller.keyId;
  return caller.kind === "jobToken" ? `job:${caller.jobId}` : "public";
}

async function takeFromLimit(
  route: Route,
  caller: Caller,
  address: string,
  { limits, config }: Mounting,
): Promise<Record<string, string>> {
  if (caller.kind === "key") return limits.take(`key:${caller.keyId}`, caller.limitPerMinute);
  if (caller.kind === "jobToken") return limits.take(`job:${caller.jobId}`, config.keyLimitPerMinute);
  if (route.addressLimit === "none") return {};
  const { bucket, perMinute, times = 1 } = route.addressLimit ?? TEXTS;
  return takeOfAddress(limits, bucket, address, perMinute ?? config.addressLimitPerMinute * times);
}

function parseParams(route: Route, request: Request): unknown {
  if (!route.params) return {};
  const parsed = route.params.safeParse(request.params);
  // PostgreSQL refuses texts with a zero character, and nothing is named so.
  const nameless = Object.values(request.params).some((value) => String(value).includes("\0"));
  if (!parsed.success || nameless) throw new Problem("not_found", "there is nothing at this path");
  return parsed.data;
}

function parseQuery(route: Route, request: Request): unknown {
  return route.query ? accept(route.query, request.query) : {};
}

async function parseBody(route: Route, request: Request, response: Response): Promise<unknown> {
  if (!route.body && route.bodyMode !== "unvalidated") return undefined;
  const json = await readJson(request, response);
  if (!route.body || route.bodyMode === "unvalidated") return json;
  if (json === undefined && route.bodyMode !== "optional")
    throw new Problem("invalid_request", "a JSON body is required");
  return accept(route.body, json === undefined ? {} : json);
}

/** An answer may count against several limits, each found at its own time; the headers list all of them. */
const LISTS: ReadonlySet<string> = new Set(["RateLimit", "RateLimit-Policy"]);

function setHeaders(response: Response, headers: Readonly<Record<string, string>>): void {
  for (const [name, value] of Object.entries(headers)) {
    const before = LISTS.has(name) ? response.getHeader(name) : undefined;
    response.setHeader(name, before === undefined ? value : `${String(before)}, ${value}`);
  }
}

/**
 * RFC 9110 13.1.2: compared weakly, `*` matches any representation. Express' own comparison heeds
 * `Cache-Control: no-cache`, which `fetch` adds to requests with `If-None-Match`.
 */
function hasAlready({ status, headers }: Reply, ifNoneMatch: string | undefined): boolean {
  const etag = headers?.ETag?.replace(/^W\//, "");
  if (etag === undefined || status !== 200 || ifNoneMatch === undefined) return false;
  return ifNoneMatch.split(",").some((tag) => ["*", etag].includes(tag.trim().replace(/^W\//, "")));
}

const OF_CONTENT = ["Content-Type", "Content-Encoding", "Content-Language"];

/** Writes bytes at once: Express would hash them for an ETag that nobody may use. */
export function send(response: Response, reply: Reply): void {
  if (reply.onSent) response.once("finish", reply.onSent);
  response.status(reply.status);
  const { body } = reply;
  if (body === undefined) {
    setHeaders(response, reply.headers ?? {});
    response.end();
    return;
  }
  response.setHeader("Content-Type", "application/json; charset=utf-8");
  setHeaders(response, reply.headers ?? {});
  if (hasAlready(reply, response.req.headers["if-none-match"])) {
    for (const name of OF_CONTENT) response.removeHeader(name);
    response.status(304).end();
    return;
  }
  const bytes = body instanceof Uint8Array ? body : Buffer.from(JSON.stringify(body));
  response.setHeader("Content-Length", bytes.length);
  response.end(bytes);
}

/** The end of every failed request. */
export function sendProblem(response: Response, problem: Problem): void {
  const { requestId } = response.locals as RequestLocals;
  send(response, {
    status: problem.status,
    body: problem.body(requestId),
    headers: { ...problem.headers, "Content-Type": "application/problem+json" },
  });
}
