/** Holds what is to be executed against the report: trade intent, certificate, signature, calls. */
import * as z from "zod";
import {
  CERTIFICATE_TYPES,
  certificateFor,
  DOMAIN_TYPES,
  domainSeparator,
  type GuardDomain,
  guardDomain,
  hashCertificate,
  hashIntent,
  TRADE_INTENT_TYPES,
  typedDataDigest,
  VerificationCertificate,
} from "../certificate/certificate.ts";
import { approveCallData, executeCallData, relayableCall } from "../certificate/guardCall.ts";
import { PACKED_LENGTH, packedCalls, packTrade } from "../certificate/packedTrade.ts";
import { decodeRouteCall } from "../certificate/routeCall.ts";
import { checksumAddress } from "../evm/address.ts";
import { keccak256 } from "../evm/hash.ts";
import { recoverAddress } from "../evm/signature.ts";
import { TradeIntent } from "../intent.ts";
import type { Policy } from "../policies/policy.ts";
import type { Report } from "../report.ts";
import { asRecord, differingMembers, extraMembers, type JsonObject, type Steps, sameJson } from "../steps.ts";
import { addressOf, RawAmount } from "../values/primitives.ts";
import type { UnixSeconds } from "../values/time.ts";

/** A report as its evidence was judged again, and the policy that judged it. */
export interface Judged {
  readonly policy: Policy;
  readonly report: Report;
}

export interface Executed {
  /** Struct hash of the trade intent; null without a readable one. */
  readonly intentHash: string | null;
  /** Unix seconds until when the guard carries it out: certificate and deadline; null without them. */
  readonly executableUntil: UnixSeconds | null;
  /** The certificate's signer; null where the signature is invalid. */
  readonly signer: string | null;
}

const SignedExecution = z.looseObject({
  tradeIntent: z.looseObject({ message: TradeIntent }),
  certificate: z.looseObject({ message: VerificationCertificate, signature: z.string() }),
});
type SignedExecution = z.infer<typeof SignedExecution>;

const CALLS = ["guardCall", "relayedCall", "approval"] as const;
/** Not every trade fits their form, and not every guard takes it. */
const PACKED_CALLS = ["packedCall", "packedRelayedCall"] as const;
type CallName = (typeof CALLS | typeof PACKED_CALLS)[number];

const TYPED_DATA = ["domain", "types", "primaryType", "message"];

/** @param execution the document's `execution`, which is there */
export function executionSteps(judged: Judged, execution: unknown, steps: Steps): Executed {
  const { policy, report } = judged;
  const parsed = SignedExecution.safeParse(execution);
  if (!parsed.success) {
    steps.add("certificate", "wrong", "The execution has no readable trade intent and certificate.");
    return { intentHash: null, executableUntil: null, signer: null };
  }
  // As it came: parsing drops `__proto__` and rewrites addresses, and a wallet reads neither away.
  const signed = execution as SignedExecution;
  const { tradeIntent, certificate } = signed;
  const domain = guardDomain(report.evidence.chain.chainId, report.evidence.guard.address);
  tradeIntentStep(report, tradeIntent, domain, steps);
  certificateStep(certificate, certificateFor(policy, report, tradeIntent.message), domain, steps);
  const signer = signatureStep(report, certificate, domain, steps);
  callsStep(report, signed, steps);
  routeCallStep(report, signed, steps);
  unknownMembersStep(signed, steps);
  const ends = [certificate.message.expiresAt, tradeIntent.message.deadline].map(Number);
  return { intentHash: hashIntent(tradeIntent.message), executableUntil: Math.min(...ends), signer };
}

function tradeIntentStep(
  report: Report,
  typed: SignedExecution["tradeIntent"],
  domain: GuardDomain,
  steps: Steps,
): void {
  const faults = [
    ...(report.decision === "ALLOW" ? [] : ["decision"]),
    ...differingMembers(typed.message, judgedTrade(report)),
    ...extraMembers(typed.message, Object.keys(TradeIntent.shape)),
    ...typedDataFaults(typed, domain, "TradeIntent", TRADE_INTENT_TYPES.TradeIntent),
    ...extraMembers(typed, TYPED_DATA),
  ];
  steps.judge(
    "trade intent",
    faults.length === 0,
    "The trade intent is the trade that was judged.",
    `The trade intent is not the trade that was judged, or a wallet would sign something else: ${faults.join(", ")}.`,
  );
}

