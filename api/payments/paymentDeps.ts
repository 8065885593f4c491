/** What the functions of the paid phase need. */
import { type ChallengeDeps, notVerifiable, paymentRequired } from "./challenge.ts";
import type { ChargeDeps } from "./charge.ts";
import { FacilitatorFault } from "./facilitator.ts";
import type { Sale } from "./quote.ts";
import type { ReceiptIssuer } from "./receipts/issue.ts";
import { PaymentRefused } from "./refusals.ts";
import type { SignIns } from "./signIn/signIns.ts";
import type { TariffDeps } from "./tariff.ts";

/** `offers` and what is sold for them. */
export interface PaymentDeps extends ChargeDeps, ChallengeDeps, TariffDeps {
  readonly random: (bytes: number) => Uint8Array;
  /** null: receipts are not signed. */
  readonly receipts: ReceiptIssuer | null;
  readonly signIns: SignIns;
}

/** Unix seconds. */
export const secondsOf = ({ clock }: Pick<PaymentDeps, "clock">): number => Math.floor(clock() / 1000);

/** Runs a purchase: refusals become the 402 of what is sold, and outages of the facilitator a 503. */
export async function purchase<T>(deps: PaymentDeps, sale: Sale, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof PaymentRefused) throw paymentRequired(deps, sale, error.refusal);
    if (error instanceof FacilitatorFault) {
      deps.log.warn({ fault: error.fault }, "the facilitator could not verify a payment");
      throw notVerifiable();
    }
    throw error;
  }
}
