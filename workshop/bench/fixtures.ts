/** What benches work on: databases on disk, the local chain and the service. Each is gone when it is disposed of. */
import { fork } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Writable } from "node:stream";
import { createLogger } from "../../api/metrics/logger.ts";
import { startServer } from "../../api/server.ts";
import { parseConfig } from "../../api/settings/config.ts";
import { type Environment, environment } from "../../api/settings/environment.ts";
import { MALLOC_SETTINGS, NODE_FLAGS } from "../../api/settings/processMemory.ts";
import type { Engine } from "../../database/open.ts";
import { localAccounts } from "../../devnet/accounts.ts";
import { readLocalFile } from "../../devnet/localFile.ts";
import { prepareLocal } from "../../devnet/service.ts";
import { startPostgres } from "../../test/support/postgres.ts";

export const ENGINES = ["sqlite", "postgres"] as const satisfies readonly Engine[];

/** Makes empty databases of an engine, where a commit waits for the disk, as it does in earnest. */
export interface Databases extends AsyncDisposable {
  readonly engine: Engine;
  readonly title: string;
  /** @returns the URL of a new one */
  create(): Promise<string>;
}

export async function openDatabases(engine: Engine): Promise<Databases> {
  if (engine === "postgres") {
    const { server, remove } = await startPostgres({ isDurable: true });
    return {
      engine,
      title: "PostgreSQL",
      create: () => server.createDatabase(),
      [Symbol.asyncDispose]: remove,
    };
  }
  const folder = await openFolder();
  let made = 0;
  return {
    engine,
    title: "SQLite",
    create: async () => `sqlite:${join(folder.path, `${++made}.db`)}`,
    [Symbol.asyncDispose]: folder[Symbol.asyncDispose],
  };
}

async function openFolder() {
  const path = await mkdtemp(join(tmpdir(), "assay-bench-"));
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) };
}

export type LocalChain = Awaited<ReturnType<typeof startChain>>;

/** In a process of its own, with a folder for it and for the services on it. */
export async function startChain() {
  await using opened = new AsyncDisposableStack();
  const { path: folder } = opened.use(await openFolder());
  const { url } = opened.use(await forkLocal("chain", { DATA_DIR: folder, RPC_PORT: "0" }));
  const closing = opened.move();
  return { folder, url, [Symbol.asyncDispose]: () => closing.disposeAsync() };
}

/** Limits that no bench comes near. */
const UNLIMITED = { KEY_LIMIT_PER_MINUTE: "1000000", ADDRESS_LIMIT_PER_MINUTE: "1000000" };

/** The service in this process. Its log is written as ever, to nowhere. @param env settings beyond, or instead */
export async function startService({ folder, url }: LocalChain, env: Environment = {}) {
  const config = parseConfig({
    DATA_DIR: folder,
    PORT: "0",
    RPC_URL: url,
    ATTESTOR_PRIVATE_KEY: localAccounts().attestation.privateKey,
    ...UNLIMITED,
    ...env,
  });
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  const server = await startServer(config, {
    logger: createLogger({ level: "info", destination: nowhere }),
  });
  const { apiKey } = await prepareLocal({ config, server, log: () => {} });
  return { server, url: server.url, apiKey, [Symbol.asyncDispose]: () => server.stop() };
}

/** The service in a process of its own, as `npm start` starts it. */
export async function forkService({ folder, url }: LocalChain) {
  const env = { DATA_DIR: folder, RPC_URL: url, PORT: "0", LOG_LEVEL: "info", ...UNLIMITED };
  const service = await forkLocal("api", env);
  const { apiKey } = (await readLocalFile(folder))!;
  return { ...service, apiKey };
}

/** A program of devnet/. @throws Error where it ends before it tells where it listens */
async function forkLocal(program: "chain" | "api", env: Environment) {
  const child = fork(join(import.meta.dirname, `../../devnet/${program}.ts`), [], {
    env: { ...(program === "api" ? MALLOC_SETTINGS : {}), ...environment(), ...env },
    execArgv: program === "api" ? [...NODE_FLAGS] : [],
    stdio: ["ignore", "ignore", "inherit", "ipc"],
  });
  const exited = once(child, "exit");
  const early = exited.then(([code]) => {
    throw new Error(`${program} ended with ${code}`);
  });
  const [{ url }] = (await Promise.race([once(child, "message"), early])) as [{ url: string }];
  return {
    pid: child.pid!,
    url,
    async [Symbol.asyncDispose]() {
      child.kill("SIGTERM");
      await exited;
    },
  };
}
