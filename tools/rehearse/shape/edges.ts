/** What stands between the parts: pgbouncer, Redis and HAProxy, with the configuration that they are rehearsed with. */
import { chmodSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Redis } from "ioredis";
import pg from "pg";
import type { Programs } from "./packages.ts";
import { createPart, type Part } from "./part.ts";

interface Place {
  readonly folder: string;
  readonly port: number;
}

const CLIENTS_OF_THE_POOL = 500;

export interface Pgbouncer extends Part {
  readonly port: number;
  /** From now on connections lead to another server; transactions that run end where they are. */
  pointTo(port: number): Promise<void>;
}

/** @param primary port of the server, as pgbouncer reaches it */
export function pgbouncer(programs: Programs, { folder, port }: Place, primary: number): Pgbouncer {
  const file = join(folder, "pgbouncer.ini");
  const write = (to: number) => {
    writeFileSync(file, pgbouncerIni(port, to));
    chmodSync(file, 0o644);
  };
  write(primary);
  const ask = async (sql: string, database: string) => {
    const client = new pg.Client({
      connectionString: `postgres://postgres@127.0.0.1:${port}/${database}`,
      connectionTimeoutMillis: 2_000,
    });
    client.on("error", () => {});
    await client.connect();
    try {
      await client.query(sql);
    } finally {
      await client.end().catch(() => {});
    }
  };
  const part = createPart({
    name: "pgbouncer",
    command: programs.pgbouncer,
    args: () => [file],
    user: programs.user,
    logFile: join(folder, "pgbouncer.log"),
    ready: async () => {
      await ask("show version", "pgbouncer");
      return true;
    },
  });
  return Object.assign(part, {
    port,
    async pointTo(to: number) {
      write(to);
      await ask("reload", "pgbouncer");
    },
  });
}

const pgbouncerIni = (port: number, primary: number): string => `[databases]
assay = host=127.0.0.1 port=${primary} user=postgres

[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = any
admin_users = postgres
pool_mode = session
max_client_conn = ${CLIENTS_OF_THE_POOL}
default_pool_size = 80
; A server that is away is found out before clients give up, which they do after 4 s.
server_connect_timeout = 2
server_login_retry = 1
query_timeout = 5
query_wait_timeout = 5
ignore_startup_parameters = extra_float_digits,options,statement_timeout,lock_timeout,idle_in_transaction_session_timeout
log_connections = 0
log_disconnections = 0
`;

export interface RedisServer extends Part {
  readonly port: number;
  command(name: string, ...args: string[]): Promise<unknown>;
}

export function redisServer(programs: Programs, { folder, port }: Place): RedisServer {
  const command = async (name: string, ...args: string[]) => {
    const client = new Redis({ port, host: "127.0.0.1", lazyConnect: true, maxRetriesPerRequest: 0, connectTimeout: 1_000 });
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

export interface Haproxy extends Part {
  readonly port: number;
}

/** @param servers ports of the api processes */
export function haproxy(programs: Programs, { folder, port }: Place, servers: readonly number[]): Haproxy {
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

const haproxyCfg = (port: number, servers: readonly number[]): string => {
  const lines = (track = "") =>
    servers.map((each, index) => `  server api${index + 1} 127.0.0.1:${each} check${track}`).join("\n");
  return `global
  maxconn 2000

defaults
  mode http
  timeout connect 1s
  timeout client 60s
  timeout server 30s
  timeout check 2s
  timeout http-keep-alive 10s
  option forwardfor
  option redispatch 1
  retries 3
  # Alone what no server has seen is asked again: a request that was sent may have been carried out.
  retry-on conn-failure

frontend public
  bind 127.0.0.1:${port}
  # While no server is ready, those that live still answer: from their caches, or with a true 503.
  use_backend living if { nbsrv(ready) eq 0 }
  default_backend ready

backend ready
  balance roundrobin
  option httpchk GET /readyz
  default-server inter 1s fastinter 500ms downinter 500ms fall 2 rise 1 on-marked-down shutdown-sessions
${lines()}

backend living
  balance roundrobin
  option httpchk GET /healthz
  default-server inter 1s fastinter 500ms downinter 500ms fall 2 rise 1 on-marked-down shutdown-sessions
${lines()}
`;
};
