/** What has to hold before a wallet signs a prepared trade: nothing of it is taken from the service's word. */
import type { Finding } from "../attestor/checks/check.ts";
import { Limits } from "../attestor/intent.ts";
import type { Report } from "../attestor/report.ts";
import type { GuardName, Reader } from "../attestor/verify/trust.ts";
import type { Verification } from "../attestor/verify/verification.ts";
import { verifyReport } from "../attestor/verify/verify.ts";
import { sentenceOf } from "../attestor/view/summary.ts";
import { oneLine } from "./clientErrors.ts";
import type { PreparedExecution, ReportDocument } from "./document.ts";

/** The trade as it was asked for: the body of `createJob`, or the input of `verify`. */
export interface AskedTrade {
  readonly ownerAddress: string;
  /** The owner by default. */
  readonly recipientAddress?: string | undefined;
  readonly inputAssetKey: string;
  readonly outputAssetKey: string;
  /** Raw units of the input token. */
  readonly amountInRaw: string;
  readonly policyId: string;
  /** Basis points. */
  readonly maxSlippageBps: number;
  /** Of your own, tighter than the policy's bounds. */
  readonly limits?: Limits | undefined;
}

/** What the caller trusts, from its own settings or node. */
export type TradeTrust = Reader & { readonly guard: GuardName; readonly signer: string };

/** Why nothing should be signed. */
export class TradeRefused extends Error {
  /**
   * `denied`: the policy's checks did not pass. `other_trade`: it is not what was asked for. `not_valid`: it is INVALID or
   * UNVERIFIABLE for a reader who trusts this guard and key. `expired`: the time of its certificate or of its trade intent
   * is over. `signer_rotated`: the guard has another attestation key since the trade was prepared.
   */
  readonly code: "denied" | "other_trade" | "not_valid" | "expired" | "signer_rotated";
  readonly verification: Verification;
  /** For `denied` each check that did not pass. */
  readonly findings: readonly Finding[];

  constructor(
    code: TradeRefused["code"],
    message: string,
    verification: Verification,
    findings: readonly Finding[] = [],
  ) {
    super(message);
    this.name = "TradeRefused";
    this.code = code;
    this.verification = verification;
    this.findings = findings;
  }
}

/** A trade that may be signed. */
export interface CheckedTrade {
  /** What to send: the calls of this trade, of this guard and of nothing else. */
  readonly execution: PreparedExecution;
  readonly verification: Verification;
}

/**
 * @param prepared the answer of `prepare`
 * @param now unix seconds
 * @throws TradeRefused; RangeError where `trust` names no guard or no signer, because less would be checked without them
 */
export function checkedTrade(
  prepared: ReportDocument,
  asked: AskedTrade,
  trust: TradeTrust,
  now: number,
): CheckedTrade {
  namedTrust(trust);
  const { execution } = prepared;
  // It builds typed data, calls and approval again, and compares.
  const verification = verifyReport(prepared, trust);
  const { verdict, report } = verification;
  // Nobody signs a denial, but its findings were made here once more.
  if (execution === null && verdict !== "INVALID" && report?.decision === "DENY")
    throw denied(report, verification);
  if (execution === null || verdict !== "VALID" || report === null)
    throw new TradeRefused("not_valid", sentenceOf(verification, { now }), verification);
  // Both times are signed: VALID means that nobody has moved them.
  const ends = [execution.certificate.message.expiresAt, execution.tradeIntent.message.deadline].map(BigInt);
  if (ends.some((end) => end <= BigInt(now)))
    throw new TradeRefused(
      "expired",
      "The trade's time is over: ask for one that is prepared anew.",
      verification,
    );
  const other = othersIn(report.evidence, asked);
  if (other.length > 0)
    throw new TradeRefused(
      "other_trade",
      `It is not the trade that was asked for: ${other.join(", ")}.`,
      verification,
    );
  return { execution, verification };
}

function denied({ findings }: Report, verification: Verification): TradeRefused {
  const failed = findings.filter(({ outcome }) => outcome !== "pass");
  const reasons = failed.map(({ check, message }) => oneLine(`${check}: ${message}`));
  return new TradeRefused("denied", `The trade is denied. ${reasons.join(" ")}`, verification, failed);
}

const LIMITS = Object.keys(Limits.shape) as (keyof Limits)[];

/** Members that are not as they were asked for. */
function othersIn({ intent }: Report["evidence"], asked: AskedTrade): string[] {
  const text = (value: unknown) => String(value).toLowerCase();
  const flat = ({ limits, ...members }: AskedTrade) => ({
    ...members,
    ...Object.fromEntries(LIMITS.map((name) => [`limits.${name}`, limits?.[name]])),
  });
  const wanted = { ...flat(asked), recipientAddress: asked.recipientAddress ?? asked.ownerAddress };
  const judged = flat(intent) as typeof wanted;
  return (Object.keys(judged) as (keyof typeof judged & string)[]).filter(
    (name) => text(judged[name]) !== text(wanted[name]),
  );
}

/** In JavaScript no type holds them, and `verifyReport` does not ask for what it is not given. */
function namedTrust(trust: Partial<TradeTrust> | undefined): void {
  const { guard, signer } = trust ?? {};
  if (!Number.isSafeInteger(guard?.chainId) || !isAddress(guard?.address))
    throw new RangeError("guard must be { chainId, address } of the guard that you use");
  if (!isAddress(signer)) throw new RangeError("signer must be the address of the key that you trust");
}

const isAddress = (value: unknown) => typeof value === "string" && /^0x[0-9a-fA-F]{40}$/.test(value);
