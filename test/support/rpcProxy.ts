/** A JSON-RPC node that fails when it is told to, in front of one that does not. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { Secret } from "../../api/secret.ts";

export interface RpcProxy {
  url(): Promise<Secret>;
  close(): Promise<void>;
}

export type Answer = { result: unknown } | { error: { code: number; message: string; data?: unknown } };

/**
 * @param intercept per request: true drops the connection, "after" lets the node do it and drops the answer, an
 * answer is given in the node's place, and anything falsy goes through
 */
export async function rpcProxy(
  target: string,
  intercept: (method: string, params: readonly unknown[]) => boolean | "after" | Answer | undefined,
): Promise<RpcProxy> {
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks).toString("utf8");
    const { id, method, params } = JSON.parse(body) as { id: number; method: string; params: unknown[] };
    const verdict = intercept(method, params);
    if (verdict === true) return void request.socket.destroy();
    response.setHeader("content-type", "application/json");
    if (verdict && verdict !== "after")
      return void response.end(JSON.stringify({ jsonrpc: "2.0", id, ...verdict }));
    const answer = await fetch(target, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body,
    });
    const text = await answer.text();
    if (verdict === "after") request.socket.destroy();
    else response.end(text);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: async () => new Secret(`http://127.0.0.1:${port}`),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
