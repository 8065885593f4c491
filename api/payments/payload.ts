/** From the header PAYMENT-SIGNATURE to a payment whose authorization can be judged, by EIP-3009 or Permit2. */
import { getAddress, toBeHex } from "ethers";
import { z } from "zod";
import { orElse } from "../../attestor/values/orElse.ts";
import { RawAmount, Text } from "../../attestor/values/primitives.ts";
import type { TransferMethod } from "../settings/paymentOptions.ts";
import { PaymentRefused } from "./refusals.ts";
import type { Requirements } from "./requirements.ts";
import { EXACT_PERMIT2_PROXY } from "./typedData.ts";

/** Other wallets' spelling is as good as ours. */
const AnyAddress = z
  .string()
  .regex(/^0x[0-9a-fA-F]{40}$/)
  .transform((address) => getAddress(address.toLowerCase()));

const SignatureBytes = z.string().regex(/^0x([0-9a-fA-F]{2}){1,4000}$/);

/** Times in unix seconds. */
const Eip3009Payload = z.strictObject({
  signature: SignatureBytes,
  authorization: z.strictObject({
    from: AnyAddress,
    to: AnyAddress,
    value: RawAmount,
    validAfter: RawAmount,
    validBefore: RawAmount,
    nonce: z
      .string()
      .regex(/^0x[0-9a-fA-F]{64}$/)
      .overwrite((nonce) => nonce.toLowerCase()),
  }),
});

/** What a payer signs for Permit2, for x402's proxy as the spender; times in unix seconds. */
const Permit2Payload = z.strictObject({
  signature: SignatureBytes,
  permit2Authorization: z.strictObject({
    from: AnyAddress,
    permitted: z.strictObject({ token: AnyAddress, amount: RawAmount }),
    spender: AnyAddress,
    nonce: RawAmount,
    deadline: RawAmount,
    witness: z.strictObject({ to: AnyAddress, validAfter: RawAmount }),
  }),
});

export const Payment = z.object({
  x402Version: z.literal(2),
  resource: z.looseObject({ url: Text.max(2_048) }).nullish(),
  accepted: z.record(z.string(), z.unknown()),
  payload: z.union([Eip3009Payload, Permit2Payload]),
  extensions: z.record(z.string(), z.unknown()).nullish(),
});
export type Payment = z.infer<typeof Payment>;

/** A delegation (ERC-7710): its sender means x402, but in a form that is not taken. */
const Delegation = z.looseObject({
  x402Version: z.number(),
  payload: z.looseObject({ delegationManager: z.unknown() }),
});

/**
 * @param given the header's text, or the decoded JSON, as MCP hosts may hand it over
 * @throws PaymentRefused `malformed`, `unsupported`
 */
export function readPayment(given: unknown): Payment {
  const value = typeof given === "string" ? headerJson(given) : given;
  const parsed = Payment.safeParse(value);
  if (parsed.success) return parsed.data;
  const delegation = Delegation.safeParse(value);
  const isDelegation = delegation.success && delegation.data.payload.delegationManager !== undefined;
  throw new PaymentRefused(isDelegation ? "unsupported" : "malformed");
}

/** Far above the 950 characters of a usual payment; contract wallets sign at more length. */
const MAX_LENGTH = 12_000;

/** The JSON of one of x402's headers, which are base64. @returns undefined where it is none, or too long */
function headerJson(text: string): unknown {
  if (text.length > MAX_LENGTH || !/^[A-Za-z0-9+/_-]+={0,2}$/.test(text)) return undefined;
  return orElse(() => JSON.parse(Buffer.from(text, "base64").toString("utf8")), undefined);
}

/** x402's extension by which a buyer names a purchase, so that a retry is known as one. */
export const PAYMENT_IDENTIFIER = "payment-identifier";
export const IDENTIFIER_BOUNDS = { minLength: 16, maxLength: 128, pattern: "^[a-zA-Z0-9_-]+$" } as const;

const IdentifierExtension = z.looseObject({
  info: z.looseObject({
    id: z
      .string()
      .min(IDENTIFIER_BOUNDS.minLength)
      .max(IDENTIFIER_BOUNDS.maxLength)
      .regex(new RegExp(IDENTIFIER_BOUNDS.pattern))
      .optional(),
  }),
});

/**
 * @returns null where the buyer gave none; wallets send the extension back without one
 * @throws PaymentRefused `malformed`
 */
export function paymentIdentifierOf({ extensions }: Payment): string | null {
  const extension = extensions?.[PAYMENT_IDENTIFIER];
  if (extension === undefined || extension === null) return null;
  const parsed = IdentifierExtension.safeParse(extension);
  if (!parsed.success) throw new PaymentRefused("malformed");
  return parsed.data.info.id ?? null;
}

