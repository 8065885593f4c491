/** One request as a client of the service makes it, over connections that are kept. */
import { Agent, request } from "node:http";

const PATIENCE_MS = 15_000;

export interface Asked {
  /** 0: no answer. */
  readonly status: number;
  /** Its status, or why there was none. */
  readonly outcome: string;
  readonly headers: Headers;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: parsed JSON of the service under rehearsal; the ledger checks what it keeps
  readonly body: any;
  /** Milliseconds. */
  readonly ms: number;
}

export interface Asker {
  (path: string, options?: AskOptions): Promise<Asked>;
  close(): void;
}

export interface AskOptions {
  readonly key?: string;
  readonly token?: string;
  readonly payment?: string;
  /** Of a wallet. */
  readonly signIn?: string;
  /** JSON without. */
  readonly accept?: string;
  /** It is a POST then. */
  readonly json?: unknown;
  /** Of this machine, to be another client: 127.x.y.z. */
  readonly from?: string;
}

/** @param url where the service stands, or stands at each request */
export function createAsker(url: string | (() => string)): Asker {
  const agent = new Agent({ keepAlive: true });
  const ask = (path: string, { key, token, payment, signIn, accept, json, from }: AskOptions = {}) =>
    new Promise<Asked>((resolve) => {
      const started = performance.now();
      const body = json === undefined ? undefined : JSON.stringify(json);
      const end = (status: number, outcome: string, headers = new Headers(), text = "") =>
        resolve({ status, outcome, headers, text, body: parsed(text), ms: performance.now() - started });
      const outgoing = request(
        new URL(path, typeof url === "string" ? url : url()),
        {
          agent,
          method: body === undefined ? "GET" : "POST",
          headers: {
            ...(key === undefined ? {} : { "x-api-key": key }),
            ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
            ...(payment === undefined ? {} : { "payment-signature": payment }),
            ...(accept === undefined ? {} : { accept }),
            ...(signIn === undefined ? {} : { "sign-in-with-x": signIn }),
            ...(body === undefined
              ? {}
              : { "content-type": "application/json", "content-length": Buffer.byteLength(body) }),
          },
          ...(from === undefined ? {} : { localAddress: from }),
        },
        (answer) => {
          const parts: Buffer[] = [];
          answer.on("data", (part: Buffer) => parts.push(part));
          answer.on("end", () => {
            const status = answer.statusCode ?? 0;
            const headers = new Headers(
              Object.entries(answer.headers).map(([name, value]) => [name, String(value)]),
            );
            clearTimeout(timer);
            end(status, String(status), headers, Buffer.concat(parts).toString("utf8"));
          });
          answer.on("error", () => {
            clearTimeout(timer);
            end(0, "cut off");
          });
        },
      );
      const timer = setTimeout(() => {
        end(0, "no answer");
        outgoing.destroy();
      }, PATIENCE_MS);
      outgoing.on("error", (error: NodeJS.ErrnoException) => {
        clearTimeout(timer);
        end(0, error.code ?? error.message);
      });
      outgoing.end(body);
    });
  return Object.assign(ask, { close: () => agent.destroy() });
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
