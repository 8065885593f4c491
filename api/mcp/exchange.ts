/**
 * One HTTP request through the SDK, each on a server of its own. Clients of the 2026 revision have its per-request
 * envelope, those of 2025 and before no sessions.
 *
 * Both are answered with one JSON body, except where progress is requested by a client that accepts event streams. The
 * SDK's ready handler would answer older clients with a stream of one event. Its adapter for Node would serialize the parsed body again only to make a `Request`
 * of it.
 */
import {
  createMcpHandler,
  isLegacyRequest,
  type McpServer,
  WebStandardStreamableHTTPServerTransport,
} from "@modelcontextprotocol/server";
import type { Request as ExpressRequest, Response as ExpressResponse } from "express";
import Negotiator from "negotiator";

/**
 * @param newServer makes the server that answers this one request
 * @returns null when the client has left meanwhile
 */
export type Exchange = (
  request: ExpressRequest,
  response: ExpressResponse,
  body: unknown,
  newServer: () => McpServer,
) => Promise<Response | null>;

/** @param onRefused told of messages that the protocol refuses; the error may quote the message */
export function createExchange(onRefused: (error: Error) => void): Exchange {
  return async (request, response, messages, newServer) => {
    const web = toWeb(request);
    const body = acceptsStreams(request) ? messages : withoutProgress(messages);
    const answer = (await isLegacyRequest(web, body))
      ? legacy(web, withoutCancellation(body), newServer, onRefused)
      : modern(web, body, newServer, onRefused);
    // A disconnected client gets no answer, and nothing waits for one that never comes.
    const gone = new Promise<null>((resolve) => response.once("close", () => resolve(null)));
    return Promise.race([answer, gone]);
  };
}

/** Plain HTTP clients send a wildcard or nothing. */
export const acceptsJson = (request: ExpressRequest): boolean =>
  new Negotiator(request).mediaType([JSON_TYPE]) !== undefined;

/** By its name: who takes anything wants JSON. */
const acceptsStreams = (request: ExpressRequest): boolean =>
  new Negotiator(request).mediaTypes().includes(STREAM_TYPE);

/** Without the body, since the parsed one goes along; without a signal, which costs more than all else of it. */
function toWeb({ headers }: ExpressRequest): Request {
  const plain = new Headers();
  for (const name of PASSED_ON) {
    const value = headers[name];
    if (typeof value === "string") plain.set(name, value);
  }
  // The SDK wants both of every client; which of them is sent is decided here.
  plain.set("accept", `${JSON_TYPE}, ${STREAM_TYPE}`);
  return new Request("http://localhost/mcp", { method: "POST", headers: plain });
}

const JSON_TYPE = "application/json";
const STREAM_TYPE = "text/event-stream";

/** Headers that the SDK sees. */
export const PASSED_ON = [
  "accept",
  "content-type",
  "mcp-protocol-version",
  "mcp-method",
  "mcp-name",
  "mcp-session-id",
] as const;

function modern(
  web: Request,
  body: unknown,
  newServer: () => McpServer,
  onRefused: (error: Error) => void,
): Promise<Response> {
  const handler = createMcpHandler(newServer, {
    legacy: "reject",
    onerror: onRefused,
    // Tools and resources never change while this runs: there is nothing to subscribe to.
    maxSubscriptions: 0,
  });
  return handler.fetch(web, { parsedBody: body });
}

async function legacy(
  web: Request,
  body: unknown,
  newServer: () => McpServer,
  onRefused: (error: Error) => void,
): Promise<Response> {
  const server = newServer();
  const transport = new WebStandardStreamableHTTPServerTransport({
    sessionIdGenerator: undefined,
    // Progress is sent as a stream, which ends with the answer.
    enableJsonResponse: !asksForProgress(body),
  });
  server.server.onerror = onRefused;
  // Both hold nothing but each other, so that they need no end.
  await server.connect(transport);
  return transport.handleRequest(web, { parsedBody: body });
}

function asksForProgress(body: unknown): boolean {
  const params = (body as { params?: { _meta?: { progressToken?: unknown } | null } | null } | null)?.params;
  return params?._meta?.progressToken !== undefined;
}

/** A client that accepts no stream gets no progress either, which would make one of its answer. */
function withoutProgress(body: unknown): unknown {
  if (!asksForProgress(body)) return body;
  const message = body as { readonly params: { readonly _meta: Readonly<Record<string, unknown>> } };
  const { progressToken: _, ...meta } = message.params._meta;
  return { ...message, params: { ...message.params, _meta: meta } };
}

/**
 * Without sessions a cancellation can only mean a request of the same batch. The SDK would then never answer that
 * one, and the batch with it.
 */
function withoutCancellation(body: unknown): unknown {
  if (!Array.isArray(body)) return body;
  const rest = body.filter(
    (message) => (message as { method?: unknown } | null)?.method !== "notifications/cancelled",
  );
  return rest.length === 0 ? body : rest;
}
