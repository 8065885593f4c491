/**
 * The HTTP side of the local chain, only on the loopback interface. Its accounts are open to any caller, so pages from
 * elsewhere are kept out. The Host header must name this machine (a rebound DNS name does not), and so must a calling
 * page's origin. Browser extensions (wallets) may call.
 */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { ChainStartError, RPC, RpcError } from "./errors.ts";
import type { ChainNode } from "./node.ts";
import { answer, failure } from "./rpc.ts";

/** Answers other GET requests on the JSON-RPC port; null where there is nothing. */
export type GetHandler = (url: URL) => Promise<{ readonly status: number; readonly body: unknown } | null>;

/** Bytes of a request body. */
export const MAX_BODY = 1024 * 1024;

const LOCAL_BASE = "http://127.0.0.1";
const LOCAL_NAMES = new Set(["localhost", "127.0.0.1", "[::1]"]);
const EXTENSION_SCHEMES = new Set(["chrome-extension:", "moz-extension:", "safari-web-extension:"]);

export type Front = Awaited<ReturnType<typeof startFront>>;

/**
 * Takes the port, before a long replay rather than after it.
 * @param port 0 takes a free one
 * @throws ChainStartError `port_in_use`
 */
export async function startFront(port: number) {
  let node: ChainNode | undefined;
  let beside: GetHandler = async () => null;
  const server = createServer((request, response) => {
    handle(node, beside, request, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", (error: NodeJS.ErrnoException) =>
      reject(error.code === "EADDRINUSE" ? portInUse(port, error) : error),
    );
    server.listen(port, "127.0.0.1", resolve);
  });
  return {
    /** Lets this node answer from now on; before, every call gets an error that the chain is starting. */
    serve(ready: ChainNode) {
      node = ready;
    },
    onGet(handler: GetHandler) {
      beside = handler;
    },
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    /** Finishes the answers under way and closes the port. */
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeIdleConnections();
        // An answer under way gets a moment; a connection kept alive by a client gets no more than that.
        setTimeout(() => server.closeAllConnections(), 2_000).unref();
      }),
  };
}

async function handle(
  node: ChainNode | undefined,
  beside: GetHandler,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { origin } = request.headers;
  if (!isLocalHost(request.headers.host))
    return refuse(response, 403, "the Host header names another machine");
  if (origin !== undefined && !isTrustedOrigin(origin))
    return refuse(response, 403, "pages from other machines may not use this chain");
  if (origin !== undefined) {
    response.setHeader("Access-Control-Allow-Origin", origin);
    response.setHeader("Vary", "Origin");
  }
  if (request.method === "OPTIONS") {
    response.setHeader("Access-Control-Allow-Methods", "POST");
    response.setHeader("Access-Control-Allow-Headers", "content-type");
    response.setHeader("Access-Control-Max-Age", "600");
    response.writeHead(204).end();
    return;
  }
  const url = request.method === "GET" ? URL.parse(request.url ?? "/", LOCAL_BASE) : null;
  const got = url && (await beside(url));
  if (got !== null) return json(response, got.status, got.body);
  if (request.method !== "POST") {
    response.setHeader("Allow", "POST, OPTIONS");
    return refuse(response, 405, "send JSON-RPC requests with POST");
  }
  if (node === undefined) {
    response.setHeader("Retry-After", "1");
    return refuse(response, 503, "the chain is starting", RPC.rejected);
  }
  const body = await readBody(request);
  if (body === null) {
    response.setHeader("Connection", "close");
    return refuse(response, 413, `a request has at most ${MAX_BODY} bytes`, RPC.limitExceeded);
  }
  let parsed: unknown;
  try {
    parsed = JSON.parse(body);
  } catch {
    return json(response, 200, failure(null, new RpcError(RPC.parse, "the body is not JSON")));
  }
  const answered = await answer(node, parsed);
  if (answered === null) response.writeHead(204).end();
  else json(response, 200, answered);
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

function isLocalHost(host: string | undefined): boolean {
  return host !== undefined && LOCAL_NAMES.has(host.replace(/:\d+$/, "").toLowerCase());
}

function isTrustedOrigin(origin: string): boolean {
  const url = URL.parse(origin);
  if (url === null) return false;
  return EXTENSION_SCHEMES.has(url.protocol) || LOCAL_NAMES.has(url.hostname);
}

function refuse(
  response: ServerResponse,
  status: number,
  message: string,
  code: number = RPC.invalidRequest,
): void {
  json(response, status, failure(null, new RpcError(code, message)));
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

function portInUse(port: number, cause: Error): ChainStartError {
  return new ChainStartError(
    "port_in_use",
    `Port ${port} of 127.0.0.1 is in use. Stop what listens there, or set RPC_PORT to another port.`,
    { cause },
  );
}
