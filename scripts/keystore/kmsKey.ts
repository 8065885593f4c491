/** Keys in AWS KMS, as `assay keystore --kms` names them. */
import { logSignerFromBackend } from "../../api/log/key.ts";
import { OriginSetting } from "../../api/settings/logSettings.ts";
import { openKmsKey } from "../../api/signers/aws/kms.ts";
import type { Curve, OpenKey } from "../../api/signers/backend.ts";
import { BackendFault } from "../../api/signers/backend.ts";
import { addressOfPublicKey } from "../../attestor/evm/signature.ts";
import { vkeyText } from "../../attestor/log/note.ts";
import { AttestorError } from "../../attestor/values/attestorErrors.ts";
import { command, text } from "../command.ts";
import { EXIT, PlainError, UsageError } from "../errors.ts";

/** A person waits. */
const TIMEOUT_MS = 15_000;

/**
 * Opens the key, works with it, and lets go of it.
 * @throws PlainError for a key that cannot be opened or used
 */
export async function withKey<T>(
  kmsKey: string,
  curve: Curve,
  work: (key: OpenKey) => Promise<T>,
): Promise<T> {
  try {
    const key = await openKmsKey({ key: kmsKey, curve, timeoutMs: TIMEOUT_MS });
    try {
      return await work(key);
    } finally {
      await key.stop();
    }
  } catch (error) {
    if (error instanceof BackendFault || error instanceof AttestorError) throw new PlainError(error.message);
    throw error;
  }
}

export const showKey = command({
  summary: "Print the address of a key in AWS KMS, or its verifier key as that of a decision log",
  options: {
    kms: text(
      "KEY",
      "its id, ARN or alias; region, endpoint and credentials are found as by every AWS client",
    ),
    log: text("ORIGIN", "the name of the log, such as assay.example.com/log"),
  },
  usage: "keystore show takes only --kms KEY and --log ORIGIN",
  run: async ({ kms, log: origin }, world) => {
    if (kms === undefined) throw new UsageError("keystore show needs --kms KEY");
    if (origin !== undefined && !OriginSetting.safeParse(origin).success)
      throw new UsageError("--log takes the name of a log such as assay.example.com/log");
    const shown = await withKey(kms, origin === undefined ? "secp256k1" : "ed25519", async (key) =>
      origin === undefined
        ? addressOfPublicKey(key.publicKey)
        : vkeyText(logSignerFromBackend(key).keyOf(origin)),
    );
    if (shown === null) throw new PlainError("the public key is no point of the curve");
    world.out(shown);
    return EXIT.ok;
  },
});
