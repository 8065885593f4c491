/** One request as a client of the service makes it, over connections that are kept. */
import { once } from "node:events";
import { Agent, type IncomingMessage, type RequestOptions, request } from "node:http";
import { text as textOf } from "node:stream/consumers";
import { orElse } from "../../../attestor/values/orElse.ts";

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
  /** It is a POST then. */
  readonly json?: unknown;
  /** Of this machine, to be another client: 127.x.y.z. */
  readonly from?: string;
}

/** @param url of the service, or a function that returns it for each request */
export function createAsker(url: string | (() => string)): Asker {
  const agent = new Agent({ keepAlive: true });
  const ask = async (path: string, options: AskOptions = {}): Promise<Asked> => {
    const started = performance.now();
    const signal = AbortSignal.timeout(PATIENCE_MS);
    const to = new URL(path, typeof url === "string" ? url : url());
    const told = await answerOf(to, options, { agent, signal }).catch((error: NodeJS.ErrnoException) => {
      const outcome = signal.aborted ? "no answer" : (error.code ?? error.message);
      return { status: 0, outcome, headers: new Headers(), text: "" };
    });
    return { ...told, body: orElse(() => JSON.parse(told.text), undefined), ms: performance.now() - started };
  };
  return Object.assign(ask, { close: () => agent.destroy() });
}

async function answerOf(url: URL, { json, from, ...shown }: AskOptions, by: RequestOptions) {
  const body = json === undefined ? undefined : JSON.stringify(json);
  const outgoing = request(url, {
    ...by,
    method: body === undefined ? "GET" : "POST",
    headers: headersOf(shown, body),
    ...(from === undefined ? {} : { localAddress: from }),
  });
  // The reader gets any error after the answer has begun.
  outgoing.on("error", () => {});
  outgoing.end(body);
  const [answer] = (await once(outgoing, "response")) as [IncomingMessage];
  const text = await textOf(answer).catch(() => Promise.reject(new Error("cut off")));
  const { statusCode: status = 0, headers } = answer;
  const plain = Object.entries(headers).map(([name, value]): [string, string] => [name, String(value)]);
  return { status, outcome: String(status), headers: new Headers(plain), text };
}

function headersOf({ key, token, payment }: AskOptions, body: string | undefined) {
  const headers = {
    "x-api-key": key,
    authorization: token && `Bearer ${token}`,
    "payment-signature": payment,
    "content-type": body && "application/json",
    "content-length": body && Buffer.byteLength(body),
  };
  return Object.fromEntries(Object.entries(headers).filter(([, value]) => value !== undefined));
}
