/** One process on SQLite, and what it grows into: the parts that each step of docs/operations.md adds. */
import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { JsonRpcProvider } from "ethers";
import type { Deployment } from "../../../chain/deployment.ts";
import { type Database, openDatabase } from "../../../database/open.ts";
import { localAccounts } from "../../../devnet/accounts.ts";
import { startFacilitator } from "../../../test/support/paymentFacilitator.ts";
import { freePort } from "../../../test/support/ports.ts";
import type { TestWorld } from "../../../test/support/world.ts";
import type { Programs } from "../shape/packages.ts";
import type { Part } from "../shape/part.ts";
import {
  type Keep,
  openFolder,
  type ServiceProcess,
  serviceProcess,
  settingsOf,
  startChainOf,
  writeKeys,
} from "../shape/shape.ts";

export interface Growing {
  readonly folder: string;
  readonly programs: Programs;
  readonly deployment: Deployment;
  readonly provider: JsonRpcProvider;
  /** Where clients find the service now. */
  url: string;
  /** Of the processes that are started from here on. */
  readonly settings: Record<string, string>;
  /** Those that run. */
  services: ServiceProcess[];
  /** Where clients will find it once there is a balancer. */
  readonly frontPort: number;
  readonly keep: Keep;
  /** The database of now, without a detour. */
  db(): Database;
  /** From here on the database is this one. */
  moveTo(databaseUrl: string): void;
  start(role: ServiceProcess["role"], name: string): Promise<ServiceProcess>;
  /** Ends each and starts it with the settings of now, one after the other. */
  restart(services: readonly ServiceProcess[]): Promise<void>;
  stop(): Promise<void>;
}

/** @throws Error with the end of the log of what did not start */
export async function startGrowing(programs: Programs, say: (line: string) => void): Promise<Growing> {
  const folder = openFolder();
  const closing: (() => unknown)[] = [() => rmSync(folder, { recursive: true, force: true })];
  const stop = async () => {
    for (const close of closing.splice(0).reverse()) await Promise.resolve(close()).catch(() => {});
  };
  try {
    return await grow(programs, { folder, closing, stop, say });
  } catch (error) {
    await stop();
    throw error;
  }
}

async function grow(
  programs: Programs,
  given: { folder: string; closing: (() => unknown)[]; stop(): Promise<void>; say(line: string): void },
): Promise<Growing> {
  const { folder, closing, stop, say } = given;
  const keep = <P extends Part>(part: P): P => {
    closing.push(() => part.kill());
    return part;
  };
  say("the local chain, and one process on SQLite");
  const world = await startChainOf(folder, keep);
  closing.push(() => world.provider.destroy());
  const facilitator = await startFacilitator({ ...world, accounts: localAccounts() } as unknown as TestWorld);
  closing.push(() => facilitator.stop());
  const [frontPort, keys] = [await freePort(), await writeKeys(folder, world.deployment)];
  const databases = createDatabases(`sqlite:${join(folder, "one.db")}`);
  closing.push(databases.close);
  const settings: Record<string, string> = { DATABASE_URL: databases.url() };
  const envOf = (role: ServiceProcess["role"], port: number) => () => ({
    ...settingsOf({
      ...{ role, port, folder, keys, publicPort: frontPort, rpcPort: world.port },
      ...{ deploymentFile: world.deploymentFile, facilitatorUrl: facilitator.url },
    }),
    ...settings,
  });
  const growing: Growing = {
    ...{ folder, programs, settings, frontPort, keep, stop },
    ...{ deployment: world.deployment, provider: world.provider },
    url: "",
    services: [],
    db: databases.current,
    moveTo: databases.moveTo,
    async start(role, name) {
      const port = await freePort();
      mkdirSync(join(folder, `data-${port}`), { recursive: true });
      const service = keep(serviceProcess({ name, role, port, folder, env: envOf(role, port) }));
      await service.start();
      growing.services.push(service);
      return service;
    },
    async restart(services) {
      for (const service of services) {
        await service.end();
        await service.start();
      }
    },
  };
  const one = await growing.start("all", "the one process");
  growing.url = `http://127.0.0.1:${one.port}`;
  return growing;
}

function createDatabases(first: string) {
  let url = first;
  const open = new Map<string, Database>();
  return {
    url: () => url,
    moveTo: (next: string) => {
      url = next;
    },
    current: (): Database => {
      const known = open.get(url) ?? openDatabase(url);
      open.set(url, known);
      return known;
    },
    close: async () => {
      for (const db of open.values()) await db.destroy().catch(() => {});
    },
  };
}
