/**
 * The ways between the parts: a proxy each, which can swallow packets as a network does. They run in a thread of their own,
 * since clients and ledger keep this one busy, and nobody shall take that for a slow network.
 */
import { once } from "node:events";
import { isMainThread, parentPort, Worker, workerData } from "node:worker_threads";
import { silentProxy } from "../../../test/support/silentProxy.ts";

export interface WayThrough {
  /** Where it is entered, on 127.0.0.1. */
  readonly port: number;
  /** From now on nothing is passed on, without an error. */
  silence(): void;
  /** Passes on what comes over new connections; those from before stay silent. */
  recover(): void;
}

interface Order {
  readonly name: string;
  readonly action: "silence" | "recover";
}

/** @param targets ports that the ways lead to, by their names */
export async function openWays<Name extends string>(targets: Readonly<Record<Name, number>>) {
  const worker = new Worker(new URL(import.meta.url), { workerData: targets });
  const [ports] = (await once(worker, "message")) as [Record<Name, number>];
  const tell = (order: Order) => worker.postMessage(order);
  const names = Object.keys(targets) as Name[];
  const ways = names.map((name) => [
    name,
    {
      port: ports[name],
      silence: () => tell({ name, action: "silence" }),
      recover: () => tell({ name, action: "recover" }),
    },
  ]);
  return { ways: Object.fromEntries(ways), close: () => worker.terminate() };
}

async function serve(targets: Readonly<Record<string, number>>): Promise<void> {
  const entries = await Promise.all(
    Object.entries(targets).map(async ([name, port]) => [name, await silentProxy(port)] as const),
  );
  const proxies = new Map(entries);
  parentPort?.on("message", ({ name, action }: Order) => proxies.get(name)?.[action]());
  parentPort?.postMessage(Object.fromEntries(entries.map(([name, { port }]) => [name, port])));
}

if (!isMainThread) await serve(workerData);
