/** Settings of keys that are kept elsewhere: in a token that speaks PKCS#11, or in AWS KMS. */
import { z } from "zod";
import { Address } from "../../attestor/values/primitives.ts";
import type { Environment } from "./environment.ts";
import { Secret } from "./secret.ts";
import { oneOf, wholeNumber } from "./texts.ts";

/** A key in a PKCS#11 token. */
export interface Pkcs11Setting {
  readonly backend: "pkcs11";
  /** The shared library of the token's maker. */
  readonly module: string;
  readonly token: { readonly label: string } | { readonly slot: number };
  /** `id` in hexadecimal, lower case. */
  readonly key: { readonly label: string } | { readonly id: string };
  readonly pin: Secret;
}

/** A key in AWS KMS. Region, endpoint and credentials are found as every AWS client finds them. */
export interface KmsSetting {
  readonly backend: "aws-kms";
  /** Id, ARN or alias. */
  readonly key: string;
}

export type BackendSetting = Pkcs11Setting | KmsSetting;

const SIGNERS = ["keystore", "pkcs11", "aws-kms"] as const;
type SignerName = (typeof SIGNERS)[number];
/** Whose key it is: the attestation key, the one that waits for the guard, the log's. */
type Owner = "ATTESTOR" | "ATTESTOR_NEXT" | "LOG";

const text = z.string().max(2_048).optional();
const signer = oneOf(SIGNERS).optional();

const keyOf = <const O extends Owner>(owner: O) =>
  ({
    [`${owner}_PKCS11_MODULE`]: text,
    [`${owner}_PKCS11_TOKEN`]: text,
    [`${owner}_PKCS11_SLOT`]: z
      .string()
      .regex(/^[0-9]{1,10}$/, "must be a whole number")
      .optional(),
    [`${owner}_PKCS11_KEY_LABEL`]: text,
    [`${owner}_PKCS11_KEY_ID`]: z
      .string()
      .regex(/^([0-9a-fA-F]{2}){1,64}$/, "must be hexadecimal, such as 01")
      .optional(),
    [`${owner}_PKCS11_PIN`]: text,
    [`${owner}_PKCS11_PIN_FILE`]: text,
    [`${owner}_KMS_KEY`]: z
      .string()
      .regex(/^[A-Za-z0-9:/_-]{1,2048}$/, "must be the id, the ARN or the alias of a key")
      .optional(),
  }) as Record<string, z.ZodOptional<z.ZodString>>;

/** For the schema of all settings. */
export const SIGNER_SETTINGS = {
  ATTESTOR_SIGNER: signer,
  LOG_SIGNER: signer,
  ATTESTOR_ADDRESS: z
    .string()
    .transform((value, context) => {
      const address = Address.safeParse(value);
      if (address.success) return address.data;
      context.addIssue({ code: "custom", message: "must be an address" });
      return z.NEVER;
    })
    .optional(),
  ATTESTOR_SIGNER_TIMEOUT_MS: wholeNumber(100, 10_000).default(2_000),
  // Less than what the publisher's lease has left when it signs.
  LOG_SIGNER_TIMEOUT_MS: wholeNumber(100, 1_400).default(1_000),
};

/** In the form of the schema's shape, for `Settings`. */
export const BACKEND_KEY_SETTINGS = { ...keyOf("ATTESTOR"), ...keyOf("ATTESTOR_NEXT"), ...keyOf("LOG") };

export const PIN_SETTINGS = (["ATTESTOR", "ATTESTOR_NEXT", "LOG"] as const).map(
  (owner) => `${owner}_PKCS11_PIN`,
);

/** What reads a file that a setting names, and says so where it cannot. */
export type ReadSetting = (name: string, path: string) => string | null;

/**
 * The setting that names a key, of those that could.
 * @param files settings of keys that are no backend's, such as ATTESTOR_KEYSTORE
 * @param required what is asked for where none is set; null: a key may be missing
 * @returns null where none is set, or more than one, or another one than `<owner>_SIGNER` says
 */
