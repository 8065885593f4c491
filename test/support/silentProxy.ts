/** A TCP proxy that can fall silent as a network does: packets vanish, and nobody is notified. */
import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";

export type ThroughProxy = Awaited<ReturnType<typeof throughProxy>>;

/** One of a test's own is ended by `await using`. @param url of a server on 127.0.0.1 */
export async function throughProxy(url: string) {
  const through = new URL(url);
  const behind = Number(through.port);
  const sockets = new Set<Socket>();
  let silent = false;
  let generation = 0;
  const server = createServer((client) => {
    const own = generation;
    const upstream = connect(behind, "127.0.0.1");
    const passes = () => !silent && own === generation;
    for (const [from, to] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(from);
      from.on("data", (chunk) => passes() && to.write(chunk));
      from.on("error", () => {});
      from.on("close", () => {
        sockets.delete(from);
        if (passes()) to.destroy();
      });
    }
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  through.port = String((server.address() as AddressInfo).port);
  const close = async (): Promise<void> => {
    for (const socket of sockets) socket.destroy();
    server.close();
    await once(server, "close");
  };
  return {
    /** The same with the proxy's port in the place of the server's. */
    url: through.href,
    /** From now on nothing is passed on, of connections that stand or of new ones. None is closed. */
    silence: () => {
      silent = true;
      generation++;
    },
    /** Passes on what comes over new connections. Older ones stay silent, as after a failover. */
    recover: () => {
      silent = false;
      generation++;
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}
