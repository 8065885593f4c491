/**
 * The facilitator, who verifies and settles for the service. It is believed when it refuses a payment; that one was
 * made, the chain must say (`chain.ts`). Its words go nowhere: they may hold a signed transaction.
 */
import { z } from "zod";
import { readBody } from "../../market/providers/body.ts";
import { withinTime } from "../http/deadline.ts";
import type { Payment } from "./payload.ts";
import type { Refusal } from "./refusals.ts";
import type { Requirements } from "./requirements.ts";
import { withoutQuote } from "./terms.ts";

/** A payment as a facilitator gets it: without what is bought, and without the extensions. */
export type SentPayment = Pick<Payment, "x402Version" | "resource" | "accepted" | "payload">;

/** A facilitator, in this process or elsewhere. What it answers is parsed here; whatever it throws is no answer. */
export interface FacilitatorClient {
  verify(payment: SentPayment, terms: Requirements): Promise<unknown>;
  settle(payment: SentPayment, terms: Requirements): Promise<unknown>;
}

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
    operation: "verify" | "settle",
    schema: z.ZodType<T>,
    payment: Payment,
    terms: Requirements,
  ): Promise<T> {
    const { x402Version, payload, resource } = payment;
    const accepted = withoutQuote(terms);
    const sent = { x402Version, ...(resource ? { resource } : {}), accepted, payload };
    const asked = (async () => client[operation](sent, accepted))().catch((error: unknown) => {
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
    async verify(payment: Payment, terms: Requirements): Promise<Refusal | null> {
      const { isValid, invalidReason } = await ask("verify", Verified, payment, terms);
      return isValid ? null : refusalOf(invalidReason);
    },
    /**
     * @returns what it claims: whether it went through, and the transaction if it names one
     * @throws FacilitatorFault, after which the payment may or may not have been made
     */
    async settle(payment: Payment, terms: Requirements) {
      const { success, transaction } = await ask("settle", Settled, payment, terms);
      const hash = TransactionHash.safeParse(transaction);
      return { success, transaction: hash.success ? hash.data : null };
    },
  };
}

function isTimeout(error: unknown): boolean {
  return error instanceof Error && /timeout|abort/i.test(error.name);
}

// Reasons of @x402/evm 2.27, by what they contain. Order matters: the first that fits counts.
const REASONS: readonly [RegExp, Refusal][] = [
  [/insufficient_(balance|funds)/, "insufficient_funds"],
  [/nonce_already_used|invalid_nonce/, "already_used"],
  [/allowance_required/, "allowance_required"],
  [/valid_before|expired/, "expired"],
  [/valid_after|not_yet_valid/, "not_yet_valid"],
  [/recipient_mismatch|pay_to/, "wrong_payee"],
  [/token_mismatch/, "wrong_token"],
  [/value|amount_mismatch/, "wrong_amount"],
  [/network_mismatch|unsupported|scheme/, "unsupported"],
  [/signature/, "wrong_signature"],
];

/** @param reason a facilitator's `invalidReason`, of any kind */
function refusalOf(reason: unknown): Refusal {
  if (typeof reason !== "string") return "refused";
  return REASONS.find(([pattern]) => pattern.test(reason.slice(0, 200)))?.[1] ?? "refused";
}

/** Usual answers have a few hundred bytes. */
const MAX_ANSWER_BYTES = 2 ** 20;
const MAX_REDIRECTS = 3;
/** Those that keep method and body. */
const REDIRECTS: ReadonlySet<number> = new Set([307, 308]);
const SERVER_ERROR = 500;

/**
 * A facilitator over HTTP. Neither key nor payment is sent to another host, and no answer is read without end.
 * @param key sent as a bearer, for facilitators that ask for one
 * @param timeoutMs for one request, its answer's body included
 */
export function httpFacilitator(
  url: string,
  key: string | null,
  timeoutMs: number,
  request: typeof fetch,
): FacilitatorClient {
  const base = url.replace(/\/+$/, "");
  const headers = new Headers({ "Content-Type": "application/json" });
  if (key !== null) headers.set("Authorization", `Bearer ${key}`);

  async function send(place: string, body: string): Promise<Response> {
    const signal = AbortSignal.timeout(timeoutMs);
    for (let hop = 0; hop <= MAX_REDIRECTS; hop++) {
      const response = await request(place, { method: "POST", headers, body, signal, redirect: "manual" });
      if (!REDIRECTS.has(response.status)) return response;
      await response.body?.cancel().catch(() => {});
      const next = new URL(response.headers.get("location") ?? "", place);
      if (next.origin !== new URL(place).origin) throw new Error("the facilitator redirects to another host");
      place = next.href;
    }
    throw new Error("the facilitator redirects too often");
  }

  async function post(operation: "verify" | "settle", payment: SentPayment, terms: Requirements) {
    const asked = { x402Version: payment.x402Version, paymentPayload: payment, paymentRequirements: terms };
    const response = await send(`${base}/${operation}`, JSON.stringify(asked));
    const body = await readBody("facilitator", response, MAX_ANSWER_BYTES);
    const answer: unknown = JSON.parse(new TextDecoder().decode(body));
    // Some refuse with 4xx. That is an answer too, of `verify`; anything from 500 on is an outage.
    const isRefusal = operation === "verify" && response.status < SERVER_ERROR && isInvalid(answer);
    if (!response.ok && !isRefusal) throw new Error(`the facilitator answers ${response.status}`);
    return answer;
  }

  return {
    verify: (payment, terms) => post("verify", payment, terms),
    settle: (payment, terms) => post("settle", payment, terms),
  };
}

const isInvalid = (answer: unknown): boolean => Verified.safeParse(answer).data?.isValid === false;
