/** The settings of the key that signs receipts. */
import { z } from "zod";

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
