/** What a bench works on, for as long as it takes: folders, databases on disk, and the local chain in a process of its own. */
import { fork } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createLogger } from "../../api/metrics/logger.ts";
import { startServer } from "../../api/server.ts";
import { parseConfig } from "../../api/settings/config.ts";
import { type Environment, environment } from "../../api/settings/environment.ts";
import { MALLOC_SETTINGS, NODE_FLAGS } from "../../api/settings/processMemory.ts";
import type { Engine } from "../../database/open.ts";
import { localAccounts } from "../../devnet/accounts.ts";
import { prepareLocal } from "../../devnet/service.ts";
import { startPostgres } from "../../test/support/postgres.ts";

/** Limits that no bench comes near. */
export const UNLIMITED = { KEY_LIMIT_PER_MINUTE: "1000000", ADDRESS_LIMIT_PER_MINUTE: "1000000" } as const;

/** A program of devnet/ in a process of its own, as `npm start` starts it. @throws Error where it ends before it tells where it listens */
export async function forkLocal(program: "chain" | "api", env: Environment) {
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
    child,
    url,
    async stop() {
      child.kill("SIGTERM");
      await exited;
    },
  };
}

/** @param use gets the chain's DATA_DIR and its JSON-RPC; both are gone when it is over, however it ends */
export async function withLocalChain(use: (folder: string, url: string) => Promise<void>): Promise<void> {
  await withFolder(async (folder) => {
    const chain = await forkLocal("chain", { DATA_DIR: folder, RPC_PORT: "0" });
    try {
      await use(folder, chain.url);
    } finally {
      await chain.stop();
    }
  });
}

/**
 * The service in this process, on that chain; its limits do not count, and its log is switched off.
 * @param folder of the chain
 * @param env settings beyond, or instead
 */
export async function startOn(folder: string, rpcUrl: string, env: Environment) {
  const config = parseConfig({
    DATA_DIR: folder,
    PORT: "0",
    RPC_URL: rpcUrl,
    ATTESTOR_PRIVATE_KEY: localAccounts().attestation.privateKey,
    ...UNLIMITED,
    ...env,
  });
  const server = await startServer(config, { logger: createLogger({ level: "silent" }) });
  const local = await prepareLocal({ config, server, log: () => {} });
  return { server, local };
}

/** Gone when it is over, however it ends. */
export async function withFolder<T>(use: (folder: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), "assay-bench-"));
  try {
    return await use(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

export const ENGINES = ["sqlite", "postgres"] as const satisfies readonly Engine[];

export const ENGINE_NAMES = { sqlite: "SQLite", postgres: "PostgreSQL" } as const;

/** Makes an empty database and tells its URL. */
export type NewDatabase = () => Promise<string>;

/** A commit waits for the disk on both engines, as it does in earnest. */
export async function withEngine(
  engine: Engine,
  use: (newDatabase: NewDatabase) => Promise<void>,
): Promise<void> {
  let made = 0;
  if (engine === "sqlite")
    return withFolder((folder) => use(async () => `sqlite:${join(folder, `${++made}.db`)}`));
  const { server, remove } = await startPostgres({ isDurable: true });
  try {
    await use(() => server.createDatabase());
  } finally {
    await remove();
  }
}
