/**
 * /mcp: Streamable HTTP without sessions, so any process can answer any request. One request: host, method, key or none,
 * limit, body, then the messages in it. Errors are JSON-RPC errors with the matching HTTP status. A request without a key
 * is never answered 401: hosts would take that for a login to be found.
 */
import { validateHostHeader, validateOriginHeader } from "@modelcontextprotocol/server";
import { type Request, type Response, Router } from "express";
import { readJson } from "../http/body.ts";
import type { RequestLocals } from "../http/express.ts";
import { takeOfAddress } from "../http/limits.ts";
import { Problem, toProblem } from "../http/problems.ts";
import type { Caller } from "../http/route.ts";
import type { Logger } from "../metrics/logger.ts";
import type { Service } from "../service.ts";
import { createExchange, type Exchange, PASSED_ON } from "./exchange.ts";
import { nextStepAfter } from "./failure.ts";
import { createKeptResults } from "./keptResults.ts";
import { createMcpServer } from "./server.ts";

/**
 * Messages a minute of an address without a key, as a multiple of the limit of other routes: a host needs about five of
 * them to connect.
 */
const OPEN_TIMES = 6;

const ALLOW = "POST, OPTIONS";
/** JSON-RPC's own codes, and the one for everything that this server adds (`data.code` says what it is). */
const PARSE_ERROR = -32_700;
const INVALID_REQUEST = -32_600;
const INTERNAL_ERROR = -32_603;
const SERVER_ERROR = -32_000;

/** @param openapi makes the OpenAPI document of the HTTP API as JSON text */
export function mcpRouter(service: Service, openapi: () => string): Router {
  const answering = {
    exchange: createExchange((error) => service.logger.debug({ error: error.name }, "mcp message refused")),
    keptOf: createKeptResults(service.caches, PASSED_ON),
    openapi,
  };
  const router = Router({ caseSensitive: true });
  router.all("/mcp", async (request, response) => {
    try {
      await serve(request, response, service, answering);
    } catch (error) {
      answerFailure(response, error, service.logger);
    }
  });
  return router;
}

interface Answering {
  readonly exchange: Exchange;
  readonly keptOf: ReturnType<typeof createKeptResults>;
  readonly openapi: () => string;
}

async function serve(
  request: Request,
  response: Response,
  service: Service,
  { exchange, keptOf, openapi }: Answering,
) {
  const locals = response.locals as RequestLocals;
  locals.route = "/mcp";
  const refused = refusalOfHost(request.headers, service.config.mcpHosts);
  if (refused !== null) return sendError(response, 403, SERVER_ERROR, refused);
  if (request.method !== "POST") return answerMethod(request, response);

  const address = locals.address ?? "unknown";
  const caller = await callerOf(request, service, address);
  locals.caller = caller.kind === "key" ? caller.keyId : caller.kind;
  const take = (messages: number) => takeFromLimit(response, service, caller, address, messages);
  await take(1);
  const body = await readMessages(request, response);
  if (Array.isArray(body) && body.length > 1) await take(body.length - 1);

  const kept = keptOf(request, body, caller.kind);
  if (kept?.answer !== undefined) {
    if (kept.tool !== undefined) locals.rpc = `${kept.tool} ok`;
    return sendJson(response, Buffer.from(kept.answer));
  }

  const { requestId } = locals;
  const answer = await exchange(request, response, body, () =>
    createMcpServer({
      service,
      caller,
      address,
      callerOf: (jobToken) => holderOf(service, jobToken, address),
      openapi,
      requestId,
      // To be told when an answer with a job's report, which was paid for, was sent whole.
      onSold: (jobId) => response.once("finish", () => void service.payments?.released(jobId)),
      onOutcome(tool, code, error) {
        locals.rpc = `${tool} ${code}`;
        if (error !== undefined) service.logger.error({ requestId, tool, err: error }, "a tool failed");
      },
    }),
  );
  if (answer !== null) await send(response, answer, kept?.keep);
}

/** @throws Problem for a key that is none, or none of these days; without one nobody is turned away */
async function callerOf({ headers }: Request, { authenticate }: Service, address: string): Promise<Caller> {
  const offered = [headers["x-api-key"], headers.authorization?.replace(/^bearer(?= *$)/i, "")];
  if (offered.every((each) => each === undefined || String(each).trim() === "")) return { kind: "public" };
  return authenticate("key", headers as Record<string, string | undefined>, address);
}

/**
 * The holder of a job token, counted as over HTTP: tokens that open nothing count against the address, calls against the
 * job.
 * @throws Problem `not_found`, `rate_limited`
 */
