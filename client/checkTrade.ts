/** What has to hold before a wallet signs a prepared trade: nothing of it is taken from the service's word. */
import type { Prepared } from "../api/jobs/schemas.ts";
import type { GuardName } from "../attestor/verify/issuer.ts";
import { type Verification, type VerifyOptions, verifyReport } from "../attestor/verify/verify.ts";
import type { PreparedExecution } from "./jobCalls.ts";

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
}

/** The guard and the key that the caller trusts; both from the caller's own settings or node. */
export type TradeTrust = VerifyOptions & { readonly guard: GuardName; readonly signer: string };

/** Why nothing should be signed. */
export class TradeRefused extends Error {
  /**
   * `denied`: the policy's checks did not pass. `other_trade`: it is not what was asked for. `not_valid`: it is INVALID or
   * UNVERIFIABLE for a reader who trusts this guard and key. `expired`: the time of its certificate or of its trade intent
   * is over.
   */
  readonly code: "denied" | "other_trade" | "not_valid" | "expired";
  /** null for what was not verified. */
  readonly verification: Verification | null;

  constructor(code: TradeRefused["code"], message: string, verification: Verification | null = null) {
    super(message);
    this.name = "TradeRefused";
    this.code = code;
    this.verification = verification;
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
  prepared: Prepared,
  asked: AskedTrade,
  trust: TradeTrust,
  now: number,
): CheckedTrade {
  namedTrust(trust);
  const { execution, report } = prepared;
  if (execution === null) {
    const failed = report.findings.filter(({ outcome }) => outcome !== "pass").map(({ check }) => check);
    throw new TradeRefused("denied", `The trade is denied: ${failed.join(", ")}.`);
  }
  // Guard call, packed calls, wallet calls and approval are held against the certified trade intent there.
  const verification = verifyReport(prepared, trust);
  if (verification.verdict !== "VALID" || verification.report === null) {
    const [first] = verification.steps;
    throw new TradeRefused("not_valid", `${verification.verdict}: ${first?.detail ?? ""}`, verification);
  }
  // Both times are signed: VALID means that nobody has moved them.
  const ends = [execution.certificate.message.expiresAt, execution.tradeIntent.message.deadline].map(BigInt);
  if (ends.some((end) => end <= BigInt(now)))
    throw new TradeRefused(
      "expired",
      "The trade's time is over: ask for one that is prepared anew.",
      verification,
    );
  const judged = verification.report.evidence.intent;
  const wanted = { ...asked, recipientAddress: asked.recipientAddress ?? asked.ownerAddress };
  const other = (Object.keys(judged) as (keyof typeof judged)[]).filter(
    (name) => String(judged[name]).toLowerCase() !== String(wanted[name]).toLowerCase(),
  );
  if (other.length > 0)
    throw new TradeRefused(
      "other_trade",
      `It is not the trade that was asked for: ${other.join(", ")}.`,
      verification,
    );
  return { execution, verification };
}

/** In JavaScript no type holds them, and `verifyReport` does not ask for what it is not given. */
function namedTrust(trust: Partial<TradeTrust> | undefined): void {
  const { guard, signer } = trust ?? {};
  if (!Number.isSafeInteger(guard?.chainId) || !isAddress(guard?.address))
    throw new RangeError("guard must be { chainId, address } of the guard that you use");
  if (!isAddress(signer)) throw new RangeError("signer must be the address of the key that you trust");
}

const isAddress = (value: unknown) => typeof value === "string" && /^0x[0-9a-fA-F]{40}$/.test(value);
