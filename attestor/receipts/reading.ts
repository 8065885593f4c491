/** Finds signed receipts, offers and keys in what a reader has kept of an x402 purchase. */
import * as z from "zod";
import { asRecord } from "../steps.ts";
import { fromBase64, utf8 } from "../values/bytes.ts";
import { orElse } from "../values/orElse.ts";
import { parseDocument } from "../verify/document.ts";
import { fromBase64url, SignedStatement } from "./statement.ts";

const EXTENSION = "offer-receipt";
const COMPACT = /^[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+$/;
const KEY_LENGTH = 32;

/** Longer is no receipt, nor the challenge of a service. */
export const MAX_RECEIPT_LENGTH = 65_536;

export interface ReadReceipt {
  /** Compact JWS. */
  readonly signature: string;
  /** What the answer says beside it, unsigned. */
  readonly around: Readonly<Record<string, unknown>>;
}

/** @returns null where there is none in the form jws */
export function receiptIn(text: string): ReadReceipt | null {
  const trimmed = text.trim();
  if (COMPACT.test(trimmed)) return { signature: trimmed, around: {} };
  const value = jsonIn(trimmed);
  const alone = SignedStatement.safeParse(value);
  if (alone.success) return { signature: alone.data.signature, around: {} };
  const answer = asRecord(value);
  const carried = SignedStatement.safeParse(infoOf(answer)?.receipt);
  return answer !== null && carried.success ? { signature: carried.data.signature, around: answer } : null;
}

/** Compact JWS of each. */
export function offersIn(text: string): string[] {
  const trimmed = text.trim();
  if (COMPACT.test(trimmed)) return [trimmed];
  const value = jsonIn(trimmed);
  const alone = SignedStatement.safeParse(value);
  if (alone.success) return [alone.data.signature];
  const carried = z
    .array(z.unknown())
    .max(100)
    .safeParse(infoOf(asRecord(value))?.offers);
  return (carried.data ?? []).flatMap((offer) => {
    const signed = SignedStatement.safeParse(offer);
    return signed.success ? [signed.data.signature] : [];
  });
}

const Method = z.looseObject({
  publicKeyJwk: z.looseObject({ kty: z.literal("OKP"), crv: z.literal("Ed25519"), x: z.string() }),
});
const DidDocument = z.looseObject({ verificationMethod: z.array(z.unknown()).max(100) });

/** @returns null for what is neither a public key in base64url nor a DID document with some */
export function keysIn(text: string): Uint8Array[] | null {
  const trimmed = text.trim();
  const single = fromBase64url(trimmed);
  if (single?.length === KEY_LENGTH) return [single];
  const document = DidDocument.safeParse(jsonIn(trimmed));
  const keys = (document.data?.verificationMethod ?? []).flatMap((method) => {
    const parsed = Method.safeParse(method);
    const key = parsed.success ? fromBase64url(parsed.data.publicKeyJwk.x) : null;
    return key?.length === KEY_LENGTH ? [key] : [];
  });
  return keys.length === 0 ? null : keys;
}

const infoOf = (answer: Readonly<Record<string, unknown>> | null) =>
  asRecord(asRecord(asRecord(answer?.extensions)?.[EXTENSION])?.info);

/** JSON, or base64 of it, as headers have it; undefined: neither. */
function jsonIn(text: string): unknown {
  const bytes = text.startsWith("{") ? utf8(text) : fromBase64(text);
  if (bytes === null || bytes.length > MAX_RECEIPT_LENGTH) return undefined;
  return orElse(() => parseDocument(new TextDecoder("utf-8", { fatal: true }).decode(bytes)), undefined);
}
