/** The log's key of a backend: what it is given are texts of checkpoints, and nothing else. */
import type { Checkpoint } from "../../attestor/log/checkpoint.ts";
import type { Logger } from "../metrics/logger.ts";
import { watchAvailability } from "../signers/availability.ts";
import type { OpenKey } from "../signers/backend.ts";
import { BackendFault, faultText } from "../signers/fault.ts";
import { FAST_HASHER } from "./hasher.ts";
import { LogKeyError, type LogSigner, logSignerFromBackend } from "./key.ts";

const WHAT = "The key of the decision log";

/**
 * Signs once before it resolves: the checkpoint of an empty tree under the log's name. It is true
 * of any log, and says nothing.
 * @throws LogKeyError where the key cannot sign
 */
export async function watchedLogSigner(key: OpenKey, origin: string, logger: Logger): Promise<LogSigner> {
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
  await probe().catch((error: unknown) => {
    throw new LogKeyError(`it cannot sign: ${faultText(error)}`);
  });
  const availability = watchAvailability({ what: WHAT, probe, logger });
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
