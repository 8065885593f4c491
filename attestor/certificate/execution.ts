/**
 * What a wallet needs to carry out a certified trade: typed data, calls, approval. All of it follows from the report, the
 * owner's nonce and deadline, the route's call data and one signature, so that a verifier makes it again and compares.
 */
import type { TradeIntent } from "../intent.ts";
import type { Report } from "../report.ts";
import {
  CERTIFICATE_TYPES,
  DOMAIN_TYPES,
  guardDomain,
  tradeIntentTypedData,
  type VerificationCertificate,
} from "./certificate.ts";
import { approveCallData, executeCallData, unsignedExecuteCallData } from "./guardCall.ts";

/** A trade intent with the certificate that is signed for it. */
export interface CertifiedTrade {
  readonly tradeIntent: TradeIntent;
  readonly certificate: VerificationCertificate;
  /** The attestation key's, of the certificate. */
  readonly signature: string;
  /** The address that signed, EIP-55. */
  readonly signer: string;
  readonly routeCallData: string;
  /** What the owner lets the guard take of the input token already, raw units, decimal: the token says so. */
  readonly currentAllowance: string;
}

export type Execution = ReturnType<typeof buildExecution>;

/**
 * The `execution` that prepare-execution answers.
 * @param report an allowed one, whose evidence names chain and guard
 */
export function buildExecution({ evidence }: Pick<Report, "evidence">, trade: CertifiedTrade) {
  const { tradeIntent: intent, certificate, signature, signer, routeCallData, currentAllowance } = trade;
  const { chainId } = evidence.chain;
  const guard = evidence.guard.address;
  const domain = guardDomain(chainId, guard);
  const signed = { intent, certificate, certificateSignature: signature, routeCallData };
  const args = { ...signed, ownerSignature: "0x" as const };
  const target = { chainId, to: guard, functionName: "execute" as const, args, value: "0" as const };
  return {
    tradeIntent: tradeIntentTypedData(domain, intent),
    certificate: {
      domain,
      types: { ...DOMAIN_TYPES, ...CERTIFICATE_TYPES },
      primaryType: "VerificationCertificate" as const,
      message: certificate,
      signature,
      signer,
    },
    // For the owner to send as it is.
    guardCall: { ...target, data: executeCallData(args) },
    // For anybody to send, once the owner's signature of the trade intent stands in its place.
    relayedCall: { ...target, ...unsignedExecuteCallData(signed) },
    approval: {
      token: intent.inputToken,
      spender: guard,
      amount: intent.amountIn,
      currentAllowance,
      calls: approvalCalls(intent, guard, currentAllowance),
    },
  };
}

/**
 * What the owner sends before the trade: nothing where the guard may take the amount already. Some tokens refuse to change
 * an allowance that is not zero, so a smaller one is taken back first.
 * @param currentAllowance raw units, decimal
 */
export function approvalCalls(
  { inputToken, amountIn }: Pick<TradeIntent, "inputToken" | "amountIn">,
  guard: string,
  currentAllowance: string,
) {
  const approve = (amount: string) => ({
    to: inputToken,
    data: approveCallData(guard, amount),
    value: "0" as const,
  });
  if (BigInt(currentAllowance) >= BigInt(amountIn)) return [];
  return currentAllowance === "0" ? [approve(amountIn)] : [approve("0"), approve(amountIn)];
}
