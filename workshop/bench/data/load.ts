/**
 * Load from a thread of its own, so that the server is what gets measured: connections that are kept, each
 * with one request after the other. Answers are counted by their length and not looked at.
 */
import { connect } from "node:net";
import { parentPort, Worker } from "node:worker_threads";

export interface LoadOrder {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly connections: number;
  readonly requests: number;
}

export type Load = ReturnType<typeof startLoad>;

export function startLoad() {
  const worker = new Worker(new URL(import.meta.url));
  return {
    /** Its round throws an error when an answer is not 200. */
    contestant: (name: string, order: LoadOrder) => ({
      name,
      round: () =>
        new Promise<number>((resolve, reject) => {
          worker.once("message", (error: string | null) =>
            error === null ? resolve(order.requests) : reject(new Error(error)),
          );
          worker.postMessage(order);
        }),
    }),
    stop: async () => {
      await worker.terminate();
    },
  };
}

function oneConnection(order: LoadOrder, take: () => boolean): Promise<void> {
  const { hostname, port, pathname, search } = new URL(order.url);
  const request = [
    `GET ${pathname}${search} HTTP/1.1`,
    `Host: ${hostname}`,
    ...Object.entries(order.headers).map(([name, value]) => `${name}: ${value}`),
    "",
    "",
  ].join("\r\n");
  return new Promise((resolve, reject) => {
    const socket = connect({ host: hostname, port: Number(port) });
    /** Bytes of the running answer that are still to come; null: its head is. */
    let left: number | null = null;
    let head = "";
    const next = () => {
      if (take()) socket.write(request);
      else socket.end();
    };
    socket.once("connect", next);
    socket.once("close", () => resolve());
    socket.once("error", reject);
    socket.on("data", (chunk) => {
      if (left === null) {
        head += chunk.toString("latin1");
        const end = head.indexOf("\r\n\r\n");
        if (end < 0) return;
        const length = /content-length: (\d+)/i.exec(head)?.[1];
        if (!head.startsWith("HTTP/1.1 200 ") || length === undefined) {
          socket.destroy();
          reject(new Error(head.slice(0, 300)));
          return;
        }
        left = Number(length) - (head.length - end - 4);
        head = "";
      } else left -= chunk.length;
      if (left > 0) return;
      left = null;
      next();
    });
  });
}

parentPort?.on("message", async (order: LoadOrder) => {
  let { requests } = order;
  const take = () => requests-- > 0;
  try {
    await Promise.all(Array.from({ length: order.connections }, () => oneConnection(order, take)));
    parentPort?.postMessage(null);
  } catch (error) {
    parentPort?.postMessage(String(error));
  }
});
