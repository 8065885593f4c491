/** What may be typed after `assay keystore`. What else is typed is never repeated: it may be a secret. */
import { parseTyped } from "../console.ts";

/** Of what the options name: keystores, passphrases and PINs. */
export const LONGEST_FILE = 4_096;

const text = { type: "string" } as const;
const PASSPHRASE = { "passphrase-file": text };

/** A key that is no file. */
const ELSEWHERE = {
  pkcs11: text,
  token: text,
  slot: text,
  key: text,
  "key-id": text,
  "pin-file": text,
  kms: text,
};
export type ElsewhereOptions = { readonly [name in keyof typeof ELSEWHERE]?: string | undefined };

export function isElsewhere(options: ElsewhereOptions): boolean {
  return Object.keys(ELSEWHERE).some((name) => options[name as keyof ElsewhereOptions] !== undefined);
}

/** Of create and import. @throws UsageError */
export const parseMake = (args: string[]) =>
  parseTyped(
    { args, allowPositionals: true, options: { ...PASSPHRASE, log: text } },
    "keystore takes only the options --passphrase-file FILE and --log ORIGIN",
  );

/** @throws UsageError */
export const parseProve = (args: string[]) =>
  parseTyped(
    {
      args,
      allowPositionals: true,
      options: { ...PASSPHRASE, deployment: text, "chain-id": text, guard: text, ...ELSEWHERE },
    },
    "keystore prove takes only --deployment, --chain-id, --guard, --passphrase-file, and options of --pkcs11 and --kms",
  );

/** @throws UsageError */
export const parseShow = (args: string[]) =>
  parseTyped(
    { args, options: { log: text, ...ELSEWHERE } },
    "keystore show takes only --log ORIGIN and the options of --pkcs11 or --kms",
  ).values;
