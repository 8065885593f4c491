/** The x402 extension `payment-identifier`: a buyer's own name for a purchase, so that a retry is known as one. */
import {
  declarePaymentIdentifierExtension,
  PAYMENT_ID_MAX_LENGTH,
  PAYMENT_ID_MIN_LENGTH,
  PAYMENT_ID_PATTERN,
  PAYMENT_IDENTIFIER,
} from "@x402/extensions/payment-identifier";
import { z } from "zod";
import type { Payment } from "./payload.ts";
import { VERIFY_PATH } from "./quote.ts";
import { PaymentRefused } from "./refusals.ts";

const Extension = z.looseObject({
  info: z.looseObject({
    id: z.string().min(PAYMENT_ID_MIN_LENGTH).max(PAYMENT_ID_MAX_LENGTH).regex(PAYMENT_ID_PATTERN).optional(),
  }),
});

/**
 * @returns null where the buyer gave none; wallets send the extension back without one
 * @throws PaymentRefused `malformed`
 */
export function paymentIdentifierOf({ extensions }: Payment): string | null {
  const extension = extensions?.[PAYMENT_IDENTIFIER];
  if (extension === undefined || extension === null) return null;
  const parsed = Extension.safeParse(extension);
  if (!parsed.success) throw new PaymentRefused("malformed");
  return parsed.data.info.id ?? null;
}

/** What a challenge declares of it: where a body is sold; a job is bought once anyway. */
export function identifierExtension(path: string): Record<string, unknown> {
  return path === VERIFY_PATH ? { [PAYMENT_IDENTIFIER]: declarePaymentIdentifierExtension(false) } : {};
}
