/**
 * What the agent checks before it signs anything, by the client's own check. It compares the service's statements with its
 * own intent, with the guard on the chain, and with a second judgement of the evidence.
 */
import type { Intent } from "../../attestor/intent.ts";
import type { Verification } from "../../attestor/verify/verification.ts";
import { verifyReport } from "../../attestor/verify/verify.ts";
import { faultText } from "../../attestor/view/stepWords.ts";
import { checkTrade, type ReportDocument, TradeRefused } from "../../client/client.ts";

/** The agent's own knowledge, none of it from the answer that is checked. */
export interface Expectation {
  readonly intent: Intent;
  readonly chainId: number;
  /** The guard that the agent trusts. */
  readonly guard: string;
  /** The key whose certificates the guard takes now, read from the chain. */
  readonly signer: string;
  /** Unix seconds, of the chain. */
  readonly now: number;
}

export class Mistrust extends Error {
  override name = "Mistrust";
}

/**
 * The evidence hash as the agent computes it, of a report that nobody has signed yet: good for reading it, and for no
 * trade.
 * @throws Mistrust when the report does not stand a second judgement
 */
export function checkReport(document: unknown): string {
  const result = verifyReport(document);
  if (result.isConsistent && result.evidenceHash !== null) return result.evidenceHash;
  throw new Mistrust(`The report is not consistent. ${faults(result)}`);
}

function faults({ steps }: Verification): string {
  return steps
    .flatMap((step) => step.faults)
    .map(faultText)
    .join(" ");
}

/**
 * @returns the evidence hash that the certificate binds
 * @throws Mistrust unless the prepared trade is VALID against the guard that the agent's user named
 */
export function checkPrepared(prepared: ReportDocument, expected: Expectation): string {
  const { intent, chainId, guard, signer, now } = expected;
  try {
    const trust = { guard: { chainId, address: guard }, signer };
    return String(checkTrade(prepared, intent, trust, now).verification.evidenceHash);
  } catch (error) {
    if (!(error instanceof TradeRefused)) throw error;
    throw new Mistrust(`${error.message}${otherKey(prepared, signer)}`);
  }
}

/** Empty where the certificate is of the guard's key. Which key signed is the document's word: good for an explanation alone. */
function otherKey({ execution }: ReportDocument, guardKey: string): string {
  const certified = execution?.certificate.signer;
  if (certified === undefined || certified === guardKey) return "";
  return ` The guard's attestation key is ${guardKey}, and the certificate is of ${certified}: if the key was rotated, the trade has to be prepared again.`;
}