/** What a payer has signed, by either method. Amounts in raw units, times in unix seconds of block time. */
export interface Authorization {
  readonly method: TransferMethod;
  readonly payer: string;
  readonly payTo: string;
  readonly amount: string;
  readonly validAfter: string;
  /** The first second in which it is worth nothing. */
  readonly validBefore: string;
  /**
   * Its name in the ledger. EIP-3009: the nonce, 0x and 64 digits in lower case. Permit2: `permit2:` and its nonce in the
   * same form, since a payer may use the same number with both.
   */
  readonly nonce: string;
  /** The token and who may move it, where the payer has signed them by name; EIP-3009's domain binds the token. */
  readonly signedFor: { readonly token: string; readonly spender: string } | null;
}

const PERMIT2_PREFIX = "permit2:";

export function authorizationOf({ payload }: Pick<Payment, "payload">): Authorization {
  if ("authorization" in payload) {
    const { from, to, value, validAfter, validBefore, nonce } = payload.authorization;
    return {
      method: "eip3009",
      payer: from,
      payTo: to,
      amount: value,
      validAfter,
      validBefore,
      nonce,
      signedFor: null,
    };
  }
  const { from, permitted, spender, nonce, deadline, witness } = payload.permit2Authorization;
  return {
    method: "permit2",
    payer: from,
    payTo: witness.to,
    amount: permitted.amount,
    validAfter: witness.validAfter,
    // Permit2 takes it in the second of its deadline.
    validBefore: String(BigInt(deadline) + 1n),
    nonce: PERMIT2_PREFIX + toBeHex(BigInt(nonce), 32),
    signedFor: { token: permitted.token, spender },
  };
}

/** One authorization of a buyer's: the ledger's primary key. */
export interface PaymentKey {
  readonly network: string;
  readonly asset: string;
  readonly payer: string;
  /** As of `Authorization`. */
  readonly nonce: string;
}

/** The authorization that a payment carries: it is made once, for any purpose. */
export function keyOf(payment: Payment): PaymentKey {
  const { payer, nonce } = authorizationOf(payment);
  return { network: String(payment.accepted.network), asset: String(payment.accepted.asset), payer, nonce };
}

export const methodOfNonce = (nonce: string): TransferMethod =>
  nonce.startsWith(PERMIT2_PREFIX) ? "permit2" : "eip3009";

/** The 32 bytes of a nonce of the ledger, hexadecimal. */
export const nonceBytes = (nonce: string): string => nonce.replace(PERMIT2_PREFIX, "");

/** The method by which terms are to be paid; terms name it where it is not EIP-3009. */
export const methodOfTerms = ({ extra }: Pick<Requirements, "extra">): TransferMethod =>
  extra.assetTransferMethod === "permit2" ? "permit2" : "eip3009";

/** Facilitators want as much, so that there is time to mine it. */
const LEAST_SECONDS_LEFT = 6n;
/**
 * A buyer's clock may be ahead of ours by so much. A longer life is refused: until an authorization that was sent
 * has expired, its job waits for it. It also keeps away the tokens' block-number clocks, which begin at 2 ** 47.
 */
const SKEW_SECONDS = 300n;

/**
 * Whether an authorization is for the terms, and for a time in which it can be waited for.
 * @param nowMs unix milliseconds
 * @throws PaymentRefused `unsupported`, `wrong_token`, `wrong_amount`, `wrong_payee`, `expired`, `not_yet_valid`,
 *   `valid_too_long`
 */
export function assertUsable(authorization: Authorization, terms: Requirements, nowMs: number): void {
  const { method, signedFor, amount, payTo } = authorization;
  if (method !== methodOfTerms(terms)) throw new PaymentRefused("unsupported");
  if (signedFor !== null) {
    // Another spender could send the token anywhere: the payee is bound by the proxy alone.
    if (signedFor.spender !== EXACT_PERMIT2_PROXY) throw new PaymentRefused("unsupported");
    if (signedFor.token !== terms.asset) throw new PaymentRefused("wrong_token");
  }
  if (amount !== terms.amount) throw new PaymentRefused("wrong_amount");
  if (payTo !== terms.payTo) throw new PaymentRefused("wrong_payee");
  const now = BigInt(Math.floor(nowMs / 1000));
  if (BigInt(authorization.validBefore) < now + LEAST_SECONDS_LEFT) throw new PaymentRefused("expired");
  if (BigInt(authorization.validAfter) > now) throw new PaymentRefused("not_yet_valid");
  const latestEnd = now + BigInt(terms.maxTimeoutSeconds) + SKEW_SECONDS;
  if (BigInt(authorization.validBefore) > latestEnd) throw new PaymentRefused("valid_too_long");
}
