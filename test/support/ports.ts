/** Ports that nobody has. */
import { once } from "node:events";
import {
  type Agent,
  createServer,
  get,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from "node:http";
import { type AddressInfo, createServer as createProbe } from "node:net";

export async function freePort(): Promise<number> {
  const probe = createProbe().listen(0, "127.0.0.1");
  await once(probe, "listening");
  const address = probe.address();
  probe.close();
  await once(probe, "close");
  return typeof address === "object" && address ? address.port : 0;
}

/** A server on this machine. One of a test's own is ended by `await using`. */
export interface LocalServer extends AsyncDisposable {
  readonly url: string;
  /** Waits for nobody who is still connected. */
  close(): Promise<void>;
}

/** Lets a server listen there, on this machine alone. */
export async function listening(server: Server): Promise<LocalServer> {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const close = async (): Promise<void> => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close,
    [Symbol.asyncDispose]: close,
  };
}

/** A substitute for a service. @param answer where it rejects, the connection is cut */
export async function localServer(
  answer: (...asked: Parameters<RequestListener>) => unknown,
): Promise<LocalServer> {
  return listening(
    createServer((request, response) => {
      void (async () => answer(request, response))().catch(() => response.destroy());
    }),
  );
}

/**
 * One GET over the agent's connection; `false`: over one of its own.
 * @returns the code of what went wrong, or null where the whole answer came
 */
export function faultOfGet(url: string, agent: Agent | false): Promise<string | null> {
  return new Promise((resolve) => {
    const failed = (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message);
    get(url, { agent }, (response) => {
      response.resume();
      response.once("end", () => resolve(null)).once("error", failed);
    }).once("error", failed);
  });
}

/** Answers a GET as the server behind does: the local chain's prices are where its RPC is. */
export async function passOn(
  { url = "/" }: IncomingMessage,
  response: ServerResponse,
  target: string,
): Promise<void> {
  const real = await fetch(new URL(url, target));
  response.writeHead(real.status, { "content-type": real.headers.get("content-type") ?? "" });
  response.end(await real.text());
}
