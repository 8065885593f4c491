/**
 * The x402 extension `eip2612GasSponsoring`, for a payer who has not approved the token for Permit2 yet. They sign an
 * EIP-2612 permit with the payment, and the facilitator hands in both in one transaction. The proxy only takes a permit
 * for exactly the price. The permit accepted here is for Permit2, that token and that payer, and expires no later than
 * the payment. So no allowance is left over.
 */
import { z } from "zod";
import { RawAmount, Text } from "../../attestor/values/primitives.ts";
import { authorizationOf, methodOfTerms } from "./authorization.ts";
import { sameAddress } from "./chainEvents.ts";
import type { Payment, Requirements } from "./payload.ts";
import { PERMIT2 } from "./permit2Contracts.ts";
import { PaymentRefused } from "./refusals.ts";
import { latestEnd } from "./window.ts";

export const EIP2612_GAS_SPONSORING = "eip2612GasSponsoring";
/** Another extension, for allowances without end. It is declared by nobody here, so it goes no further. */
const ERC20_APPROVAL_GAS_SPONSORING = "erc20ApprovalGasSponsoring";

const AnyAddress = z.string().regex(/^0x[0-9a-fA-F]{40}$/);
const Permit = z.looseObject({
  from: AnyAddress,
  asset: AnyAddress,
  spender: AnyAddress,
  amount: RawAmount,
  nonce: RawAmount,
  deadline: RawAmount,
  // One byte more than r and s: the proxy splits it so.
  signature: z.string().regex(/^0x[0-9a-fA-F]{130}$/),
  version: Text.max(20),
});

/** Of a permit; every one is text. Short, since challenge and payment carry it in a header. */
const MEMBERS = ["from", "asset", "spender", "amount", "nonce", "deadline", "signature", "version"];

/** Whether the terms' token takes EIP-2612 permits: its options say so by the domain's name and version. */
const takesPermits = (terms: Requirements): boolean =>
  methodOfTerms(terms) === "permit2" && terms.extra.name !== undefined;

/** What a challenge declares of it. */
export function sponsoringExtension(accepts: readonly Requirements[]): Record<string, unknown> {
  if (!accepts.some(takesPermits)) return {};
  const info = { description: "An EIP-2612 permit for Permit2, for exactly the amount.", version: "1" };
  const schema = {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    type: "object",
    properties: Object.fromEntries(MEMBERS.map((member) => [member, { type: "string" }])),
    required: MEMBERS,
  };
  return { [EIP2612_GAS_SPONSORING]: { info, schema } };
}

/**
 * The permit that came with a payment; wallets send the extension back without one where they need none.
 * @param nowMs unix milliseconds
 * @throws PaymentRefused `wrong_permit`
 */
export function assertPermitFits(payment: Payment, terms: Requirements, nowMs: number): void {
  const permit = permitIn(payment, terms);
  if (permit === null) return;
  const parsed = Permit.safeParse(permit);
  const { payer } = authorizationOf(payment);
  const fits =
    parsed.success &&
    sameAddress(parsed.data.from, payer) &&
    sameAddress(parsed.data.asset, terms.asset) &&
    sameAddress(parsed.data.spender, PERMIT2) &&
    parsed.data.amount === terms.amount &&
    BigInt(parsed.data.deadline) <= latestEnd(terms, nowMs);
  if (!fits) throw new PaymentRefused("wrong_permit");
}

/** @returns null where none came, or where the terms take none */
function permitIn({ extensions }: Payment, terms: Requirements): object | null {
  if (!takesPermits(terms)) return null;
  const extension = extensions?.[EIP2612_GAS_SPONSORING];
  if (typeof extension !== "object" || extension === null || !("info" in extension)) return null;
  const { info } = extension;
  return typeof info === "object" && info !== null && "signature" in info ? info : null;
}

/** What of a payment's extensions the facilitator is to see. */
export function forFacilitator({ extensions }: Payment, terms: Requirements): Payment["extensions"] {
  if (!extensions) return extensions;
  const { [ERC20_APPROVAL_GAS_SPONSORING]: _, [EIP2612_GAS_SPONSORING]: permit, ...rest } = extensions;
  return permit !== undefined && takesPermits(terms) ? { ...rest, [EIP2612_GAS_SPONSORING]: permit } : rest;
}
