/**
 * The topology on loopback: three api processes and two workers behind HAProxy, with PostgreSQL, the local chain and a
 * facilitator.
 */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { haproxyConfig } from "../../../test/support/configs.ts";
import { freePort } from "../../../test/support/ports.ts";
import { type Base, type ServiceProcess, serviceProcess, settingsOf, withBase } from "./base.ts";
import type { Programs } from "./packages.ts";
import { createPart } from "./part.ts";
import { postgresServer } from "./postgres.ts";

export type Topology = Awaited<ReturnType<typeof startTopology>>;

/** @param given.say told of each step @param given.keepsLogs whether its folder stays @throws Error with the end of the log of what did not start */
export async function startTopology(
  programs: Programs,
  given: { say(line: string): void; readonly keepsLogs: boolean },
) {
  return withBase(given, async (base) => {
    const { folder, keep } = base;
    given.say("PostgreSQL");
    const primary = keep(postgresServer(programs, { folder, port: await freePort() }));
    await primary.create();
    await primary.start();
    await primary.ask("create database assay");
    const frontPort = await freePort();
    given.say("three api processes and two workers");
    const services = await startServices(base, { publicPort: frontPort, databaseUrl: primary.url("assay") });
    const api = services.filter(({ role }) => role === "api");
    const front = haproxy(
      programs,
      { folder, port: frontPort },
      api.map(({ port }) => port),
    );
    await keep(front).start();
    return {
      ...base,
      primary,
      url: `http://127.0.0.1:${frontPort}`,
      services,
      api,
      workers: services.filter(({ role }) => role === "worker"),
    };
  });
}

/** As a service manager would start them: all at once. */
async function startServices(
  base: Base,
  shared: { readonly publicPort: number; readonly databaseUrl: string },
): Promise<ServiceProcess[]> {
  const { folder, keep } = base;
  const names = [
    ...[1, 2, 3].map((n) => ["api", `api ${n}`] as const),
    ...[1, 2].map((n) => ["worker", `worker ${n}`] as const),
  ];
  const services = await Promise.all(
    names.map(async ([role, name]) => {
      const port = await freePort();
      const env = () => settingsOf({ base, role, port, ...shared });
      return keep(serviceProcess({ name, role, port, folder, env }));
    }),
  );
  await Promise.all(services.map((service) => service.start()));
  return services;
}

/** @param servers ports of the three api processes */
function haproxy(
  programs: Programs,
  { folder, port }: { readonly folder: string; readonly port: number },
  servers: readonly number[],
) {
  const file = join(folder, "haproxy.cfg");
  writeFileSync(file, haproxyCfg(port, servers));
  return createPart({
    name: "HAProxy",
    command: programs.haproxy,
    args: () => ["-db", "-W", "-f", file],
    logFile: join(folder, "haproxy.log"),
    ready: async () => (await fetch(`http://127.0.0.1:${port}/healthz`)).status === 200,
  });
}

/** deploy/haproxy/haproxy.cfg without TLS, with the places of this machine in it. */
const haproxyCfg = (port: number, [first, second, third]: readonly number[]): string =>
  haproxyConfig([
    ["  stats socket /run/haproxy/assay.sock mode 600 level user\n", "  maxconn 2000\n"],
    ["bind *:443 ssl crt /etc/assay/tls.pem", `bind 127.0.0.1:${port}`],
    ["10.0.0.1:3000", `127.0.0.1:${first}`],
    ["10.0.0.2:3000", `127.0.0.1:${second}`],
    ["10.0.0.3:3000", `127.0.0.1:${third}`],
  ]);
