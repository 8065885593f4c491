/** What a payer has signed, whichever way the token is to be moved by it. */
import { toBeHex } from "ethers";
import type { TransferMethod } from "../settings/paymentOptions.ts";
import type { Payment, PaymentKey, Requirements } from "./payload.ts";

/** Amounts in raw units, times in unix seconds of block time. */
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
    const times = { validAfter, validBefore };
    return { method: "eip3009", payer: from, payTo: to, amount: value, ...times, nonce, signedFor: null };
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

/** The authorization that a payment carries: it is made once, for any purpose. */
export function keyOf(payment: Payment): PaymentKey {
  const { payer, nonce } = authorizationOf(payment);
  return { network: String(payment.accepted.network), asset: String(payment.accepted.asset), payer, nonce };
}

export const methodOfNonce = (nonce: string): TransferMethod =>
  nonce.startsWith(PERMIT2_PREFIX) ? "permit2" : "eip3009";

/** The 32 bytes of a nonce of the ledger, hexadecimal. */
export const nonceBytes = (nonce: string): string => nonce.replace(PERMIT2_PREFIX, "");

/** The method by which terms are to be paid; terms say it where it is not EIP-3009. */
export const methodOfTerms = ({ extra }: Pick<Requirements, "extra">): TransferMethod =>
  extra.assetTransferMethod === "permit2" ? "permit2" : "eip3009";
