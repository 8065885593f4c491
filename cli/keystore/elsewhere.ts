/** Keys that are no files: in a PKCS#11 token or in AWS KMS, as the options of `assay keystore` name them. */
import { logSignerFromBackend } from "../../api/log/key.ts";
import { passphraseIn } from "../../api/settings/config.ts";
import { OriginSetting } from "../../api/settings/logSettings.ts";
import { Secret } from "../../api/settings/secret.ts";
import type { BackendSetting } from "../../api/settings/signers.ts";
import type { Curve, OpenKey } from "../../api/signers/backend.ts";
import { BackendFault } from "../../api/signers/fault.ts";
import { openKey } from "../../api/signers/open.ts";
import { addressOfPublicKey } from "../../attestor/evm/signature.ts";
import { vkeyText } from "../../attestor/log/note.ts";
import { AttestorError } from "../../attestor/values/attestorErrors.ts";
import { PlainError, readFile, UsageError, type World } from "../console.ts";
import { type ElsewhereOptions, LONGEST_FILE, parseShow } from "./options.ts";

/** A person waits. */
const TIMEOUT_MS = 15_000;

/**
 * Opens the key, works with it, and lets go of it.
 * @throws UsageError for options that name no key, PlainError for a key that cannot be opened or used
 */
export async function withKey<T>(
  options: ElsewhereOptions,
  curve: Curve,
  world: World,
  work: (key: OpenKey) => Promise<T>,
): Promise<T> {
  const setting = await settingOf(options, world);
  try {
    const key = await openKey(setting, curve, TIMEOUT_MS);
    try {
      if (key.warning !== null) world.err(`WARNING  ${key.warning}`);
      return await work(key);
    } finally {
      await key.stop();
    }
  } catch (error) {
    if (error instanceof BackendFault || error instanceof AttestorError) throw new PlainError(error.message);
    throw error;
  }
}

async function settingOf(options: ElsewhereOptions, world: World): Promise<BackendSetting> {
  const { pkcs11, token, slot, key, "key-id": keyId, "pin-file": pinFile, kms } = options;
  if (kms !== undefined) {
    if (Object.values({ pkcs11, token, slot, key, keyId, pinFile }).some((value) => value !== undefined))
      throw new UsageError("--kms goes with no other option of a key");
    return { backend: "aws-kms", key: kms };
  }
  const isSlot = slot !== undefined && /^[0-9]{1,10}$/.test(slot);
  const isId = keyId !== undefined && /^([0-9a-fA-F]{2}){1,64}$/.test(keyId);
  if (pkcs11 === undefined || (token !== undefined) === isSlot || (key !== undefined) === isId)
    throw new UsageError("--pkcs11 MODULE needs --token LABEL or --slot N, and --key LABEL or --key-id HEX");
  const pin =
    pinFile === undefined
      ? await world.ask("PIN: ")
      : passphraseIn(await readFile(pinFile, LONGEST_FILE, world));
  return {
    backend: "pkcs11",
    module: pkcs11,
    token: isSlot ? { slot: Number(slot) } : { label: token ?? "" },
    key: isId ? { id: keyId.toLowerCase() } : { label: key ?? "" },
    pin: new Secret(pin),
  };
}

/**
 * Prints the address of an attestation key, or with the name of a log its verifier key.
 * @throws UsageError, PlainError
 */
export async function showCommand(args: string[], world: World): Promise<number> {
  const { log: origin, ...options } = parseShow(args);
  if (origin !== undefined && !OriginSetting.safeParse(origin).success)
    throw new UsageError("--log takes the name of a log such as assay.example.com/log");
  const shown = await withKey(options, origin === undefined ? "secp256k1" : "ed25519", world, async (key) =>
    origin === undefined
      ? addressOfPublicKey(key.publicKey)
      : vkeyText(logSignerFromBackend(key).keyOf(origin)),
  );
  if (shown === null) throw new PlainError("the public key is no point of the curve");
  world.out(shown);
  return 0;
}
