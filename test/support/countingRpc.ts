/** An RPC in front of a real one that counts what is asked: one entry a request, with the methods of its batch. */
import { text } from "node:stream/consumers";
import { type LocalServer, localServer, passOn } from "./ports.ts";

export interface CountingRpc extends LocalServer {
  readonly requests: string[][];
  /** Each call of all the batches, in order. */
  readonly calls: { readonly method: string; readonly params: readonly unknown[] }[];
}

export async function countingRpc(target: string): Promise<CountingRpc> {
  const requests: string[][] = [];
  const calls: CountingRpc["calls"] = [];
  const server = await localServer(async (request, response) => {
    const body = await text(request);
    if (request.method === "GET") return passOn(request, response, target);
    const batch: CountingRpc["calls"] = [JSON.parse(body)].flat();
    const methods = batch.map(({ method }) => method);
    requests.push(methods);
    calls.push(...batch);
    const headers = { "content-type": "application/json" };
    const real = await fetch(target, { method: "POST", headers, body });
    response.setHeader("content-type", "application/json");
    response.end(await real.text());
  });
  return { ...server, requests, calls };
}
