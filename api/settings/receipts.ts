/** The settings of the key that signs receipts. */
import { z } from "zod";
import type { Secret } from "./secret.ts";

export interface ReceiptSettings {
  /** null: the development key in the local profile; in the live one receipts are then not signed. */
  readonly keystore: { readonly path: string; readonly passphrase: Secret } | null;
  /** Public keys that signed receipts before, 32 bytes each. */
  readonly formerKeys: readonly Uint8Array[];
}

/** Public keys as the DID document has them (`x`), several with commas between. */
export const FormerReceiptKeys = z.string().transform((text, context): Uint8Array[] =>
  text.split(",").flatMap((part) => {
    const key = part.trim();
    const bytes = Buffer.from(key, "base64url");
    if (bytes.length === 32 && bytes.toString("base64url") === key) return [new Uint8Array(bytes)];
    context.addIssue({
      code: "custom",
      message: "must be public keys of 43 characters, with commas between",
    });
    return [];
  }),
);
