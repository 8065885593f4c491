/** An HTTP server that starts with clear words and ends with the requests that it has begun. */
import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
  STATUS_CODES,
} from "node:http";
import { Server as NetServer, type Socket } from "node:net";
import { setImmediate as nextTurn, setTimeout as sleep } from "node:timers/promises";
import { isTimeout } from "./body.ts";
import { networkOf } from "./limits.ts";
import { Problem } from "./problems.ts";

/** How long a request may take to arrive, and its headers alone. */
const TIMEOUTS = { requestMs: 30_000, headersMs: 10_000 };
/** How soon one that takes longer is found. */
const CHECK_SLOW_MS = 1_000;
/** For a client to read why its connection is closed; one that does not close it is cut off then. */
const LINGER_MS = 1_000;
/** Open connections of one address, of IPv6 one /64. An office behind one address keeps fewer. */
const CONNECTIONS_PER_ADDRESS = 512;
const CROWDED_LOG_MS = 60_000;
/** Longer than balancers keep a connection that is not used: the end that closes it must not be the one that is asked. */
const KEEP_ALIVE_MS = 75_000;
/** At shutdown: a client may use its connection once more, and learns that it was the last time. */
const LONGEST_IDLE_MS = 500;
const CLOSE_EVERY_MS = 20;
/** In the end: for taking the connections that the kernel has made already. */
const LONGEST_TAKING_MS = 1_000;
/** For so long nobody shall have come: who had an answer a moment ago and comes again at once is here by then. */
const QUIET_LOOKS = 15;
const LOOK_AGAIN_MS = 2;

export interface ListenOptions {
  readonly host: string;
  /** 0 takes a free one. */
  readonly port: number;
  newRequestId(): string;
  /** Whether it is a proxy, whose connections are those of many clients, and not bounded. */
  isProxy?(address: string): boolean;
  readonly connectionsPerAddress?: number;
  /** Told once a minute at most of an address that opens more connections than it may have. */
  onCrowded?(address: string): void;
  readonly timeouts?: typeof TIMEOUTS;
}

export type Listening = Awaited<ReturnType<typeof listen>>;

/** @throws Error in words for people when the address cannot be had */
export async function listen(handler: RequestListener, options: ListenOptions) {
  const running = new Set<ServerResponse>();
  /** Requests that wait for the port to be closed. */
  const held: (() => void)[] = [];
  let ending = false;
  let closing = false;
  const { timeouts = TIMEOUTS } = options;
  const serve: RequestListener = (request, response) => {
    if (ending) response.setHeader("Connection", "close");
    running.add(response);
    response.once("close", () => running.delete(response));
    const begin = () => {
      if (lacksHost(request)) refuseWithoutHost(response, options.newRequestId());
      else handler(request, response);
    };
    if (closing) held.push(begin);
    else begin();
  };
  // Node's own refusals of a missing Host and of an unknown Expect are empty: the first is refused here, and the second
  // may be ignored (RFC 9110 10.1.1).
  const server = createServer(
    { connectionsCheckingInterval: CHECK_SLOW_MS, requireHostHeader: false },
    serve,
  );
  server.on("checkExpectation", serve);
  server.requestTimeout = timeouts.requestMs;
  server.headersTimeout = timeouts.headersMs;
  server.keepAliveTimeout = KEEP_ALIVE_MS;
  server.on("connection", boundConnections(options));
  server.on("clientError", (error, socket) => {
    // Good requests that came before it on the same connection get their answers first. One whose own body
    // broke off will never be answered.
    const before = [...running].filter(({ req }) => req.socket === socket && req.complete);
    void Promise.all(
      before.map((response) => new Promise((resolve) => response.once("close", resolve))),
    ).then(() => refuse(error, socket as Socket, options.newRequestId()));
  });
  const drain = () => {
    ending = true;
    for (const response of running) if (!response.headersSent) response.setHeader("Connection", "close");
  };
  await bind(server, options);
  const address = server.address();
  const port = typeof address === "object" && address ? address.port : options.port;
  const host = options.host.includes(":") ? `[${options.host}]` : options.host;
  return {
    /** `http://host:port` */
    url: `http://${host}:${port}`,
    port,
    /** Serves on, and says with each answer from now on that it was the connection's last. */
    drain,
    /** Takes no new connection, lets running requests end, and cuts off those that outlive the time given. */
    stop: async (graceMs: number) => {
      drain();
      closing = true;
      const end = new AbortController();
      await untilAllAreTaken(server);
      // Not that of HTTP, which would cut off clients that are just about to send on a connection they hold.
      const closed = new Promise<void>((resolve) => NetServer.prototype.close.call(server, () => resolve()));
      closing = false;
      for (const begin of held.splice(0)) begin();
      const ended = closed.then(() => end.abort());
      await Promise.all([ended, closeIdle(server, graceMs, end.signal), cutOff(server, graceMs, end.signal)]);
      server.close();
    },
  };
}

/**
 * The kernel makes connections before anybody takes them, and resets those that wait when the port is closed. Requests
 * are held meanwhile, so that clients which open a connection for each do not come again before it is.
 */
