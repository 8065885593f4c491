/** A local server in a provider's place, which answers as a test tells it to, well or badly. */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { text } from "node:stream/consumers";
import { listening } from "../ports.ts";

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
export interface FakeUpstream extends AsyncDisposable {
  readonly url: string;
  /** Every request, in order. */
  readonly asked: Asked[];
  /** The replies to come, one each; the last one repeats itself. */
  reply(...replies: Reply[]): void;
  close(): Promise<void>;
}

export async function startFakeUpstream(): Promise<FakeUpstream> {
  const asked: Asked[] = [];
  let replies: Reply[] = [];
  const server = createServer(async (request, response) => {
    const sent = await text(request);
    const path = request.url ?? "";
    const question: Asked = {
      method: request.method ?? "",
      path,
      query: new URL(path, "http://local").searchParams,
      headers: request.headers,
      body: sent ? JSON.parse(sent) : null,
    };
    asked.push(question);
    const reply = replies.length > 1 ? replies.shift() : replies[0];
    (reply ?? status(500, "no reply was set"))(question, response);
  });
  const { url, close } = await listening(server);
  return {
    url,
    asked,
    reply: (...next) => {
      replies = next;
    },
    close,
    [Symbol.asyncDispose]: close,
  };
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
  const text = JSON.stringify(body);
  return (_asked, response) => {
    response.writeHead(200, { "content-type": "application/json" });
    response.end(text.slice(0, Math.ceil(text.length / 2)));
  };
}

/** The front half of a body whose connection then breaks. */
export const broken: Reply = (_asked, response) => {
  response.writeHead(200, { "content-type": "application/json", "content-length": "1000" });
  response.write('{"half":');
  setImmediate(() => response.destroy());
};

/** Never answers; `then` runs when the request is in. */
export function hanging(then: () => void): Reply {
  return () => then();
}

/** Answers with a head and the beginning of a body, and then no more. */
export function hangingBody(then: () => void): Reply {
  return (_asked, response) => {
    response.writeHead(200, { "content-type": "application/json" });
    response.write('{"half":', () => setImmediate(then));
  };
}
