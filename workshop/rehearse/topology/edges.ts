/** What stands between the parts: pgbouncer, Redis and HAProxy, with the configuration that they are rehearsed with. */
import { chmodSync, chownSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Redis } from "ioredis";
import { documentedConfig } from "../../../test/support/configs.ts";
import type { Programs } from "./packages.ts";
import { createPart } from "./part.ts";
import { askOnce } from "./postgres.ts";

interface Place {
  readonly folder: string;
  readonly port: number;
}

/** @param place.folder in which it gets its own @param primary port of the server, as pgbouncer reaches it */
export function pgbouncer(programs: Programs, { folder, port }: Place, primary: number) {
  const own = join(folder, "pgbouncer");
  mkdirSync(own);
  if (programs.user !== null) chownSync(own, programs.user.uid, programs.user.gid);
  const file = join(own, "pgbouncer.ini");
  const write = (to: number) => {
    writeFileSync(file, pgbouncerIni(port, to));
    chmodSync(file, 0o644);
  };
  write(primary);
  const ask = (sql: string) => askOnce(`postgres://postgres@127.0.0.1:${port}/pgbouncer`, sql);
  const part = createPart({
    name: "pgbouncer",
    command: programs.pgbouncer,
    args: () => [file],
    user: programs.user,
    logFile: join(own, "pgbouncer.log"),
    ready: async () => (await ask("show version")).length > 0,
  });
  return Object.assign(part, {
    port,
    /** From now on connections lead to another server; transactions that run end where they are. */
    async pointTo(to: number): Promise<void> {
      write(to);
      await ask("reload");
    },
  });
}

/** As docs/run/several-machines.md has it, with the places of this machine in it; nobody here has a password. */
const pgbouncerIni = (port: number, primary: number): string =>
  documentedConfig("pgbouncer", [
    ["host=10.0.0.9 port=5432 dbname=assay", `host=127.0.0.1 port=${primary} dbname=assay user=postgres`],
    ["listen_port = 6432", `listen_port = ${port}\nunix_socket_dir =`],
    ["auth_type = scram-sha-256", "auth_type = any"],
    ["auth_file = /etc/pgbouncer/users.txt", "admin_users = postgres"],
  ]);

export function redisServer(programs: Programs, { folder, port }: Place) {
  const command = async (name: string, ...args: string[]) => {
    const patience = { lazyConnect: true, maxRetriesPerRequest: 0, connectTimeout: 1_000 };
    const client = new Redis({ port, host: "127.0.0.1", ...patience });
    client.on("error", () => {});
    try {
      await client.connect();
      return await client.call(name, ...args);
    } finally {
      client.disconnect();
    }
  };
  const part = createPart({
    name: "Redis",
    command: programs.redis,
    // Counts of a minute: nothing worth a disk.
    args: () => [
      ...["--port", String(port), "--bind", "127.0.0.1", "--dir", folder],
      ...["--save", "", "--appendonly", "no", "--maxmemory", "64mb", "--maxmemory-policy", "noeviction"],
    ],
    logFile: join(folder, "redis.log"),
    ready: async () => (await command("PING")) === "PONG",
  });
  return Object.assign(part, { port, command });
}

/** @param servers ports of the three api processes */
export function haproxy(programs: Programs, { folder, port }: Place, servers: readonly number[]) {
  const file = join(folder, "haproxy.cfg");
  writeFileSync(file, haproxyCfg(port, servers));
  const part = createPart({
    name: "HAProxy",
    command: programs.haproxy,
    args: () => ["-db", "-W", "-f", file],
    logFile: join(folder, "haproxy.log"),
    ready: async () => (await fetch(`http://127.0.0.1:${port}/healthz`)).status === 200,
  });
  return Object.assign(part, { port });
}

/** As docs/run/several-machines.md has it, without TLS and with the places of this machine in it. */
const haproxyCfg = (port: number, [first, second, third]: readonly number[]): string =>
  documentedConfig("haproxy", [
    ["  stats socket /run/haproxy/assay.sock mode 600 level user\n", "  maxconn 2000\n"],
    ["bind *:443 ssl crt /etc/assay/tls.pem", `bind 127.0.0.1:${port}`],
    ["10.0.0.1:3000", `127.0.0.1:${first}`],
    ["10.0.0.2:3000", `127.0.0.1:${second}`],
    ["10.0.0.3:3000", `127.0.0.1:${third}`],
  ]);
