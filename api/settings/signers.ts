/** Settings of keys that are kept in AWS KMS. */
import { z } from "zod";
import { Address } from "../../attestor/values/primitives.ts";
import type { Environment } from "./environment.ts";
import { oneOf, wholeNumber } from "./texts.ts";

/** A key in AWS KMS. Region, endpoint and credentials are found as every AWS client finds them. */
export interface KmsSetting {
  readonly backend: "aws-kms";
  /** Id, ARN or alias. */
  readonly key: string;
}

const SIGNERS = ["keystore", "aws-kms"] as const;
type SignerName = (typeof SIGNERS)[number];
const signer = oneOf(SIGNERS).optional();

const kmsKey = z
  .string()
  .regex(/^[A-Za-z0-9:/_-]{1,2048}$/, "must be the id, the ARN or the alias of a key")
  .optional();

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
  ATTESTOR_KMS_KEY: kmsKey,
  ATTESTOR_NEXT_KMS_KEY: kmsKey,
  LOG_KMS_KEY: kmsKey,
};

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
