/**
 * One HTTP request through the SDK, each on a server of its own. Clients of the 2026 revision have its per-request
 * envelope, those of 2025 and before no sessions.
 *
 * Both are answered with one JSON body, except where progress is requested. The SDK's ready handler would answer older
 * clients with a stream of one event. Its adapter for Node would serialize the parsed body again only to make a `Request`
 * of it.
 */
import {
  createMcpHandler,
  isLegacyRequest,
  type McpServer,
  WebStandardStreamableHTTPServerTransport,
} from "@modelcontextprotocol/server";
import type { Request as ExpressRequest, Response as ExpressResponse } from "express";

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
  return async (request, response, body, newServer) => {
    const web = toWeb(request);
    const answer = (await isLegacyRequest(web, body))
      ? legacy(web, withoutCancellation(body), newServer, onRefused)
      : modern(web, body, newServer, onRefused);
    // A disconnected client gets no answer, and nothing waits for one that never comes.
    const gone = new Promise<null>((resolve) => response.once("close", () => resolve(null)));
    return Promise.race([answer, gone]);
  };
}

/** Without the body, since the parsed one goes along; without a signal, which costs more than all else of it. */
function toWeb({ headers }: ExpressRequest): Request {
  const plain = new Headers();
  for (const name of PASSED_ON) {
    const value = headers[name];
    if (typeof value === "string") plain.set(name, value);
  }
  return new Request("http://localhost/mcp", { method: "POST", headers: plain });
}

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
