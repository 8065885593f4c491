/**
 * GET /metrics on a port of its own: figures of the business are for operators, and the API's port is for everybody.
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import { type Listening, listen } from "../http/listen.ts";
import { CONTENT_TYPE } from "./metrics.ts";

export interface MetricsDeps {
  readonly host: string;
  /** 0 takes a free one. */
  readonly port: number;
  /** The whole answer. */
  readonly collect: () => Promise<string>;
  readonly newRequestId: () => string;
  readonly log: { warn(details: object, message: string): void };
}

/** @throws Error in words for people when the address cannot be had */
export async function listenForMetrics({
  host,
  port,
  collect,
  newRequestId,
  log,
}: MetricsDeps): Promise<Listening> {
  const handle = async (request: IncomingMessage, response: ServerResponse) => {
    const { pathname } = new URL(request.url ?? "/", "http://localhost");
    if (pathname !== "/metrics") return answer(response, 404, "Only /metrics is served here.\n");
    if (request.method !== "GET" && request.method !== "HEAD") {
      response.setHeader("Allow", "GET, HEAD");
      return answer(response, 405, "Use GET.\n");
    }
    try {
      answer(response, 200, await collect());
    } catch (error) {
      log.warn({ err: error }, "the metrics could not be collected");
      answer(response, 503, "The metrics cannot be collected at the moment.\n");
    }
  };
  try {
    return await listen((request, response) => void handle(request, response), { host, port, newRequestId });
  } catch (error) {
    // The words are those of the API's own port.
    const message = (error as Error).message.replace(/\b(PORT|HOST)\b/g, "METRICS_$1");
    throw new Error(message, { cause: error });
  }
}

function answer(response: ServerResponse, status: number, text: string): void {
  response
    .writeHead(status, {
      "Content-Type": status === 200 ? CONTENT_TYPE : "text/plain; charset=utf-8",
      "Cache-Control": "no-store",
      "X-Content-Type-Options": "nosniff",
    })
    .end(text);
}
