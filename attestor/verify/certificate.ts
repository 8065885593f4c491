/** Step `certificate`: what is to be executed is built again from the report, and compared. */
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
import { keccak256 } from "../evm/hash.ts";
import { recoverAddress } from "../evm/signature.ts";
import { TradeIntent } from "../intent.ts";
import type { Policy } from "../policies/policy.ts";
import { decodeRouteCall } from "../pools/routeCall.ts";
import { ROUTE_SELECTORS } from "../registry.ts";
import type { Report } from "../report.ts";
import { asRecord, differingMembers, extraMembers, type JsonObject, sameJson } from "../values/json.ts";
import { RawAmount } from "../values/primitives.ts";
import type { UnixSeconds } from "../values/time.ts";
import type { Account } from "./verification.ts";

export interface Executable {
  /** Struct hash of the trade intent; null without a readable one. */
  readonly intentHash: string | null;
  /** Unix seconds until when the guard carries it out: certificate and deadline; null without them. */
  readonly executableUntil: UnixSeconds | null;
  /** Who signed the certificate; null where the signature is not of the evidence's signer. */
  readonly signer: string | null;
}

const SignedExecution = z.looseObject({
  tradeIntent: z.looseObject({ message: TradeIntent }),
  certificate: z.looseObject({ message: VerificationCertificate, signature: z.string() }),
});
type SignedExecution = z.infer<typeof SignedExecution>;

const CALLS = ["guardCall", "relayedCall", "approval"] as const;
type CallName = (typeof CALLS)[number];

const NOTHING: Executable = { intentHash: null, executableUntil: null, signer: null };

/** @param execution the document's `execution`, which may be anything; null: it has none */
export function certificateStep(
  policy: Policy,
  report: Report,
  execution: unknown,
  account: Account,
): Executable {
  if (execution === null) return NOTHING;
  account.ask("certificate");
  if (!SignedExecution.safeParse(execution).success) {
    account.wrong("certificate", "execution_unreadable");
    return NOTHING;
  }
  // As it came: parsing drops `__proto__` and rewrites addresses, and a wallet reads neither away.
  const signed = execution as SignedExecution;
  const { tradeIntent, certificate } = signed;
  const recovered = signerOf(report, certificate);
  const expected = rebuilt(policy, report, signed, recovered);
  if (expected === null) account.wrong("certificate", "not_allowed");
  else comparison(signed, expected, account);

  const signer = signatureFaults(report, certificate, recovered, account);
  routeFaults(report, signed, account);
  // An execution is what a wallet acts on: a part of it that nobody here has read is not vouched for.
  const unread = extraMembers(signed, ["tradeIntent", "certificate", ...CALLS]);
  if (unread.length > 0)
    account.unknown("certificate", "execution_members", {
      members: unread.map((name) => JSON.stringify(name)).join(", "),
    });
  const ends = [certificate.message.expiresAt, tradeIntent.message.deadline].map(Number);
  return { intentHash: hashIntent(tradeIntent.message), executableUntil: Math.min(...ends), signer };
}

/** Whom the signature recovers to, over the certificate in the domain of the evidence's guard; null: nobody. */
function signerOf(
  { evidence }: Report,
  { message, signature }: SignedExecution["certificate"],
): string | null {
  const domain = guardDomain(evidence.chain.chainId, evidence.guard.address);
  return recoverAddress(typedDataDigest(domainSeparator(domain), hashCertificate(message)), signature);
}

/** The execution as it must read; null for a report that allows none, which `authorize` refuses. */
function rebuilt(
  policy: Policy,
  report: Report,
  { tradeIntent: { message }, certificate: { signature }, ...calls }: SignedExecution,
  signer: string | null,
): Execution | null {
  const { quote, figures } = report.evidence;
  if (report.decision !== "ALLOW" || quote === null || figures.minAmountOutRaw === null) return null;
  const { callDataHash, nonce, deadline } = message;
  const certified = authorize(policy, report, { callDataHash, nonce, deadline });
  const allowance = RawAmount.safeParse(asRecord(calls.approval)?.currentAllowance);
  return buildExecution(report, {
    ...certified,
    // Another text is no signature, which is told elsewhere, and has no place in call data.
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

function comparison(signed: SignedExecution, expected: Execution, account: Account): void {
  const faults = (code: string, members: string[]) => {
    if (members.length > 0) account.wrong("certificate", code, { members: members.join(", ") });
  };
  faults("trade_intent_other", typedDataFaults(signed.tradeIntent, expected.tradeIntent));
  // Who signed is told elsewhere; a document need not say it.
  faults(
    "certificate_other",
    typedDataFaults(signed.certificate, expected.certificate, ["signature", "signer"]),
  );

  const isThere = (name: CallName) => signed[name] !== undefined && signed[name] !== null;
  faults(
    "calls_other",
    CALLS.filter(isThere).flatMap((name) => callFaults(name, signed[name], expected)),
  );
  const missing = CALLS.filter((name) => !isThere(name));
  if (missing.length > 0) account.leave("certificate", "calls_missing", { calls: missing.join(", ") });
  if (isThere("approval")) account.leave("certificate", "allowance_unread");
}

/** Members of what a wallet hashes or shows that are not as expected. */
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

/** Every member of a call is one that a wallet may act on, so none may be there that was not expected. */
function callFaults(name: CallName, call: unknown, expected: Execution): string[] {
  const members = { ...expected[name] };
  const faults = [...differingMembers(call, members), ...extraMembers(call, Object.keys(members))];
  return faults.map((member) => `${name}.${member}`);
}

/** @returns who signed; null where that is not the signer of the evidence, or the document names another one */
function signatureFaults(
  { evidence }: Report,
  certificate: SignedExecution["certificate"],
  recovered: string | null,
  account: Account,
): string | null {
  const expected = evidence.guard.signer;
  if (recovered !== expected) {
    account.wrong("certificate", "signed_by_other", { signer: recovered ?? "nobody", expected });
    return null;
  }
  if (certificate.signer !== undefined && certificate.signer !== recovered) {
    account.wrong("certificate", "signer_misnamed", { signer: recovered });
    return null;
  }
  return recovered;
}

/** The route is called for the quoted trade, by the quoted path, and pays the executor. */
function routeFaults({ evidence }: Report, signed: SignedExecution, account: Account): void {
  const data = routeCallDataOf(signed, signed.tradeIntent.message.callDataHash);
  const { quote, guard } = evidence;
  if (data === null || quote === null) return;
  const call = decodeRouteCall(data);
  const isQuoted = data.startsWith(quote.selector);
  const isKnown = Object.values<string>(ROUTE_SELECTORS).includes(quote.selector);
  if (call === null && isQuoted && !isKnown) {
    account.trustUnlessStrict("certificate", "route_call_unread");
    return;
  }
  const faults = [
    ...(isQuoted ? [] : ["function"]),
    ...(call === null && isQuoted ? ["arguments"] : []),
    ...(call === null || sameJson(call.path, quote.path) ? [] : ["path"]),
    ...(call === null || call.fees === null || sameJson(call.fees, quote.fees) ? [] : ["fees"]),
    ...(call === null || call.amountIn === quote.amountInRaw ? [] : ["amount"]),
    ...(call === null || call.recipient === guard.executor ? [] : ["recipient"]),
  ];
  if (faults.length > 0) account.wrong("certificate", "route_call_other", { members: faults.join(", ") });
}