async function holderOf(
  { authenticate, limits, config }: Service,
  jobToken: string,
  address: string,
): Promise<Caller> {
  const headers = { authorization: `Bearer ${jobToken}` };
  const holder = await authenticate("keyOrJobToken", headers, address).catch((error: unknown) => {
    throw error instanceof Problem && error.code === "invalid_api_key"
      ? new Problem("not_found", "There is no job that this jobToken opens.")
      : error;
  });
  if (holder.kind !== "jobToken") throw new Error("a job token is no key");
  await limits.take(`job:${holder.jobId}`, config.keyLimitPerMinute);
  return holder;
}

/** Every message counts, whether it comes alone or with others. */
async function takeFromLimit(
  response: Response,
  { limits, config }: Service,
  caller: Caller,
  address: string,
  messages: number,
): Promise<void> {
  const headers =
    caller.kind === "key"
      ? await limits.take(`key:${caller.keyId}`, caller.limitPerMinute, messages)
      : await takeOfAddress(limits, "mcp", address, config.addressLimitPerMinute * OPEN_TIMES, messages);
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
}

class Unreadable extends Error {}

async function readMessages(request: Request, response: Response): Promise<unknown> {
  const body = await readJson(request, response).catch((error: unknown) => {
    throw error instanceof Problem && error.code === "invalid_request"
      ? new Unreadable(error.message)
      : error;
  });
  if (body === undefined) throw new Unreadable("the body is empty");
  return body;
}

function answerMethod(request: Request, response: Response): void {
  response.setHeader("Allow", ALLOW);
  if (request.method === "OPTIONS") response.status(204).end();
  else
    sendError(
      response,
      405,
      SERVER_ERROR,
      "Send JSON-RPC messages by POST; there are no streams or sessions.",
    );
}

function sendJson(response: Response, bytes: Buffer): void {
  response.setHeader("Content-Type", "application/json");
  response.setHeader("Content-Length", bytes.length);
  response.end(bytes);
}

/**
 * JSON at once; a stream, should a protocol version need one, as it comes.
 * @param onJson told of a good answer that is JSON
 */
async function send(
  response: Response,
  answer: globalThis.Response,
  onJson?: (text: string) => void,
): Promise<void> {
  response.status(answer.status);
  for (const [name, value] of answer.headers) if (name !== "connection") response.setHeader(name, value);
  response.setHeader("Cache-Control", "no-store, private");
  if (answer.body === null) {
    response.end();
    return;
  }
  if (answer.headers.get("content-type")?.startsWith("text/event-stream") !== true) {
    const text = await answer.text();
    if (answer.status === 200) onJson?.(text);
    sendJson(response, Buffer.from(text));
    return;
  }
  for await (const chunk of answer.body) {
    if (response.destroyed) break;
    response.write(chunk);
  }
  response.end();
}

function answerFailure(response: Response, error: unknown, logger: Logger): void {
  const { requestId } = response.locals as RequestLocals;
  if (response.headersSent) {
    response.destroy();
    return;
  }
  if (error instanceof Unreadable) {
    sendError(response, 400, PARSE_ERROR, `Parse error: ${error.message}`);
    return;
  }
  const problem = toProblem(error);
  if (problem.code === "internal") logger.error({ requestId, err: error }, "a request failed");
  else if (problem.status === 503)
    logger.warn({ requestId, err: problem.cause ?? error }, "a dependency is unavailable");
  for (const [name, value] of Object.entries(problem.headers)) response.setHeader(name, value);
  const { code, status } = problem;
  const rpcCode = code === "internal" ? INTERNAL_ERROR : status === 413 ? INVALID_REQUEST : SERVER_ERROR;
  sendError(response, status, rpcCode, problem.message, { code, next: nextStepAfter(code), requestId });
}

function sendError(response: Response, status: number, code: number, message: string, data?: object): void {
  const error = { code, message, ...(data === undefined ? {} : { data }) };
  const bytes = Buffer.from(JSON.stringify({ jsonrpc: "2.0", id: null, error }));
  response.status(status);
  sendJson(response, bytes);
}

/** Why a request may not come in, or null. Clients that are no browsers send no Origin. */
function refusalOfHost(
  headers: { readonly host?: string | undefined; readonly origin?: string | undefined },
  allowed: readonly string[],
): string | null {
  if (!validateHostHeader(headers.host, [...allowed]).ok)
    return "This Host is not served here; the operator can allow it with PUBLIC_URL or MCP_ALLOWED_HOSTS.";
  if (!validateOriginHeader(headers.origin, [...allowed]).ok) return "This Origin is not served here.";
  return null;
}
