/**
 * Connections whose packets vanish. A network that drops them tells nobody: the kernel sends again for a
 * quarter of an hour before it gives up, and so long a query would wait.
 */
import type pg from "pg";

/** What is needed of a socket, plain or under TLS. */
interface Socket {
  readonly bytesRead: number;
  readonly destroyed: boolean;
  readonly timeout?: number;
  destroy(error?: Error): void;
  setTimeout(ms: number): void;
  on(event: "timeout", listener: () => void): void;
}

class Silence extends Error {
  readonly code = "ETIMEDOUT";

  constructor(patienceMs: number) {
    super(`the server did not respond for ${patienceMs} ms`);
    this.name = "Silence";
  }
}

/** The socket under a client; the pool itself reaches for it in the same way. */
function socketOf(client: pg.PoolClient): Socket {
  return (client as unknown as { connection: { stream: Socket } }).connection.stream;
}

function endOf(client: pg.PoolClient): Promise<void> {
  return new Promise((resolve) => {
    client.once("end", resolve);
    socketOf(client).destroy();
  });
}

/**
 * Ends a connection that is in use and hears nothing for so long, which fails its statement and all that follow on
 * it. It also ends the idle connections: they need not be tried, and waited for, one by one.
 */
export function endSilentConnections(pool: pg.Pool, patienceMs: number): void {
  const idle = new Set<pg.PoolClient>();
  const watched = new WeakSet<Socket>();

  const onSilence = (socket: Socket) => {
    const heard = socket.bytesRead;
    // After a pause of this very process the answer may lie there already.
    setImmediate(() => {
      if (socket.destroyed || socket.timeout === 0 || socket.bytesRead !== heard) return;
      // The statement fails last: what its caller tries next finds a pool without the others.
      void Promise.all([...idle].map(endOf)).then(() => socket.destroy(new Silence(patienceMs)));
      idle.clear();
    });
  };

  pool.on("acquire", (client) => {
    idle.delete(client);
    const socket = socketOf(client);
    if (!watched.has(socket)) {
      watched.add(socket);
      socket.on("timeout", () => onSilence(socket));
    }
    socket.setTimeout(patienceMs);
  });
  pool.on("release", (error, client) => {
    socketOf(client).setTimeout(0);
    if (!error) idle.add(client);
  });
  pool.on("remove", (client) => idle.delete(client));
}
