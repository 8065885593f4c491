/**
 * What stands between the network and the local chain. The chain's accounts are open to every caller, so only programs
 * and pages of this machine are served: the port is on the loopback interface, the Host header must name this machine (a
 * rebound DNS name does not), and so must the origin of a calling page. Browser extensions, such as wallets, may call.
 * Hardhat's own server would answer any page, and let it change the chain without a transaction.
 */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { answer, failure, RPC } from "./jsonRpc.ts";
import type { LocalNode } from "./node.ts";

/** Answers GET requests on the chain's port; null where there is nothing. */
export type GetHandler = (url: URL) => Promise<{ readonly status: number; readonly body: unknown } | null>;

/** Bytes of a request body. */
export const MAX_BODY = 1024 * 1024;

const LOCAL_NAMES = new Set(["localhost", "127.0.0.1", "[::1]"]);
const EXTENSION_SCHEMES = new Set(["chrome-extension:", "moz-extension:", "safari-web-extension:"]);

/** What the front serves once the world stands. */
export interface Served {
  readonly node: Pick<LocalNode, "request">;
  readonly onGet: GetHandler;
}

/**
 * Takes the port. Until `serve` is called, callers are told that the chain is starting.
 * @param port 0 takes a free one
 * @throws Error in words for people when the port is taken
 */
export async function openFront(port: number) {
  let served: Served | null = null;
  const server = createServer((request, response) => {
    handle(served, request, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", (error: NodeJS.ErrnoException) =>
      reject(error.code === "EADDRINUSE" ? portInUse(port) : error),
    );
    server.listen(port, "127.0.0.1", resolve);
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    serve(ready: Served): void {
      served = ready;
    },
    close(): Promise<void> {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeAllConnections();
      return closed;
    },
  };
}

const portInUse = (port: number) =>
  new Error(`Port ${port} of 127.0.0.1 is in use. Stop what listens there, or set RPC_PORT to another port.`);

async function handle(
  served: Served | null,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { host, origin } = request.headers;
  if (!isLocalHost(host)) return refuse(response, 403, "the Host header names another machine");
  if (origin !== undefined) {
    if (!isTrustedOrigin(origin))
      return refuse(response, 403, "pages from other machines may not use this chain");
    response.setHeader("Access-Control-Allow-Origin", origin);
    response.setHeader("Vary", "Origin");
  }
  if (request.method === "OPTIONS") return allowPosts(response);
  if (served === null) {
    response.setHeader("Retry-After", "1");
    return refuse(response, 503, "the chain is starting", RPC.unavailable);
  }
  if (request.method === "GET") {
    const url = URL.parse(request.url ?? "/", "http://127.0.0.1");
    const found = url === null ? null : await served.onGet(url);
    if (found !== null) return json(response, found.status, found.body);
  }
  if (request.method !== "POST") {
    response.setHeader("Allow", "POST, OPTIONS");
    return refuse(response, 405, "send JSON-RPC requests with POST");
  }
  const body = await readBody(request);
  if (body === null) {
    response.setHeader("Connection", "close");
    return refuse(response, 413, `a request has at most ${MAX_BODY} bytes`, RPC.limitExceeded);
  }
  const answered = await answer(served.node, body);
  if (answered === null) response.writeHead(204).end();
  else json(response, 200, answered);
}

function isLocalHost(host: string | undefined): boolean {
  return host !== undefined && LOCAL_NAMES.has(host.replace(/:\d+$/, "").toLowerCase());
}

function isTrustedOrigin(origin: string): boolean {
  const url = URL.parse(origin);
  if (url === null) return false;
  return EXTENSION_SCHEMES.has(url.protocol) || LOCAL_NAMES.has(url.hostname);
}

function allowPosts(response: ServerResponse): void {
  response.setHeader("Access-Control-Allow-Methods", "POST");
  response.setHeader("Access-Control-Allow-Headers", "content-type");
  response.setHeader("Access-Control-Max-Age", "600");
  response.writeHead(204).end();
}

/** The body as text, or null when it is too long. */
async function readBody(request: IncomingMessage): Promise<string | null> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    length += chunk.length;
    // What is too long is read to its end but not kept, so that the sender lives to see the answer.
    if (length > MAX_BODY * 8) return null;
    if (length <= MAX_BODY) chunks.push(chunk);
  }
  return length > MAX_BODY ? null : Buffer.concat(chunks).toString("utf8");
}

function refuse(
  response: ServerResponse,
  status: number,
  message: string,
  code: number = RPC.invalidRequest,
): void {
  json(response, status, failure(null, code, message));
}

function json(response: ServerResponse, status: number, value: unknown): void {
  const text = JSON.stringify(value);
  response.writeHead(status, {
    "Content-Type": "application/json",
    "Content-Length": Buffer.byteLength(text),
    "Cache-Control": "no-store",
  });
  response.end(text);
}