async function untilAllAreTaken(server: Server): Promise<void> {
  let taken = 0;
  let late = false;
  const count = () => {
    taken++;
  };
  const end = new AbortController();
  void pause(LONGEST_TAKING_MS, end.signal).then(() => {
    late = true;
  });
  server.on("connection", count);
  for (let quiet = 0, before = 0; quiet < QUIET_LOOKS && !late; before = taken) {
    // A turn takes at most one of them.
    await nextTurn();
    quiet = taken === before ? quiet + 1 : 0;
    if (quiet > 0) await sleep(LOOK_AGAIN_MS);
  }
  server.off("connection", count);
  end.abort();
}

/** A connection that is kept for the client's next request would hold up the end. */
async function closeIdle(server: Server, graceMs: number, signal: AbortSignal): Promise<void> {
  await pause(Math.min(LONGEST_IDLE_MS, graceMs / 10), signal);
  while (!signal.aborted) {
    // What came while the process was busy is no idle connection's: it is read first.
    await nextTurn();
    await nextTurn();
    server.closeIdleConnections();
    await pause(CLOSE_EVERY_MS, signal);
  }
}

async function cutOff(server: Server, graceMs: number, signal: AbortSignal): Promise<void> {
  await pause(graceMs, signal);
  if (!signal.aborted) server.closeAllConnections();
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return sleep(ms, undefined, { signal }).catch(() => {});
}

function bind(server: Server, { host, port }: ListenOptions): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", (error: NodeJS.ErrnoException) => {
      const messages: Record<string, string> = {
        EADDRINUSE: `port ${port} on ${host} is in use: end the other program, or set PORT to another port`,
        EACCES: `port ${port} on ${host} may not be used by this user: set PORT to one above 1023`,
        EADDRNOTAVAIL: `HOST ${host} is not an address of this machine`,
        ENOTFOUND: `HOST ${host} is not an address of this machine`,
      };
      reject(new Error(messages[error.code ?? ""] ?? `cannot listen on ${host}:${port}`, { cause: error }));
    });
    server.listen(port, host, resolve);
  });
}

/** Destroys connections of an address beyond what it may have: an answer would cost more than they do. */
function boundConnections(options: ListenOptions) {
  const { isProxy = () => false, connectionsPerAddress = CONNECTIONS_PER_ADDRESS, onCrowded } = options;
  const open = new Map<string, number>();
  let isSaid = false;
  return (socket: Socket): void => {
    const address = socket.remoteAddress;
    // The client has left already.
    if (address === undefined) return void socket.destroy();
    if (isProxy(address)) return;
    const network = networkOf(address);
    const count = open.get(network) ?? 0;
    if (count >= connectionsPerAddress) {
      socket.destroy();
      if (isSaid) return;
      isSaid = true;
      setTimeout(() => {
        isSaid = false;
      }, CROWDED_LOG_MS).unref();
      onCrowded?.(address);
      return;
    }
    open.set(network, count + 1);
    socket.once("close", () => {
      const left = (open.get(network) ?? 1) - 1;
      if (left === 0) open.delete(network);
      else open.set(network, left);
    });
  };
}

/** What a request that never reaches a route is told. */
function problemOf({ code }: NodeJS.ErrnoException): Problem {
  if (isTimeout(code)) return new Problem("request_timeout", "the request did not arrive in time");
  const detail =
    code === "HPE_HEADER_OVERFLOW" ? "the headers are too large" : "this is not a readable HTTP request";
  return new Problem("invalid_request", detail);
}

/** RFC 9112 3.2: a request of HTTP/1.1 must name a host. */
function lacksHost({ headers, httpVersion }: IncomingMessage): boolean {
  return headers.host === undefined && httpVersion === "1.1";
}

function refuseWithoutHost(response: ServerResponse, requestId: string): void {
  const problem = new Problem("invalid_request", "the header Host is missing");
  const { headers, body } = lastAnswer(problem, requestId);
  response.writeHead(problem.status, headers).end(body);
}

/** The answer to a request that never reaches a route. Its connection ends with it. */
function lastAnswer(problem: Problem, requestId: string) {
  const body = JSON.stringify(problem.body(requestId));
  const headers = {
    "Content-Type": "application/problem+json",
    "Cache-Control": "no-store, private",
    "X-Request-Id": requestId,
    "Content-Length": Buffer.byteLength(body),
    Connection: "close",
  };
  return { headers, body };
}

/** Answers input that is not HTTP, or comes too slowly, and ends its connection, whatever the client does. */
function refuse(error: NodeJS.ErrnoException, socket: Socket, requestId: string): void {
  if (error.code === "ECONNRESET" || !socket.writable) {
    socket.destroy();
    return;
  }
  const problem = problemOf(error);
  const { headers, body } = lastAnswer(problem, requestId);
  const answer = [
    `HTTP/1.1 ${problem.status} ${STATUS_CODES[problem.status]}`,
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    "",
    body,
  ].join("\r\n");
  const cut = () => socket.destroy(error);
  // A request that came too late must not be carried out after its refusal.
  if (isTimeout(error.code)) {
    socket.end(answer, cut);
    return;
  }
  socket.end(answer);
  const timer = setTimeout(cut, LINGER_MS).unref();
  socket.once("close", () => clearTimeout(timer));
}
