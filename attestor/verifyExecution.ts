/** Holds what is to be executed against the report: trade intent, certificate, signature, calls. */
import { getAddress, keccak256, recoverAddress, Signature } from "ethers";
import { z } from "zod";
import {
  CERTIFICATE_TYPES,
  certificateFor,
  domainSeparator,
  guardDomain,
  hashCertificate,
  hashIntent,
  TRADE_INTENT_TYPES,
  typedDataDigest,
  VerificationCertificate,
} from "./certificate.ts";
import { approveCallData, executeCallData } from "./guardCall.ts";
import { TradeIntent } from "./intent.ts";
import type { Policy } from "./policy.ts";
import { addressOf } from "./primitives.ts";
import type { Report } from "./report.ts";
import { asRecord, differingMembers, type JsonObject, type Steps } from "./steps.ts";

/** A report as its evidence was judged again, and the policy that judged it. */
export interface Judged {
  readonly policy: Policy;
  readonly report: Report;
}

const SignedExecution = z.looseObject({
  tradeIntent: z.looseObject({ message: TradeIntent }),
  certificate: z.looseObject({ message: VerificationCertificate, signature: z.string() }),
});
type SignedExecution = z.infer<typeof SignedExecution>;

/**
 * @param execution the document's `execution`, null where it has none
 * @param trusted the key that the reader trusts, if any
 * @returns the struct hash of the trade intent, null without a readable one
 */
export function executionSteps(
  { policy, report }: Judged,
  execution: unknown,
  trusted: string | undefined,
  steps: Steps,
): string | null {
  if (execution === null) {
    steps.add("certificate", "absent", "This document carries no certificate: nothing in it is signed.");
    if (trusted !== undefined)
      steps.add("signature", "unknown", `Without a certificate nothing is signed by ${getAddress(trusted)}.`);
    return null;
  }
  const parsed = SignedExecution.safeParse(execution);
  if (!parsed.success) {
    steps.add("certificate", "wrong", "The execution has no readable trade intent and certificate.");
    return null;
  }
  const { tradeIntent, certificate } = parsed.data;
  const domain = guardDomain(report.evidence.chain.chainId, report.evidence.guard.address);

  const intentFaults = [
    ...(report.decision === "ALLOW" ? [] : ["decision"]),
    ...differingMembers(tradeIntent.message, judgedTrade(report)),
    ...typedDataFaults(tradeIntent, domain, "TradeIntent", TRADE_INTENT_TYPES.TradeIntent),
  ];
  steps.judge(
    "trade intent",
    intentFaults.length === 0,
    "The trade intent is the trade that was judged.",
    `The trade intent is not the trade that was judged: ${intentFaults.join(", ")}.`,
  );
  const certificateFaults = [
    ...differingMembers(certificate.message, certificateFor(policy, report, tradeIntent.message)),
    ...typedDataFaults(
      certificate,
      domain,
      "VerificationCertificate",
      CERTIFICATE_TYPES.VerificationCertificate,
    ),
  ];
  steps.judge(
    "certificate",
    certificateFaults.length === 0,
    "The certificate binds this trade intent, evidence, policy, job and report version.",
    `The certificate does not bind this trade intent and report: ${certificateFaults.join(", ")}.`,
  );
  signatureStep(report, certificate, trusted, steps);
  callsStep(report, parsed.data, steps);
  return hashIntent(tradeIntent.message);
}

/** The members of the trade intent that the report decides; nonce, deadline and call data are the caller's. */
function judgedTrade({ evidence: { intent, quote, figures } }: Report): JsonObject {
  return {
    owner: intent.ownerAddress,
    recipient: intent.recipientAddress,
    inputToken: addressOf(intent.inputAssetKey),
    outputToken: addressOf(intent.outputAssetKey),
    amountIn: intent.amountInRaw,
    minAmountOut: figures.minAmountOutRaw,
    route: quote?.route ?? null,
    selector: quote?.selector ?? null,
  };
}

/** Types may hold more than the primary one: some wallets want `EIP712Domain` listed. */
function typedDataFaults(typed: JsonObject, domain: object, primaryType: string, members: unknown): string[] {
  return [
    ...differingMembers(typed, { domain, primaryType }),
    ...differingMembers(typed.types, { [primaryType]: members }),
  ];
}

function signatureStep(
  { evidence }: Report,
  certificate: SignedExecution["certificate"],
  trusted: string | undefined,
  steps: Steps,
): void {
  const expected = getAddress(trusted ?? evidence.guard.signer);
  const domain = guardDomain(evidence.chain.chainId, evidence.guard.address);
  const digest = typedDataDigest(domainSeparator(domain), hashCertificate(certificate.message));
  const recovered = recover(digest, certificate.signature);
  steps.judge(
    "signature",
    recovered === expected && (certificate.signer === undefined || certificate.signer === recovered),
    `Signed by ${expected}, ${trusted ? "the key that you trust" : "the guard's signer in the evidence"}.`,
    recovered === expected
      ? `Signed by ${recovered}, but the document names another signer.`
      : `Signed by ${recovered ?? "nobody"}, not by ${expected}.`,
  );
}

/** Who signed; null for a signature that is not in the one form that this service writes and the guard takes. */
function recover(digest: string, signature: string): string | null {
  try {
    // The library reads more forms than the guard does, and several texts as one signature.
    if (Signature.from(signature).serialized !== signature) return null;
    return recoverAddress(digest, signature);
  } catch {
    return null;
  }
}

/** What a wallet would send as it is does what was certified, and nothing else. */
function callsStep(report: Report, execution: SignedExecution, steps: Steps): void {
  const { guardCall, relayedCall, approval } = execution;
  const present = { guardCall, relayedCall, approval };
  const names = Object.entries(present).filter(([, call]) => call !== undefined && call !== null);
  if (names.length === 0) {
    steps.add("calls", "absent", "This document carries no calls.");
    return;
  }
  const faults = names.flatMap(([name, call]) => {
    const expected = expectedCall(name as keyof typeof present, call, report, execution);
    if (expected === null) return [name];
    return differingMembers(call, expected).map((member) => `${name}.${member}`);
  });
  steps.judge(
    "calls",
    faults.length === 0,
    `Carrying out what the certificate binds: ${names.map(([name]) => name).join(", ")}.`,
    `These would do something else than what the certificate binds: ${faults.join(", ")}.`,
  );
}

/** The call as it must read; null when its route call data is not what the trade intent commits to. */
function expectedCall(
  name: "guardCall" | "relayedCall" | "approval",
  call: unknown,
  report: Report,
  { tradeIntent: { message: intent }, certificate: { message: certificate, signature } }: SignedExecution,
): JsonObject | null {
  const guard = report.evidence.guard.address;
  try {
    if (name === "approval")
      return {
        token: intent.inputToken,
        spender: guard,
        amount: intent.amountIn,
        data: approveCallData(guard, intent.amountIn),
      };
    const routeCallData = asRecord(asRecord(call)?.args)?.routeCallData;
    if (typeof routeCallData !== "string" || keccak256(routeCallData) !== intent.callDataHash) return null;
    if (!routeCallData.startsWith(intent.selector)) return null;
    const args = { intent, certificate, certificateSignature: signature, routeCallData };
    const target = { chainId: report.evidence.chain.chainId, to: guard, value: "0", args };
    if (name === "relayedCall") return { ...target, functionName: "executeFor" };
    const data = executeCallData(intent, certificate, signature, routeCallData);
    return { ...target, functionName: "execute", data };
  } catch {
    // Call data or a signature that is no hexadecimal text.
    return null;
  }
}
