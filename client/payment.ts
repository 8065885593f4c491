/** The three headers of x402 version 2, as a buyer meets them. The client signs nothing: wallets do. */
import { z } from "zod";
import { toBase64, utf8 } from "../attestor/values/bytes.ts";
import { orElse } from "../attestor/values/orElse.ts";

/** One way to pay. Amounts in raw units of the token `asset`, times in seconds. */
export const PaymentRequirements = z.looseObject({
  scheme: z.string(),
  /** CAIP-2, such as `eip155:56`. */
  network: z.string(),
  asset: z.string(),
  amount: z.string(),
  payTo: z.string(),
  maxTimeoutSeconds: z.number(),
  extra: z.record(z.string(), z.unknown()).nullish(),
});
export type PaymentRequirements = z.infer<typeof PaymentRequirements>;

/** The content of PAYMENT-REQUIRED. */
export const PaymentChallenge = z.looseObject({
  x402Version: z.literal(2),
  error: z.string().nullish(),
  resource: z.looseObject({ url: z.string() }),
  accepts: z.array(PaymentRequirements).min(1),
  extensions: z.record(z.string(), z.unknown()).nullish(),
});
export type PaymentChallenge = z.infer<typeof PaymentChallenge>;

/** The content of PAYMENT-RESPONSE. */
export const Receipt = z.looseObject({
  success: z.boolean(),
  /** Hash of the settling transaction. */
  transaction: z.string(),
  network: z.string(),
  payer: z.string().nullish(),
  /** Raw units. */
  amount: z.string().nullish(),
});
export type Receipt = z.infer<typeof Receipt>;

/** A payment for the call, signed by the user's wallet over one of `PaymentRequired`'s `challenge.accepts`. */
export interface Payable {
  /** The header's text, or the JSON that it encodes. */
  readonly paymentSignature?: string | object;
}

/** `receipt` is that of the payment for this very answer, or null. */
export interface Bought {
  readonly receipt: Receipt | null;
}

/** @returns null where the header is missing or is not what it should be */
export function challengeOf(header: string | null): PaymentChallenge | null {
  return decode(PaymentChallenge, header);
}

/** @returns null where nothing was paid for this answer */
export function receiptIn(headers: Headers): Receipt | null {
  return decode(Receipt, headers.get("payment-response"));
}

/**
 * The header PAYMENT-SIGNATURE.
 * @param payment what the wallet signed: the header's text, or the JSON that it encodes
 */
export function paymentHeader(payment: string | object): string {
  if (typeof payment === "string") return payment;
  return toBase64(utf8(JSON.stringify(payment)));
}

function decode<T>(schema: z.ZodType<T>, header: string | null): T | null {
  if (header === null) return null;
  return orElse(() => {
    const bytes = Uint8Array.from(atob(header), (character) => character.charCodeAt(0));
    return schema.parse(JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes)));
  }, null);
}
