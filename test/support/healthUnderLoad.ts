/**
 * A worker that asks many things of a service at once and meanwhile how it is doing. A thread of its own, since the
 * service runs in the main one: what blocks that is to be seen from outside.
 */
import { once } from "node:events";
import { Agent, get } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { isMainThread, parentPort, Worker, workerData } from "node:worker_threads";

interface Load {
  readonly url: string;
  readonly requests: readonly { readonly path: string; readonly key: string }[];
}

export interface UnderLoad {
  readonly statuses: readonly number[];
  /** Milliseconds that /healthz took at most, and how often it was asked. */
  readonly slowest: number;
  readonly asked: number;
}

/** Asks all at once. */
export async function healthUnderLoad(load: Load): Promise<UnderLoad> {
  const worker = new Worker(import.meta.filename, { workerData: load });
  const [result] = (await once(worker, "message")) as [UnderLoad];
  await worker.terminate();
  return result;
}

function ask(agent: Agent, url: string, headers: Record<string, string> = {}): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  const request = get(url, { agent, headers }, (response) => {
    response.resume();
    response.once("end", () => resolve(response.statusCode ?? 0));
    response.once("error", reject);
  });
  request.once("error", reject);
  return promise;
}

async function run({ url, requests }: Load): Promise<UnderLoad> {
  const [ofLoad, ofHealth] = [new Agent({ keepAlive: true }), new Agent({ keepAlive: true })];
  const health = () => ask(ofHealth, `${url}/healthz`);
  await health();
  let isOver = false;
  const answered = Promise.all(
    requests.map(({ path, key }) => ask(ofLoad, url + path, { "x-api-key": key })),
  ).finally(() => {
    isOver = true;
  });
  let [slowest, asked] = [0, 0];
  while (!isOver) {
    const begun = performance.now();
    await health();
    slowest = Math.max(slowest, performance.now() - begun);
    asked++;
    await sleep(5);
  }
  return { statuses: await answered, slowest, asked };
}

if (!isMainThread) parentPort?.postMessage(await run(workerData as Load));
