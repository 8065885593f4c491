/** What may be typed after `assay keystore`. What else is typed is never repeated: it may be a secret. */
import { parseTyped } from "../console.ts";

/** Of what the options name: keystores and passphrases. */
export const LONGEST_FILE = 4_096;

const text = { type: "string" } as const;
const PASSPHRASE = { "passphrase-file": text };

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
      options: { ...PASSPHRASE, deployment: text, "chain-id": text, guard: text, kms: text },
    },
    "keystore prove takes only --deployment, --chain-id, --guard, --passphrase-file and --kms",
  );

/** @throws UsageError */
export const parseShow = (args: string[]) =>
  parseTyped(
    { args, options: { log: text, kms: text } },
    "keystore show takes only --kms KEY and --log ORIGIN",
  ).values;
