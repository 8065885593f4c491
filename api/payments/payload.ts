/** From the header PAYMENT-SIGNATURE to a payment that can be judged. */
import { getAddress } from "ethers";
import { z } from "zod";
import { orElse } from "../../attestor/values/orElse.ts";
import { RawAmount, Text } from "../../attestor/values/primitives.ts";
import { PaymentRefused } from "./refusals.ts";

export { Requirements } from "./requirements.ts";

/** Other wallets' spelling is as good as ours. */
const AnyAddress = z
  .string()
  .regex(/^0x[0-9a-fA-F]{40}$/)
  .transform((address) => getAddress(address.toLowerCase()));

const SignatureBytes = z.string().regex(/^0x([0-9a-fA-F]{2}){1,4000}$/);

/** An EIP-3009 authorization; times in unix seconds. */
const Eip3009Authorization = z.strictObject({
  from: AnyAddress,
  to: AnyAddress,
  value: RawAmount,
  validAfter: RawAmount,
  validBefore: RawAmount,
  nonce: z
    .string()
    .regex(/^0x[0-9a-fA-F]{64}$/)
    .overwrite((nonce) => nonce.toLowerCase()),
});

/** What a payer signs for Permit2, for x402's proxy as the spender; times in unix seconds. */
const Permit2Authorization = z.strictObject({
  from: AnyAddress,
  permitted: z.strictObject({ token: AnyAddress, amount: RawAmount }),
  spender: AnyAddress,
  nonce: RawAmount,
  deadline: RawAmount,
  witness: z.strictObject({ to: AnyAddress, validAfter: RawAmount }),
});

const Eip3009Payload = z.strictObject({ signature: SignatureBytes, authorization: Eip3009Authorization });
const Permit2Payload = z.strictObject({
  signature: SignatureBytes,
  permit2Authorization: Permit2Authorization,
});
export type Eip3009Payload = z.infer<typeof Eip3009Payload>;
export type Permit2Payload = z.infer<typeof Permit2Payload>;

const Payload = z.union([Eip3009Payload, Permit2Payload]);

export const Payment = z.object({
  x402Version: z.literal(2),
  resource: z.looseObject({ url: Text.max(2_048) }).nullish(),
  accepted: z.record(z.string(), z.unknown()),
  payload: Payload,
  extensions: z.record(z.string(), z.unknown()).nullish(),
});
export type Payment = z.infer<typeof Payment>;

/** One authorization of a buyer's: the ledger's primary key. */
export interface PaymentKey {
  readonly network: string;
  readonly asset: string;
  readonly payer: string;
  /** As `authorization.ts` writes it: of no two methods are two the same. */
  readonly nonce: string;
}

/** What says that the sender means x402, but another form than we take: delegations (ERC-7710). */
const Unsupported = z.looseObject({
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
  const other = Unsupported.safeParse(value);
  throw new PaymentRefused(
    other.success && other.data.payload.delegationManager !== undefined ? "unsupported" : "malformed",
  );
}

/** The same, for who has to look at something else first. @returns the payment, or why it cannot be read */
export function payloadOf(given: unknown): Payment | PaymentRefused {
  try {
    return readPayment(given);
  } catch (error) {
    if (error instanceof PaymentRefused) return error;
    throw error;
  }
}

/** Far above the 950 characters of a usual payment; contract wallets sign at more length. */
const MAX_LENGTH = 12_000;

/** The JSON of one of x402's headers, which are base64. @returns undefined where it is none, or too long */
function headerJson(text: string): unknown {
  if (text.length > MAX_LENGTH || !/^[A-Za-z0-9+/_-]+={0,2}$/.test(text)) return undefined;
  return orElse(() => JSON.parse(Buffer.from(text, "base64").toString("utf8")), undefined);
}