export function settingOfKey(
  owner: "ATTESTOR" | "LOG",
  given: Environment,
  files: readonly string[],
  required: string | null,
  faults: string[],
): string | null {
  const kinds: Record<SignerName, readonly string[]> = {
    keystore: files,
    pkcs11: [`${owner}_PKCS11_MODULE`],
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

/** The key that the settings of one owner name by this one; null where there is none, or one that is incomplete, which is a fault. */
export function backendOf(
  owner: Owner,
  setting: string | null,
  given: Environment,
  read: ReadSetting,
  faults: string[],
): BackendSetting | null {
  if (setting === `${owner}_KMS_KEY`) return { backend: "aws-kms", key: given[setting] ?? "" };
  return setting === `${owner}_PKCS11_MODULE` ? pkcs11Of(owner, given, read, faults) : null;
}

/** The attestation key that waits for the guard. What its settings leave out of the token is as for the present key. */
export function nextBackend(given: Environment, read: ReadSetting, faults: string[]): BackendSetting | null {
  const kms = given.ATTESTOR_NEXT_KMS_KEY !== undefined;
  // Any of them: one without its key is a fault, and not a key that nobody misses until the guard names it.
  const pkcs11 = Object.entries(given).some(
    ([name, value]) => name.startsWith("ATTESTOR_NEXT_PKCS11_") && value !== undefined,
  );
  if (kms && pkcs11) {
    faults.push("ATTESTOR_NEXT_KMS_KEY and a key of ATTESTOR_NEXT_PKCS11 are both set: set one of them");
    return null;
  }
  const setting = kms ? "ATTESTOR_NEXT_KMS_KEY" : pkcs11 ? "ATTESTOR_NEXT_PKCS11_MODULE" : null;
  return backendOf("ATTESTOR_NEXT", setting, withTokenOfPresent(given), read, faults);
}

function withTokenOfPresent(given: Environment): Environment {
  const filled: Record<string, string | undefined> = { ...given };
  for (const group of [["MODULE"], ["TOKEN", "SLOT"], ["PIN", "PIN_FILE"]])
    if (group.every((part) => given[`ATTESTOR_NEXT_PKCS11_${part}`] === undefined))
      for (const part of group) filled[`ATTESTOR_NEXT_PKCS11_${part}`] = given[`ATTESTOR_PKCS11_${part}`];
  return filled;
}

function pkcs11Of(
  owner: Owner,
  given: Environment,
  read: ReadSetting,
  faults: string[],
): Pkcs11Setting | null {
  const of = (part: string) => given[`${owner}_PKCS11_${part}`];
  const before = faults.length;
  /** Exactly one of two. */
  const either = (first: string, second: string): [string | undefined, string | undefined] => {
    if ((of(first) === undefined) === (of(second) === undefined))
      faults.push(
        `${owner}_PKCS11_MODULE needs either ${owner}_PKCS11_${first} or ${owner}_PKCS11_${second}`,
      );
    return [of(first), of(second)];
  };
  const module = of("MODULE");
  if (module === undefined) faults.push(`${owner}_PKCS11_MODULE is required`);
  const [label = "", slot] = either("TOKEN", "SLOT");
  const [keyLabel = "", keyId] = either("KEY_LABEL", "KEY_ID");
  const [pinFile, direct] = either("PIN_FILE", "PIN");
  const pin = pinFile === undefined ? (direct ?? "") : read(`${owner}_PKCS11_PIN_FILE`, pinFile);
  if (faults.length > before || module === undefined || pin === null) return null;
  return {
    backend: "pkcs11",
    module,
    token: slot === undefined ? { label } : { slot: Number(slot) },
    key: keyId === undefined ? { label: keyLabel } : { id: keyId.toLowerCase() },
    pin: new Secret(pin.replace(/\r?\n$/, "")),
  };
}
