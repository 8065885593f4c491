/** The settings of the paid phase, from values that `api/settings/config.ts` has read. */
import { isDevelopmentKey } from "./developmentKeys.ts";
import { PaymentOptions } from "./paymentOptions.ts";
import { Secret } from "./secret.ts";

export interface PaymentTexts {
  readonly PAYMENT_PAY_TO?: string | undefined;
  readonly PAYMENT_OPTIONS_FILE?: string | undefined;
  readonly FACILITATOR_URL?: string | undefined;
  readonly FACILITATOR_KEY?: string | undefined;
  readonly FACILITATOR_TIMEOUT_MS: number;
  readonly PUBLIC_URL?: string | undefined;
}

/**
 * @param readFile of the options; null where it cannot be read, which is a fault already
 * @param faults takes what is wrong; everything is looked at
 */
export function paymentSettingsOf(
  texts: PaymentTexts,
  live: boolean,
  readFile: (name: string, path: string) => string | null,
  faults: string[],
) {
  if (live)
    for (const name of ["PAYMENT_PAY_TO", "PAYMENT_OPTIONS_FILE", "FACILITATOR_URL", "PUBLIC_URL"] as const)
      if (texts[name] === undefined)
        faults.push(`${name} is required for PAYMENT_PHASE=paid in the live profile`);
  const payTo = texts.PAYMENT_PAY_TO ?? null;
  const file =
    texts.PAYMENT_OPTIONS_FILE === undefined
      ? null
      : optionsIn(readFile("PAYMENT_OPTIONS_FILE", texts.PAYMENT_OPTIONS_FILE), faults);
  const options = file?.options ?? null;
  if (live)
    for (const receiver of [payTo, ...(options ?? []).map((option) => option.payTo ?? null)])
      if (receiver !== null && isDevelopmentKey(receiver))
        faults.push(`payments to ${receiver} would go to a well-known development account`);
  return {
    payTo,
    options,
    /** May carry a key, too. */
    facilitatorUrl: texts.FACILITATOR_URL === undefined ? null : new Secret(texts.FACILITATOR_URL),
    /** Sent as a bearer. */
    facilitatorKey: texts.FACILITATOR_KEY === undefined ? null : new Secret(texts.FACILITATOR_KEY),
    /** Milliseconds for one request to the facilitator. */
    facilitatorTimeoutMs: texts.FACILITATOR_TIMEOUT_MS,
  };
}

function optionsIn(content: string | null, faults: string[]): PaymentOptions | null {
  if (content === null) return null;
  let json: unknown;
  try {
    json = JSON.parse(content);
  } catch {
    faults.push("PAYMENT_OPTIONS_FILE is not JSON");
    return null;
  }
  const parsed = PaymentOptions.safeParse(json);
  if (parsed.success) return parsed.data;
  // Places and rules alone: the file may hold the key of a node.
  for (const { path, message } of parsed.error.issues)
    faults.push(`PAYMENT_OPTIONS_FILE ${path.map(String).join(".") || "content"}: ${message}`);
  return null;
}