function certificateStep(
  typed: SignedExecution["certificate"],
  expected: VerificationCertificate,
  domain: GuardDomain,
  steps: Steps,
): void {
  const faults = [
    ...differingMembers(typed.message, { ...expected }),
    ...extraMembers(typed.message, Object.keys(expected)),
    ...typedDataFaults(typed, domain, "VerificationCertificate", CERTIFICATE_TYPES.VerificationCertificate),
    ...extraMembers(typed, [...TYPED_DATA, "signature", "signer"]),
  ];
  const at = (seconds: string) => new Date(Number(seconds) * 1000).toISOString();
  steps.judge(
    "certificate",
    faults.length === 0,
    `The certificate binds this trade intent, evidence, policy, job and report version, from ${at(expected.issuedAt)} to ${at(expected.expiresAt)}.`,
    `The certificate does not bind this trade intent and report: ${faults.join(", ")}.`,
  );
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

function typedDataFaults(
  typed: JsonObject,
  domain: GuardDomain,
  primaryType: string,
  members: readonly object[],
): string[] {
  const types = asRecord(typed.types) ?? {};
  return [
    ...differingMembers(typed, { domain, primaryType }),
    ...differingMembers(types, { [primaryType]: members }),
    // Some wallets hash what is listed, and others refuse what they do not know.
    ...extraMembers(types, [primaryType, "EIP712Domain"]).map((name) => `types.${name}`),
    // Wallets that hash typed data as it stands need it; others make it themselves, so it may be left out.
    ...(types.EIP712Domain === undefined || sameJson(types.EIP712Domain, DOMAIN_TYPES.EIP712Domain)
      ? []
      : ["types.EIP712Domain"]),
  ];
}

/** @returns who signed; null where that is not the signer of the evidence, or the document names another one */
function signatureStep(
  { evidence }: Report,
  certificate: SignedExecution["certificate"],
  domain: GuardDomain,
  steps: Steps,
): string | null {
  const expected = checksumAddress(evidence.guard.signer);
  const digest = typedDataDigest(domainSeparator(domain), hashCertificate(certificate.message));
  const recovered = recoverAddress(digest, certificate.signature);
  const named = certificate.signer === undefined || certificate.signer === recovered;
  steps.judge(
    "signature",
    recovered === expected && named,
    `Signed by ${expected}, which the evidence calls the guard's signer.`,
    recovered === expected
      ? `Signed by ${recovered}, but the document names another signer.`
      : `Signed by ${recovered ?? "nobody"}, not by ${expected}, which the evidence calls the guard's signer.`,
  );
  return recovered === expected && named ? recovered : null;
}

/** What a wallet would send as it is does what was certified, and nothing else. */
function callsStep(report: Report, execution: SignedExecution, steps: Steps): void {
  const isThere = (name: CallName) => execution[name] !== undefined && execution[name] !== null;
  const present = [...CALLS, ...PACKED_CALLS].filter(isThere);
  const missing = CALLS.filter((name) => !isThere(name));
  if (missing.length > 0) steps.add("calls", "absent", `Not in this document: ${missing.join(", ")}.`);
  if (present.length === 0) return;
  const faults = present.flatMap((name) => callFaults(name, execution[name], report, execution));
  steps.judge(
    "calls",
    faults.length === 0,
    `Carrying out what the certificate binds, and nothing else: ${present.join(", ")}.${
      present.includes("approval") ? " Not checked: approval.currentAllowance, which the token says." : ""
    }`,
    `These would do something else than what the certificate binds: ${faults.join(", ")}.`,
  );
}

/** Every member of a call is one that a wallet may act on, so none may be there that was not expected. */
function callFaults(name: CallName, call: unknown, report: Report, execution: SignedExecution): string[] {
  const expected = expectedCall(name, call, report, execution);
  if (expected === null) return [name];
  const allowance = asRecord(call)?.currentAllowance;
  const isRead = name === "approval";
  return [
    ...differingMembers(call, expected),
    ...extraMembers(call, [...Object.keys(expected), ...(isRead ? ["currentAllowance"] : [])]),
    ...(isRead && allowance !== undefined && !RawAmount.safeParse(allowance).success
      ? ["currentAllowance"]
      : []),
  ].map((member) => `${name}.${member}`);
}

/** The call as it must read; null when its route call data is not what the trade intent commits to. */
function expectedCall(
  name: CallName,
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
    const packs = name === "packedCall" || name === "packedRelayedCall";
    const routeCallData = packs ? packedRouteCallDataOf(call) : routeCallDataOf(call);
    if (routeCallData === null || keccak256(routeCallData) !== intent.callDataHash) return null;
    if (!routeCallData.startsWith(intent.selector)) return null;
    if (packs) {
      const trade = { intent, certificate, certificateSignature: signature, routeCallData };
      const packed = packTrade(trade);
      return packed === null ? null : packedCalls(report, intent, packed)[name];
    }
    const args = { intent, certificate, certificateSignature: signature, routeCallData };
    const target = { chainId: report.evidence.chain.chainId, to: guard, value: "0", args };
    if (name === "relayedCall")
      return {
        ...target,
        functionName: "executeFor",
        ...relayableCall(intent, certificate, signature, routeCallData),
      };
    const data = executeCallData(intent, certificate, signature, routeCallData);
    return { ...target, functionName: "execute", data };
  } catch {
    // Call data or a signature that is no hexadecimal text.
    return null;
  }
}

