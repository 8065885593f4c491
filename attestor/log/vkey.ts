/** A verifier key as documents carry it. */
import * as z from "zod";
import { parseVkey } from "./note.ts";

/** The text of an Ed25519 verifier key, of a log or of a witness. */
export const Vkey = z
  .string()
  .max(500)
  .refine((text) => {
    try {
      return parseVkey(text) !== null;
    } catch {
      return false;
    }
  }, "must be a verifier key: <name>+<id>+<Ed25519 key in base64>");
