/**
 * The files of the log: its keystore, and the last checkpoint that it signed. That one stands beside the database and not
 * in it, so that a database which was set back to an older state cannot make the log forget what it said.
 */
import { closeSync, fdatasync, fsync, mkdirSync, openSync, renameSync, writeFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import type { Logger } from "../metrics/logger.ts";
import { type Config, ConfigError } from "../settings/config.ts";
import type { BackendSetting } from "../settings/signers.ts";
import { watchedLogSigner } from "../signers/checkpoints.ts";
import { BackendFault } from "../signers/fault.ts";
import { openKey } from "../signers/open.ts";
import { developmentLogSigner, LogKeyError, type LogSigner, logSignerFromKeystore } from "./key.ts";

/**
 * The key that the settings name, or in the local profile the development key.
 * @throws ConfigError for a key that will not do
 */
export async function openLogKey(
  config: Pick<Config, "log" | "signers" | "profile">,
  logger: Logger,
): Promise<LogSigner> {
  const { log, profile } = config;
  const signer =
    log.backend !== null
      ? await fromBackend(log.backend, config, logger)
      : log.keystore !== null
        ? await fromFile(log.keystore)
        : developmentLogSigner();
  if (profile === "live" && signer.isDevelopmentKey) {
    await signer.stop?.();
    throw new ConfigError(["the log's key is the well-known development key: create your own"]);
  }
  return signer;
}

async function fromBackend(
  backend: BackendSetting,
  { log, signers }: Pick<Config, "log" | "signers">,
  logger: Logger,
): Promise<LogSigner> {
  const setting = backend.backend === "pkcs11" ? "LOG_PKCS11" : "LOG_KMS";
  const key = await openKey(backend, "ed25519", signers.logTimeoutMs).catch((error: unknown) => {
    throw error instanceof BackendFault ? new ConfigError([`${setting}: ${error.message}`]) : error;
  });
  try {
    return await watchedLogSigner(key, log.origin, logger);
  } catch (error) {
    await key.stop();
    throw error instanceof LogKeyError ? new ConfigError([`${setting}: ${error.message}`]) : error;
  }
}

async function fromFile({ path, passphrase }: NonNullable<Config["log"]["keystore"]>): Promise<LogSigner> {
  const text = await readFile(path, "utf8").catch(() => {
    throw new ConfigError([`LOG_KEYSTORE names a file that cannot be read: ${path}`]);
  });
  try {
    return await logSignerFromKeystore(text, passphrase.reveal());
  } catch (error) {
    if (error instanceof LogKeyError) throw new ConfigError([`LOG_KEYSTORE: ${error.message}`]);
    throw error;
  }
}

/** The last checkpoint of each log, a file each. */
export interface LastWords {
  /** @returns null where there is none. @throws when there is one that cannot be read */
  read(shard: string): Promise<string | null>;
  /** Resolves when it would outlive a loss of power. */
  write(shard: string, note: string): Promise<void>;
}

/** @param folder made when it is first written to */
export function lastWordsIn(folder: string): LastWords {
  const pathOf = (shard: string) => join(folder, `${shard}.checkpoint`);
  return {
    async read(shard) {
      try {
        return await readFile(pathOf(shard), "utf8");
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
        throw error;
      }
    },
    async write(shard, note) {
      const path = pathOf(shard);
      const draft = `${path}.${process.pid}.tmp`;
      // Only the disk is waited for: with each other step a certificate would wait for a turn of the event loop more.
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      const file = openSync(draft, "w", 0o600);
      try {
        writeFileSync(file, note);
        await promisify(fdatasync)(file);
      } finally {
        closeSync(file);
      }
      renameSync(draft, path);
      const directory = openSync(folder, "r");
      try {
        await promisify(fsync)(directory);
      } finally {
        closeSync(directory);
      }
    },
  };
}