/** In the one form that the service writes: lower-case hexadecimal. */
function routeCallDataOf(call: unknown): string | null {
  const data = asRecord(asRecord(call)?.args)?.routeCallData;
  return typeof data === "string" && /^0x[0-9a-f]*$/.test(data) ? data : null;
}

/** What stands behind the head of a packed trade. */
function packedRouteCallDataOf(call: unknown): string | null {
  const packed = asRecord(call)?.packed;
  if (typeof packed !== "string" || !/^0x[0-9a-f]*$/.test(packed)) return null;
  return packed.length > 2 + 2 * PACKED_LENGTH ? `0x${packed.slice(2 + 2 * PACKED_LENGTH)}` : null;
}

/** The route is called for the quoted trade, by the quoted path, and pays the executor. */
function routeCallStep({ evidence }: Report, execution: SignedExecution, steps: Steps): void {
  const data =
    routeCallDataOf(execution.guardCall) ??
    routeCallDataOf(execution.relayedCall) ??
    packedRouteCallDataOf(execution.packedCall) ??
    packedRouteCallDataOf(execution.packedRelayedCall);
  if (data === null) return;
  const call = decodeRouteCall(data);
  const { quote, guard } = evidence;
  if (call === null || quote === null) {
    steps.add("route call", "absent", "Not read: the route's call data is of no function known here.");
    return;
  }
  const faults = [
    ...(sameJson(call.path, quote.path) ? [] : ["path"]),
    ...(call.fees === null || sameJson(call.fees, quote.fees) ? [] : ["fees"]),
    ...(call.amountIn === quote.amountInRaw ? [] : ["amount"]),
    ...(call.recipient === guard.executor ? [] : ["recipient"]),
  ];
  steps.judge(
    "route call",
    faults.length === 0,
    "The route is called for the quoted amount by the quoted path, and pays the executor.",
    `The route's call data is not for the quoted trade: ${faults.join(", ")}.`,
  );
}

/** An execution is what a wallet acts on: a part of it that nobody here has read is not vouched for. */
function unknownMembersStep(execution: SignedExecution, steps: Steps): void {
  const known = ["tradeIntent", "certificate", ...CALLS, ...PACKED_CALLS];
  const unknown = extraMembers(execution, known);
  if (unknown.length > 0)
    steps.add(
      "execution",
      "unknown",
      `This program cannot read these parts of the execution, which a wallet could act on: ${unknown.join(", ")}; use a newer program, or a document without them.`,
    );
}
