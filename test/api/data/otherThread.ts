/** Asks many things of a service at once, from a thread of its own: what the main one works is then the service's. */
import { once } from "node:events";
import { Agent, get } from "node:http";
import { isMainThread, parentPort, Worker, workerData } from "node:worker_threads";

interface Load {
  readonly url: string;
  readonly requests: readonly { readonly path: string; readonly key: string }[];
}

/** @returns the statuses of the answers */
export async function askFromOtherThread(load: Load): Promise<number[]> {
  const worker = new Worker(import.meta.filename, { workerData: load });
  const [statuses] = (await once(worker, "message")) as [number[]];
  await worker.terminate();
  return statuses;
}

function ask(agent: Agent, url: string, headers: Record<string, string>): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  const request = get(url, { agent, headers }, (response) => {
    response.resume();
    response.once("end", () => resolve(response.statusCode ?? 0));
    response.once("error", reject);
  });
  request.once("error", reject);
  return promise;
}

function run({ url, requests }: Load): Promise<number[]> {
  const agent = new Agent({ keepAlive: true });
  return Promise.all(requests.map(({ path, key }) => ask(agent, url + path, { "x-api-key": key })));
}

if (!isMainThread) parentPort?.postMessage(await run(workerData as Load));
