/**
 * The facilitator, who verifies and settles for the service. It is believed when it refuses a payment; that one was
 * made, the chain must say (`chainReader.ts`). Its words go nowhere: they may hold a signed transaction.
 */
import type { FacilitatorClient as OfficialClient } from "@x402/core/server";
import { VerifyError } from "@x402/core/types";
import { z } from "zod";
import { withinTime } from "../http/deadline.ts";
import type { Payment, Requirements } from "./payload.ts";
import { withoutQuote } from "./quote.ts";
import { refusalOf } from "./refusals.ts";

export type FacilitatorClient = Pick<OfficialClient, "verify" | "settle">;

/** The facilitator did not do its part. What it said or threw is left out on purpose. */
export class FacilitatorFault extends Error {
  readonly fault: "timeout" | "no_answer";

  constructor(fault: "timeout" | "no_answer", operation: string) {
    super(`the facilitator's ${operation}: ${fault}`);
    this.name = "FacilitatorFault";
    this.fault = fault;
  }
}

const Verified = z.looseObject({ isValid: z.boolean(), invalidReason: z.unknown().optional() });
const Settled = z.looseObject({ success: z.boolean(), transaction: z.unknown().optional() });
const TransactionHash = z
  .string()
  .regex(/^0x[0-9a-fA-F]{64}$/)
  .overwrite((hash) => hash.toLowerCase());

export type Facilitator = ReturnType<typeof createFacilitator>;

/** @param timeoutMs for one request, also where the client has no limit of its own */
export function createFacilitator(client: FacilitatorClient, timeoutMs: number) {
  async function ask<T>(
    operation: string,
    schema: z.ZodType<T>,
    request: () => Promise<unknown>,
  ): Promise<T> {
    const asked = request().catch((error: unknown) => {
      throw new FacilitatorFault(isTimeout(error) ? "timeout" : "no_answer", operation);
    });
    const answer = await withinTime(asked, timeoutMs, () => {
      throw new FacilitatorFault("timeout", operation);
    });
    const parsed = schema.safeParse(answer);
    if (!parsed.success) throw new FacilitatorFault("no_answer", operation);
    return parsed.data;
  }

  return {
    /** @returns null when the payment would go through. @throws FacilitatorFault */
    async verify(payment: Payment, terms: Requirements) {
      const { isValid, invalidReason } = await ask("verify", Verified, async () => {
        try {
          return await client.verify(...wire(payment, terms));
        } catch (error) {
          // Of the library's own clients: a refusal with 4xx is an answer too; from 500 on it is an outage.
          if (error instanceof VerifyError && error.statusCode < 500)
            return { isValid: false, invalidReason: error.invalidReason };
          throw error;
        }
      });
      return isValid ? null : refusalOf(invalidReason);
    },
    /**
     * @returns what it claims: whether it went through, and the transaction if it names one
     * @throws FacilitatorFault, after which the payment may or may not have been made
     */
    async settle(payment: Payment, terms: Requirements) {
      const { success, transaction } = await ask("settle", Settled, async () =>
        client.settle(...wire(payment, terms)),
      );
      const hash = TransactionHash.safeParse(transaction);
      return { success, transaction: hash.success ? hash.data : null };
    },
  };
}

type Wire = Parameters<FacilitatorClient["verify"]>;

function wire({ payload, resource }: Payment, terms: Requirements): Wire {
  const requirements = withoutQuote(terms);
  const payment = {
    x402Version: 2,
    ...(resource ? { resource } : {}),
    accepted: requirements,
    payload,
  };
  return [payment, requirements] as Wire;
}

function isTimeout(error: unknown): boolean {
  return error instanceof Error && /timeout|abort/i.test(error.name);
}
