/** The keys that sign, certificates and the decision log's checkpoints: where the settings say that they are kept. */
import { hash } from "node:crypto";
import { join } from "node:path";
import type { Environment } from "./environment.ts";
import { LOCAL_ORIGIN, originOf } from "./logSettings.ts";
import type { Settings } from "./schema.ts";
import { Secret } from "./secret.ts";

/** A key in AWS KMS. Region, endpoint and credentials are found as every AWS client finds them. */
export interface KmsSetting {
  readonly backend: "aws-kms";
  /** Id, ARN or alias. */
  readonly key: string;
}

/** Where the attestation key comes from. */
type AttestorKey =
  | { readonly backend: "keystore"; readonly path: string; readonly passphrase: Secret }
  | { readonly backend: "privateKey"; readonly privateKey: Secret }
  | KmsSetting;

/** What reads a file that a setting names, and says so where it cannot. */
export type ReadSetting = (name: string, path: string) => string | null;

const SIGNERS = ["keystore", "aws-kms"] as const;
type SignerName = (typeof SIGNERS)[number];

/**
 * The setting that names a key, of those that could.
 * @param files settings of keys that are no backend's, such as ATTESTOR_KEYSTORE
 * @param required what is asked for where none is set; null: a key may be missing
 * @returns null where none is set, or more than one, or another one than `<owner>_SIGNER` says
 */
function settingOfKey(
  owner: "ATTESTOR" | "LOG",
  given: Environment,
  files: readonly string[],
  required: string | null,
  faults: string[],
): string | null {
  const kinds: Record<SignerName, readonly string[]> = {
    keystore: files,
    "aws-kms": [`${owner}_KMS_KEY`],
  };
  const meant = SIGNERS.find((name) => name === given[`${owner}_SIGNER`]);
  const set = Object.values(kinds)
    .flat()
    .filter((name) => given[name] !== undefined);
  const [only, ...more] = set;
  const fault =
    more.length > 0
      ? `${set.slice(0, -1).join(", ")} and ${set.at(-1)} are both set: set one of them`
      : meant === undefined
        ? only === undefined && required !== null && `${required} is required in the live profile`
        : only === undefined
          ? `${owner}_SIGNER is ${meant}, so ${kinds[meant].at(-1)} is required`
          : !kinds[meant].includes(only) && `${owner}_SIGNER is ${meant}, but ${only} is set`;
  if (fault) faults.push(fault);
  return fault || only === undefined ? null : only;
}

/** The key of AWS KMS that a setting names; null: it names none. */
export const kmsSettingOf = (key: string | undefined): KmsSetting | null =>
  key === undefined ? null : { backend: "aws-kms", key };

export function attestorOf(
  settings: Settings,
  given: Environment,
  read: ReadSetting,
  faults: string[],
): AttestorKey | null {
  const live = settings.ASSAY_PROFILE === "live";
  if (live && given.ATTESTOR_PRIVATE_KEY !== undefined)
    faults.push("ATTESTOR_PRIVATE_KEY works in the local profile only: use ATTESTOR_KEYSTORE");
  const setting = settingOfKey(
    "ATTESTOR",
    given,
    ["ATTESTOR_PRIVATE_KEY", "ATTESTOR_KEYSTORE"],
    live ? "ATTESTOR_KEYSTORE" : null,
    faults,
  );
  if (setting === "ATTESTOR_PRIVATE_KEY") {
    const { ATTESTOR_PRIVATE_KEY: key } = settings;
    if (live) faults.push("ATTESTOR_KEYSTORE is required in the live profile");
    return live || key === undefined ? null : { backend: "privateKey", privateKey: new Secret(key) };
  }
  const { ATTESTOR_KEYSTORE: path } = settings;
  if (setting !== "ATTESTOR_KEYSTORE" || path === undefined)
    return setting === "ATTESTOR_KMS_KEY" ? kmsSettingOf(settings.ATTESTOR_KMS_KEY) : null;
  if (read("ATTESTOR_KEYSTORE", path) === null) return null;
  const passphrase = passphraseOf("ATTESTOR_KEYSTORE", settings, read, faults);
  return passphrase === null ? null : { backend: "keystore", path, passphrase };
}

export function logOf(settings: Settings, given: Environment, read: ReadSetting, faults: string[]) {
  const { PUBLIC_URL } = settings;
  const live = settings.ASSAY_PROFILE === "live";
  const setting = settingOfKey("LOG", given, ["LOG_KEYSTORE"], live ? "LOG_KEYSTORE" : null, faults);
  if (live && settings.LOG_ORIGIN === undefined && PUBLIC_URL === undefined)
    faults.push("the decision log needs a name: set PUBLIC_URL or LOG_ORIGIN");
  return {
    /** What the logs of all years have in common; each is called this and its year. */
    origin: settings.LOG_ORIGIN ?? (PUBLIC_URL === undefined ? LOCAL_ORIGIN : originOf(PUBLIC_URL)),
    /** null where the key has a backend, and in the local profile: the development key then signs. */
    keystore: logKeystoreOf(settings, read, faults),
    /** Where the key is kept elsewhere than in a file. */
    backend: setting === "LOG_KMS_KEY" ? kmsSettingOf(settings.LOG_KMS_KEY) : null,
    /** Folder for the last checkpoint that was signed. */
    stateDir: settings.LOG_STATE_DIR ?? join(settings.DATA_DIR, "log", live ? "" : ofDatabase(settings)),
    witnesses: settings.LOG_WITNESSES,
    /** How long a certificate waits for its checkpoint, milliseconds. */
    waitMs: settings.LOG_WAIT_MS,
  };
}

/** The file of an encrypted key and its passphrase; null where none is named, or one of them cannot be had. */
function logKeystoreOf(
  settings: Settings,
  read: ReadSetting,
  faults: string[],
): { path: string; passphrase: Secret } | null {
  const path = settings.LOG_KEYSTORE;
  if (path === undefined || read("LOG_KEYSTORE", path) === null) return null;
  const passphrase = passphraseOf("LOG_KEYSTORE", settings, read, faults);
  return passphrase === null ? null : { path, passphrase };
}

/** A local world may have several databases, one after the other, each with a log of its own. */
const ofDatabase = ({ DATABASE_URL = "" }: Settings): string => hash("sha256", DATABASE_URL).slice(0, 12);

function passphraseOf(
  keystore: "ATTESTOR_KEYSTORE" | "LOG_KEYSTORE",
  settings: Settings,
  read: ReadSetting,
  faults: string[],
): Secret | null {
  const direct = settings[`${keystore}_PASSPHRASE`];
  const file = settings[`${keystore}_PASSPHRASE_FILE`];
  if ((direct === undefined) === (file === undefined)) {
    faults.push(`${keystore} needs either ${keystore}_PASSPHRASE or ${keystore}_PASSPHRASE_FILE`);
    return null;
  }
  if (direct !== undefined) return new Secret(direct);
  const content = read(`${keystore}_PASSPHRASE_FILE`, file ?? "");
  return content === null ? null : new Secret(passphraseIn(content));
}

/** What a passphrase file says: editors end it with a line break that is no part of the passphrase. */
function passphraseIn(content: string): string {
  return content.replace(/\r?\n$/, "");
}
