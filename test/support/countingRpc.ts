/** An RPC in front of a real one that counts what is asked: one entry a request, with the methods of its batch. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

export interface CountingRpc {
  readonly url: string;
  readonly requests: string[][];
  /** Each call of all the batches, in order. */
  readonly calls: { readonly method: string; readonly params: readonly unknown[] }[];
  close(): Promise<void>;
}

export async function countingRpc(target: string): Promise<CountingRpc> {
  const requests: string[][] = [];
  const calls: CountingRpc["calls"] = [];
  const server = createServer((request, response) => {
    void (async () => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk);
      const body = Buffer.concat(chunks).toString("utf8");
      const batch: CountingRpc["calls"] = [JSON.parse(body)].flat();
      requests.push(batch.map(({ method }) => method));
      calls.push(...batch);
      const headers = { "content-type": "application/json" };
      const real = await fetch(target, { method: "POST", headers, body });
      response.setHeader("content-type", "application/json");
      response.end(await real.text());
    })().catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    calls,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
