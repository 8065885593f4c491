/** Opens the log's key from where the settings say it is. */
import { readFile } from "node:fs/promises";
import type { Checkpoint } from "../../attestor/log/checkpoint.ts";
import type { Logger } from "../metrics/logger.ts";
import { type Config, ConfigError } from "../settings/config.ts";
import { watchAvailability } from "../signers/availability.ts";
import { openKmsKey } from "../signers/aws/kms.ts";
import { BackendFault, faultText, type OpenKey } from "../signers/backend.ts";
import { FAST_HASHER } from "./hasher.ts";
import {
  developmentLogSigner,
  LogKeyError,
  type LogSigner,
  logSignerFromBackend,
  logSignerFromKeystore,
} from "./key.ts";

type KeyConfig = Pick<Config, "log" | "signers" | "profile">;

/**
 * The key that the settings name, or in the local profile the development key.
 * @throws ConfigError for a key that will not do
 */
export async function openLogKey(config: KeyConfig, logger: Logger): Promise<LogSigner> {
  const signer = await signerOf(config, logger);
  if (config.profile === "live" && signer.isDevelopmentKey) {
    await signer.stop?.();
    throw new ConfigError(["the log's key is the well-known development key: create your own"]);
  }
  return signer;
}

async function signerOf({ log, signers }: KeyConfig, logger: Logger): Promise<LogSigner> {
  if (log.backend !== null) {
    const { key } = log.backend;
    const options = { key, curve: "ed25519", timeoutMs: signers.logTimeoutMs } as const;
    return await named("LOG_KMS_KEY", async () =>
      watchedLogSigner(await openKmsKey(options), log.origin, logger),
    );
  }
  if (log.keystore === null) return developmentLogSigner();
  const { path, passphrase } = log.keystore;
  const text = await readFile(path, "utf8").catch(() => {
    throw new ConfigError([`LOG_KEYSTORE names a file that cannot be read: ${path}`]);
  });
  return await named("LOG_KEYSTORE", () => logSignerFromKeystore(text, passphrase.reveal()));
}

/** What is wrong with a key is wrong with the setting that names it. */
async function named(setting: string, open: () => Promise<LogSigner>): Promise<LogSigner> {
  try {
    return await open();
  } catch (error) {
    if (error instanceof LogKeyError || error instanceof BackendFault)
      throw new ConfigError([`${setting}: ${error.message}`]);
    throw error;
  }
}

/**
 * Signs by a key that is kept elsewhere. It signs once before it resolves: the checkpoint of an empty tree under the log's
 * name, which is true of any log and says nothing.
 * @throws LogKeyError where the key cannot sign
 */
async function watchedLogSigner(key: OpenKey, origin: string, logger: Logger): Promise<LogSigner> {
  const signer = logSignerFromBackend(key);
  const sign = async (checkpoint: Checkpoint): Promise<string> => {
    try {
      return await signer.sign(checkpoint);
    } catch (error) {
      if (error instanceof LogKeyError) throw new BackendFault("wrong", error.message);
      throw error;
    }
  };
  const probe = () => sign({ origin, size: 0, root: FAST_HASHER.empty });
  await probe().catch(async (error: unknown) => {
    await key.stop();
    throw new LogKeyError(`it cannot sign: ${faultText(error)}`);
  });
  const availability = watchAvailability({ what: "The key of the decision log", probe, logger });
  return Object.freeze({
    ...signer,
    sign: (checkpoint: Checkpoint) => availability.run(() => sign(checkpoint)),
    fault: availability.fault,
    async stop() {
      await availability.stop();
      await key.stop();
    },
  });
}
