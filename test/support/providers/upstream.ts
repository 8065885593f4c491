/** A local server in a provider's place, which answers as a test tells it to, well or badly. */
import type { IncomingMessage, ServerResponse } from "node:http";
import { text } from "node:stream/consumers";
import { type LocalServer, localServer } from "../ports.ts";

export interface Asked {
  readonly method: string;
  /** With its query. */
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingMessage["headers"];
  /** Parsed from JSON; null without a body. */
  readonly body: any;
}

export type Reply = (asked: Asked, response: ServerResponse) => void;

/** One of a test's own is ended by `await using`. */
export interface FakeUpstream extends LocalServer {
  /** Every request, in order. */
  readonly asked: Asked[];
  /** The replies to come, one each; the last one repeats itself. */
  reply(...replies: Reply[]): void;
}

export async function startFakeUpstream(): Promise<FakeUpstream> {
  const asked: Asked[] = [];
  let replies: Reply[] = [];
  const server = await localServer(async (request, response) => {
    const body = await text(request);
    const path = request.url ?? "";
    const question: Asked = {
      method: request.method ?? "",
      path,
      query: new URL(path, "http://local").searchParams,
      headers: request.headers,
      body: body ? JSON.parse(body) : null,
    };
    asked.push(question);
    const reply = replies.length > 1 ? replies.shift() : replies[0];
    (reply ?? status(500, "no reply was set"))(question, response);
  });
  const reply = (...next: Reply[]) => {
    replies = next;
  };
  return { ...server, asked, reply };
}

export function json(body: unknown, code = 200, headers: Record<string, string> = {}): Reply {
  return (_asked, response) => {
    response.writeHead(code, { "content-type": "application/json", ...headers });
    response.end(JSON.stringify(body));
  };
}

/** Answers by the path, so that an adapter may ask in any order. */
export function byPath(routes: Record<string, unknown>): Reply {
  return (asked, response) => {
    const found = Object.entries(routes).find(([path]) => asked.path.startsWith(path));
    (found ? json(found[1]) : status(404, "{}"))(asked, response);
  };
}

export function status(code: number, body = "", headers: Record<string, string> = {}): Reply {
  return (_asked, response) => {
    response.writeHead(code, headers);
    response.end(body);
  };
}

export const html: Reply = (_asked, response) => {
  response.writeHead(200, { "content-type": "text/html" });
  response.end("<!doctype html><title>Just a moment…</title>");
};

/** The front half of a body that says it is complete. */
export function truncated(body: unknown): Reply {
  const whole = JSON.stringify(body);
  return (_asked, response) => {
    response.writeHead(200, { "content-type": "application/json" });
    response.end(whole.slice(0, Math.ceil(whole.length / 2)));
  };
}

/** The front half of a body whose connection then breaks. */
export const broken: Reply = (_asked, response) => {
  response.writeHead(200, { "content-type": "application/json", "content-length": "1000" });
  response.write('{"half":');
  setImmediate(() => response.destroy());
};

/** Never answers; `then` runs when the request is in. */
export const hanging =
  (then: () => void): Reply =>
  () =>
    then();

/** Answers with a head and the beginning of a body, and then no more. */
export function hangingBody(then: () => void): Reply {
  return (_asked, response) => {
    response.writeHead(200, { "content-type": "application/json" });
    response.write('{"half":', () => setImmediate(then));
  };
}
