/** Holds what is to be executed against the report: it is built again from the report, and compared. */
import * as z from "zod";
import { authorize } from "../attest.ts";
import {
  DOMAIN_TYPES,
  domainSeparator,
  guardDomain,
  hashCertificate,
  hashIntent,
  typedDataDigest,
  VerificationCertificate,
} from "../certificate/certificate.ts";
import { buildExecution, type Execution } from "../certificate/execution.ts";
import { decodeRouteCall } from "../certificate/routeCall.ts";
import { checksumAddress } from "../evm/address.ts";
import { keccak256 } from "../evm/hash.ts";
import { recoverAddress } from "../evm/signature.ts";
import { TradeIntent } from "../intent.ts";
import type { Policy } from "../policies/policy.ts";
import type { Report } from "../report.ts";
import { asRecord, differingMembers, extraMembers, type JsonObject, type Steps, sameJson } from "../steps.ts";
import { RawAmount } from "../values/primitives.ts";
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
type CallName = (typeof CALLS)[number];

/** @param execution the document's `execution`, which is there */
export function executionSteps(judged: Judged, execution: unknown, steps: Steps): Executed {
  const { report } = judged;
  const parsed = SignedExecution.safeParse(execution);
  if (!parsed.success) {
    steps.add("certificate", "wrong", "The execution has no readable trade intent and certificate.");
    return { intentHash: null, executableUntil: null, signer: null };
  }
  // As it came: parsing drops `__proto__` and rewrites addresses, and a wallet reads neither away.
  const signed = execution as SignedExecution;
  const { tradeIntent, certificate } = signed;
  const domain = guardDomain(report.evidence.chain.chainId, report.evidence.guard.address);
  const digest = typedDataDigest(domainSeparator(domain), hashCertificate(certificate.message));
  const recovered = recoverAddress(digest, certificate.signature);
  const expected = rebuilt(judged, signed, recovered);

  tradeIntentStep(tradeIntent, expected, steps);
  certificateStep(certificate, expected, steps);
  const signer = signatureStep(report, certificate, recovered, steps);
  callsStep(signed, expected, steps);
  routeCallStep(report, signed, steps);
  unknownMembersStep(signed, steps);
  const ends = [certificate.message.expiresAt, tradeIntent.message.deadline].map(Number);
  return { intentHash: hashIntent(tradeIntent.message), executableUntil: Math.min(...ends), signer };
}

/** The execution as it must read; null for a report that allows none, which `authorize` refuses. */
function rebuilt(
  { policy, report }: Judged,
  { tradeIntent: { message }, certificate: { signature }, ...calls }: SignedExecution,
  signer: string | null,
): Execution | null {
  const { quote, figures } = report.evidence;
  if (report.decision !== "ALLOW" || quote === null || figures.minAmountOutRaw === null) return null;
  const { callDataHash, nonce, deadline } = message;
  const certified = authorize(policy, report, { callDataHash, nonce, deadline: Number(deadline) });
  const allowance = RawAmount.safeParse(asRecord(calls.approval)?.currentAllowance);
  return buildExecution(report, {
    ...certified,
    // Another text is no signature, which is another step's fault, and has no place in call data.
    signature: /^0x([0-9a-f]{2})*$/.test(signature) ? signature : "0x",
    signer: signer ?? "",
    routeCallData: routeCallDataOf(calls, callDataHash) ?? "0x",
    currentAllowance: allowance.success ? allowance.data : "0",
  });
}

/** The call data of the route, which the trade intent commits to by its hash; null where the calls hold none of that hash. */
function routeCallDataOf(calls: JsonObject, callDataHash: string): string | null {
  for (const call of [calls.guardCall, calls.relayedCall]) {
    const data = asRecord(asRecord(call)?.args)?.routeCallData;
    // In the one form that the service writes: lower-case hexadecimal.
    if (typeof data !== "string" || !/^0x([0-9a-f]{2})*$/.test(data)) continue;
    if (keccak256(data) === callDataHash) return data;
  }
  return null;
}

