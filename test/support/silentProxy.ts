/** A TCP proxy that can fall silent as a network does: packets vanish, and nobody is notified. */
import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";

/** One of a test's own is ended by `await using`. @param port where the server listens, on 127.0.0.1 */
async function silentProxy(port: number) {
  const sockets = new Set<Socket>();
  let silent = false;
  let generation = 0;
  const server = createServer((client) => {
    const own = generation;
    const upstream = connect(port, "127.0.0.1");
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
  const address = server.address();
  const close = async (): Promise<void> => {
    for (const socket of sockets) socket.destroy();
    server.close();
    await once(server, "close");
  };
  return {
    port: typeof address === "object" && address ? address.port : 0,
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

export type ThroughProxy = Awaited<ReturnType<typeof throughProxy>>;

/** With the URL, which has the proxy's port in the place of the server's. */
export async function throughProxy(url: string) {
  const through = new URL(url);
  const proxy = await silentProxy(Number(through.port));
  through.port = String(proxy.port);
  return { ...proxy, url: through.href };
}
