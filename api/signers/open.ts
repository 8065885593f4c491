/** Opens a key from wherever the settings say that it is kept. */
import type { BackendSetting } from "../settings/signers.ts";
import { openKmsKey } from "./aws/kms.ts";
import type { Curve, OpenKey } from "./backend.ts";
import { openTokenKey } from "./pkcs11/process.ts";

/**
 * @param timeoutMs for one signature
 * @throws BackendFault when the key cannot be opened, or is of another curve
 */
export async function openKey(setting: BackendSetting, curve: Curve, timeoutMs: number): Promise<OpenKey> {
  return setting.backend === "pkcs11"
    ? await openTokenKey(setting, curve, timeoutMs)
    : await openKmsKey({ key: setting.key, curve, timeoutMs });
}
