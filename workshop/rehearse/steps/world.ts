/** One process on SQLite, and what it grows into: the parts that each step of docs/operations.md adds. */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Database } from "../../../database/open.ts";
import { freePort } from "../../../test/support/ports.ts";
import {
  type Base,
  openDatabases,
  type ServiceProcess,
  serviceProcess,
  settingsOf,
  withBase,
} from "../shape/base.ts";
import type { Programs } from "../shape/packages.ts";

export interface Growing extends Pick<Base, "folder" | "deployment" | "provider" | "keep"> {
  readonly programs: Programs;
  /** Where clients find the service now. */
  url: string;
  /** Where the database is, without a detour. */
  databaseUrl: string;
  /** Of the processes that are started from here on. */
  readonly settings: Record<string, string>;
  /** Those that run. */
  services: ServiceProcess[];
  /** Where clients will find it once there is a balancer. */
  readonly frontPort: number;
  /** The database of now. */
  db(): Database;
  start(role: ServiceProcess["role"], name: string): Promise<ServiceProcess>;
  /** Ends each and starts it with the settings of now, one after the other. */
  restart(services: readonly ServiceProcess[]): Promise<void>;
}

/** @throws Error with the end of the log of what did not start */
export function startGrowing(
  programs: Programs,
  say: (line: string) => void,
): Promise<Growing & { stop(): Promise<void> }> {
  return withBase({ say }, async (base) => {
    const { folder, keep, closing, rpcPort } = base;
    say("one process on SQLite");
    const frontPort = await freePort();
    const databases = openDatabases();
    closing.push(databases.close);
    const databaseUrl = `sqlite:${join(folder, "one.db")}`;
    const settings: Record<string, string> = { DATABASE_URL: databaseUrl };
    const growing: Growing = {
      ...{ folder, programs, settings, frontPort, keep, databaseUrl },
      ...{ deployment: base.deployment, provider: base.provider },
      url: "",
      services: [],
      db: () => databases.current(growing.databaseUrl),
      async start(role, name) {
        const port = await freePort();
        mkdirSync(join(folder, `data-${port}`), { recursive: true });
        const env = () => ({
          ...settingsOf({ base, role, port, publicPort: frontPort, rpcPort }),
          ...settings,
        });
        const service = keep(serviceProcess({ name, role, port, folder, env }));
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
  });
}
