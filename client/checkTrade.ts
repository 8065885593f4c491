/** What has to hold before a wallet signs a prepared trade: nothing of it is taken from the service's word. */
import type { Prepared } from "../api/jobs/schemas.ts";
import type { GuardName } from "../attestor/issuer.ts";
import { type Verification, type VerifyOptions, verifyReport } from "../attestor/verify.ts";
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
   * UNVERIFIABLE for a reader who trusts this guard and key.
   */
  readonly code: "denied" | "other_trade" | "not_valid";
  /** null for what was not verified. */
  readonly verification: Verification | null;

  constructor(code: TradeRefused["code"], message: string, verification: Verification | null = null) {
    super(message);
    this.name = "TradeRefused";
    this.code = code;
    this.verification = verification;
  }
}

/**
 * @param prepared the answer of `prepare`
 * @returns what to send: the calls of this trade, of this guard and of nothing else
 * @throws TradeRefused
 */
export function checkTrade(
  prepared: Prepared,
  asked: AskedTrade,
  trust: TradeTrust,
): { execution: PreparedExecution; verification: Verification } {
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
