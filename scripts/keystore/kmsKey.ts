/** Keys in AWS KMS, as `assay keystore --kms` names them. */
import { logSignerFromBackend } from "../../api/log/key.ts";
import { OriginSetting } from "../../api/settings/logSettings.ts";
import { openKmsKey } from "../../api/signers/aws/kms.ts";
import type { Curve, OpenKey } from "../../api/signers/backend.ts";
import { addressOfPublicKey } from "../../attestor/evm/signature.ts";
import { vkeyText } from "../../attestor/log/note.ts";
import { command, required, text } from "../command.ts";
import { EXIT, Unusable } from "../errors.ts";
import { matching } from "../typed.ts";

/** A person waits. */
const TIMEOUT_MS = 15_000;

/**
 * Opens the key, works with it, and lets go of it.
 * @throws BackendFault, AttestorError for a key that cannot be opened or used
 */
export async function withKey<T>(
  kmsKey: string,
  curve: Curve,
  work: (key: OpenKey) => Promise<T>,
): Promise<T> {
  const key = await openKmsKey({ key: kmsKey, curve, timeoutMs: TIMEOUT_MS });
  try {
    return await work(key);
  } finally {
    await key.stop();
  }
}

export const showKey = command({
  summary: "Print the address of a key in AWS KMS, or its verifier key as that of a decision log",
  options: {
    kms: required(
      text("KEY", "its id, ARN or alias; region, endpoint and credentials are found as by every AWS client"),
    ),
    log: text("ORIGIN", "the name of the log, such as assay.example.com/log", matching(OriginSetting)),
  },
  usage: "keystore show takes only --kms KEY and --log ORIGIN",
  run: async ({ kms, log: origin }, world) => {
    const shown = await withKey(kms, origin === undefined ? "secp256k1" : "ed25519", async (key) =>
      origin === undefined
        ? addressOfPublicKey(key.publicKey)
        : vkeyText(logSignerFromBackend(key).keyOf(origin)),
    );
    if (shown === null) throw new Unusable("the public key is no point of the curve");
    world.out(shown);
    return EXIT.ok;
  },
});
