/**
 * The topology on loopback: three api processes and two workers behind HAProxy; a primary that two standbys stream
 * from, behind pgbouncer; Redis; the local chain and a facilitator. Each way between them leads through a proxy that can
 * swallow packets.
 */
import { chmodSync } from "node:fs";
import { freePort } from "../../../test/support/ports.ts";
import { type SmallDisk, smallDisk } from "../../../test/support/smallDisk.ts";
import { type Base, type ServiceProcess, serviceProcess, settingsOf, withBase } from "./base.ts";
import { haproxy, pgbouncer, redisServer } from "./edges.ts";
import type { Programs } from "./packages.ts";
import { postgresServer } from "./postgres.ts";
import { openWays, type WayThrough } from "./ways.ts";

const PRIMARY_MEGABYTES = 1_024;

export type Way = "pgbouncer" | "primary" | "replica" | "redis" | "chain" | "streaming";

export type Topology = Awaited<ReturnType<typeof startTopology>>;

/** @param given.say told of each step @param given.keepsLogs whether its folder stays @throws Error with the end of the log of what did not start */
export async function startTopology(
  programs: Programs,
  given: { say(line: string): void; readonly keepsLogs: boolean },
) {
  return withBase(given, async (base) => {
    const { folder, keep, closing } = base;
    given.say("PostgreSQL: a primary and two standbys; pgbouncer and Redis");
    // Under the primary's data; null: this machine lets nobody mount one.
    const disk = smallDisk(PRIMARY_MEGABYTES);
    if (disk !== null) {
      chmodSync(disk.folder, 0o755);
      closing.push(() => disk.remove());
    }
    const stores = await startStores(programs, disk, base);
    const frontPort = await freePort();
    const environmentOf = environments(base, stores.ways, frontPort);
    given.say("three api processes and two workers");
    const services = await startServices(base, environmentOf);
    const api = services.filter(({ role }) => role === "api");
    const apiPorts = api.map(({ port }) => port);
    const front = keep(haproxy(programs, { folder, port: frontPort }, apiPorts));
    await front.start();
    return {
      ...base,
      ...stores,
      url: `http://127.0.0.1:${frontPort}`,
      haproxy: front,
      services,
      api,
      workers: services.filter(({ role }) => role === "worker"),
      disk,
      /** What a further process of the service is started with. */
      environmentOf,
    };
  });
}

async function startStores(
  programs: Programs,
  disk: SmallDisk | null,
  { folder, rpcPort, keep, closing }: Base,
) {
  const [primaryPort, standbyPort, replicaPort, bouncerPort, redisPort] = await Promise.all(
    Array.from({ length: 5 }, freePort),
  );
  const server = (name: string, port: number, dataIn = folder) =>
    keep(postgresServer(programs, { name, port, folder, dataIn }));
  const primary = server("primary", primaryPort!, disk?.folder);
  const standby = server("standby", standbyPort!);
  const replica = server("replica", replicaPort!);
  const { ways, close } = await openWays<Way>({
    pgbouncer: bouncerPort!,
    primary: primaryPort!,
    replica: replicaPort!,
    redis: redisPort!,
    chain: rpcPort,
    streaming: primaryPort!,
  });
  closing.push(close);
  await primary.create();
  await primary.start();
  await primary.ask("create database assay");
  await Promise.all([
    standby.follow(primary, primaryPort!).then(() => standby.start()),
    replica.follow(primary, ways.streaming.port).then(() => replica.start()),
  ]);
  await primary.waitForStandby();
  const bouncer = keep(pgbouncer(programs, { folder, port: bouncerPort! }, ways.primary.port));
  const redis = keep(redisServer(programs, { folder, port: redisPort! }));
  await Promise.all([bouncer.start(), redis.start()]);
  // The roles change when a standby is promoted.
  return { postgres: { primary, standby, replica }, ways, pgbouncer: bouncer, redis };
}

const environments =
  (base: Base, ways: Record<Way, WayThrough>, publicPort: number) =>
  (role: "api" | "worker", port: number, changes: Record<string, string> = {}): Record<string, string> => ({
    ...settingsOf({ base, role, port, publicPort, rpcPort: ways.chain.port }),
    TRUST_PROXY: "1",
    // The balancer has noticed by then that it ends.
    DRAIN_MS: "3000",
    DATABASE_URL: `postgres://postgres@127.0.0.1:${ways.pgbouncer.port}/assay`,
    DATABASE_READ_URL: `postgres://postgres@127.0.0.1:${ways.replica.port}/assay`,
    REDIS_URL: `redis://127.0.0.1:${ways.redis.port}`,
    ...changes,
  });

/** As a service manager would start them: all at once. */
async function startServices(
  { folder, keep }: Base,
  environmentOf: ReturnType<typeof environments>,
): Promise<ServiceProcess[]> {
  const names = [
    ...[1, 2, 3].map((n) => ["api", `api ${n}`] as const),
    ...[1, 2].map((n) => ["worker", `worker ${n}`] as const),
  ];
  const services = await Promise.all(
    names.map(async ([role, name]) => {
      const port = await freePort();
      return keep(serviceProcess({ name, role, port, folder, env: () => environmentOf(role, port) }));
    }),
  );
  await Promise.all(services.map((service) => service.start()));
  return services;
}
