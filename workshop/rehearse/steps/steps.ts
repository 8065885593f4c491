/** The steps of docs/operations.md, "From one process to this shape", in its order and by its numbers. */
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { freePort } from "../../../test/support/ports.ts";
import { assay } from "../shape/assay.ts";
import { BEHIND_BALANCER, type ServiceProcess } from "../shape/base.ts";
import { haproxy, pgbouncer, redisServer } from "../shape/edges.ts";
import { type PostgresServer, postgresServer, untilStreaming } from "../shape/postgres.ts";
import type { Growing } from "./world.ts";

export interface Step {
  /** As the page begins it. */
  readonly name: string;
  /** Whether clients notice, since the one process that there is ends and starts again. */
  readonly isNoticed: boolean;
  take(growing: Growing): Promise<void>;
}

/** What the balancer needs to notice that a process is back. */
const BACK_MS = 2_000;

const apiOf = ({ services }: Growing): ServiceProcess[] => services.filter(({ role }) => role === "api");

const server = ({ programs, folder, keep }: Growing, name: string, port: number): PostgresServer =>
  keep(postgresServer(programs, { name, port, folder, dataIn: folder }));

let primary: PostgresServer;

const toPostgres: Step = {
  name: "PostgreSQL in SQLite's place",
  isNoticed: true,
  async take(growing) {
    primary = server(growing, "primary", await freePort());
    await primary.create();
    await primary.start();
    await primary.ask("create database assay");
    const [one] = growing.services;
    await one!.end();
    const file = join(growing.folder, "moved.gz");
    await assay(["backup", "create", file], growing.settings.DATABASE_URL!);
    await assay(["backup", "restore", file], primary.url("assay"));
    growing.settings.DATABASE_URL = growing.databaseUrl = primary.url("assay");
    await one!.start();
  },
};

const toPgbouncer: Step = {
  name: "PgBouncer",
  isNoticed: true,
  async take(growing) {
    const { folder, programs, keep } = growing;
    const bouncer = keep(pgbouncer(programs, { folder, port: await freePort() }, primary.port));
    await bouncer.start();
    growing.settings.DATABASE_URL = `postgres://postgres@127.0.0.1:${bouncer.port}/assay`;
    await growing.restart(growing.services);
  },
};

const toRoles: Step = {
  name: "Workers and api processes",
  isNoticed: false,
  async take(growing) {
    const [one] = growing.services;
    for (const n of [1, 2]) await growing.start("worker", `worker ${n}`);
    Object.assign(growing.settings, BEHIND_BALANCER);
    for (const n of [1, 2, 3]) await growing.start("api", `api ${n}`);
    growing.url = `http://127.0.0.1:${apiOf(growing)[0]!.port}`;
    await one!.end();
    growing.services = growing.services.filter((service) => service !== one);
  },
};

const toBalancer: Step = {
  name: "HAProxy",
  isNoticed: false,
  async take(growing) {
    const { folder, programs, keep, frontPort } = growing;
    const ports = apiOf(growing).map(({ port }) => port);
    await keep(haproxy(programs, { folder, port: frontPort }, ports)).start();
    growing.url = `http://127.0.0.1:${frontPort}`;
  },
};

const toStandbys: Step = {
  name: "Standbys",
  isNoticed: false,
  async take(growing) {
    const [standby, replica] = [
      server(growing, "standby", await freePort()),
      server(growing, "replica", await freePort()),
    ];
    for (const each of [standby, replica]) {
      await each.follow(primary, primary.port);
      await each.start();
    }
    await untilStreaming(primary, 2);
    await primary.waitForStandby();
    growing.settings.DATABASE_READ_URL = replica.url("assay");
    await rolled(growing, apiOf(growing));
  },
};

const toRedis: Step = {
  name: "Redis",
  isNoticed: false,
  async take(growing) {
    const { folder, programs, keep } = growing;
    const redis = keep(redisServer(programs, { folder, port: await freePort() }));
    await redis.start();
    growing.settings.REDIS_URL = `redis://127.0.0.1:${redis.port}`;
    await rolled(growing, growing.services);
  },
};

/** Each is waited for until the balancer has it back. */
async function rolled(growing: Growing, services: readonly ServiceProcess[]): Promise<void> {
  for (const service of services) {
    await growing.restart([service]);
    await sleep(BACK_MS);
  }
}

export const STEPS: readonly Step[] = [toPostgres, toPgbouncer, toRoles, toBalancer, toStandbys, toRedis];