function tradeIntentStep(
  typed: SignedExecution["tradeIntent"],
  expected: Execution | null,
  steps: Steps,
): void {
  const faults = expected === null ? ["decision"] : typedDataFaults(typed, expected.tradeIntent);
  steps.judge(
    "trade intent",
    faults.length === 0,
    "The trade intent is the trade that was judged.",
    `The trade intent is not the trade that was judged, or a wallet would sign something else: ${faults.join(", ")}.`,
  );
}

function certificateStep(
  typed: SignedExecution["certificate"],
  expected: Execution | null,
  steps: Steps,
): void {
  // Who signed is another step's; a document need not say it.
  const faults =
    expected === null ? ["decision"] : typedDataFaults(typed, expected.certificate, ["signature", "signer"]);
  const at = (seconds: string) => new Date(Number(seconds) * 1000).toISOString();
  const { issuedAt, expiresAt } = typed.message;
  steps.judge(
    "certificate",
    faults.length === 0,
    `The certificate binds this trade intent, evidence, job and report version, from ${at(issuedAt)} to ${at(expiresAt)}.`,
    `The certificate does not bind this trade intent and report: ${faults.join(", ")}.`,
  );
}

/** What a wallet hashes or shows of typed data, where it is not as expected. */
function typedDataFaults(
  typed: JsonObject,
  expected: Execution["tradeIntent"] | Execution["certificate"],
  others: readonly string[] = [],
): string[] {
  const { domain, types, primaryType, message } = expected;
  const { EIP712Domain, ...members } = asRecord(typed.types) ?? {};
  const { EIP712Domain: _, ...expectedMembers } = types as JsonObject;
  return [
    ...differingMembers(typed.message, { ...message }),
    ...extraMembers(typed.message, Object.keys(message)),
    ...differingMembers(typed, { domain, primaryType }),
    ...differingMembers(members, expectedMembers),
    // Some wallets hash what is listed, and others refuse what they do not know.
    ...extraMembers(members, [primaryType]).map((name) => `types.${name}`),
    // Wallets that hash typed data as it stands need it; others make it themselves, so it may be left out.
    ...(EIP712Domain === undefined || sameJson(EIP712Domain, DOMAIN_TYPES.EIP712Domain)
      ? []
      : ["types.EIP712Domain"]),
    ...extraMembers(typed, ["domain", "types", "primaryType", "message", ...others]),
  ];
}

/** @returns who signed; null where that is not the signer of the evidence, or the document names another one */
function signatureStep(
  { evidence }: Report,
  certificate: SignedExecution["certificate"],
  recovered: string | null,
  steps: Steps,
): string | null {
  const expected = checksumAddress(evidence.guard.signer);
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
function callsStep(execution: SignedExecution, expected: Execution | null, steps: Steps): void {
  const isThere = (name: CallName) => execution[name] !== undefined && execution[name] !== null;
  const present = CALLS.filter(isThere);
  const missing = CALLS.filter((name) => !isThere(name));
  if (missing.length > 0) steps.add("calls", "absent", `Not in this document: ${missing.join(", ")}.`);
  if (present.length === 0) return;
  const faults = present.flatMap((name) => callFaults(name, execution[name], expected));
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
function callFaults(name: CallName, call: unknown, expected: Execution | null): string[] {
  if (expected === null) return [name];
  const members = { ...expected[name] };
  return [...differingMembers(call, members), ...extraMembers(call, Object.keys(members))].map(
    (member) => `${name}.${member}`,
  );
}

/** The route is called for the quoted trade, by the quoted path, and pays the executor. */
function routeCallStep({ evidence }: Report, execution: SignedExecution, steps: Steps): void {
  const data = routeCallDataOf(execution, execution.tradeIntent.message.callDataHash);
  if (data === null) return;
  const { quote, guard } = evidence;
  if (quote === null || !data.startsWith(quote.selector)) {
    steps.add("route call", "wrong", "The route's call data is of another function than the quoted one.");
    return;
  }
  const call = decodeRouteCall(data);
  if (call === null) {
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
  const known = ["tradeIntent", "certificate", ...CALLS];
  const unknown = extraMembers(execution, known);
  if (unknown.length > 0)
    steps.add(
      "execution",
      "unknown",
      `This program cannot read these parts of the execution, which a wallet could act on: ${unknown.join(", ")}; use a newer program, or a document without them.`,
    );
}
