/** A service that lies: in front of a real one, and changes what passes. */
import { text } from "node:stream/consumers";
import { type LocalServer, localServer } from "./ports.ts";

/**
 * @param target where the real one stands, without a slash at the end
 * @param change of each request's and each answer's body; `path` is the request's
 */
export async function rewriting(
  target: string,
  change: (body: string, path: string) => string,
): Promise<LocalServer> {
  return localServer(async (request, response) => {
    const path = request.url ?? "/";
    const headers = new Headers();
    for (const name of ["content-type", "accept", "authorization", "payment-signature"]) {
      const value = request.headers[name];
      if (typeof value === "string") headers.set(name, value);
    }
    const isRead = request.method === "GET" || request.method === "HEAD";
    const body = isRead ? null : change(await text(request), path);
    try {
      const answer = await fetch(`${target}${path}`, { method: request.method ?? "GET", headers, body });
      const changed = change(await answer.text(), path);
      for (const [name, value] of answer.headers)
        if (!/^(content-length|content-encoding|transfer-encoding|connection|keep-alive)$/.test(name))
          response.setHeader(name, value);
      response.writeHead(answer.status).end(changed);
    } catch (error) {
      response.writeHead(502).end(String(error));
    }
  });
}
