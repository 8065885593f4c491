/**
 * What the agent checks before it signs anything. It compares the service's statements with its own intent, with the
 * guard on the chain, and with a second judgement of the evidence.
 */
import { isDeepStrictEqual } from "node:util";
import type { Intent } from "../../attestor/intent.ts";
import { addressOf } from "../../attestor/values/primitives.ts";
import { type Verification, verifyReport } from "../../attestor/verify/verify.ts";
import type { PreparedExecution, ReportDocument } from "../../client/client.ts";
import { TradeGuard__factory } from "../../types/contracts/factories/contracts/TradeGuard__factory.ts";

/** The agent's own knowledge, none of it from the answer that is checked. */
export interface Expectation {
  readonly intent: Intent;
  readonly chainId: number;
  /** The guard that the agent trusts. */
  readonly guard: string;
  /** Keys whose certificates the guard takes now, read from the chain: two while an overlap runs. */
  readonly signers: readonly string[];
}

/** Why the agent does not go on. */
export class Mistrust extends Error {
  override name = "Mistrust";
}

function demand(holds: boolean, message: string): asserts holds {
  if (!holds) throw new Mistrust(message);
}

/**
 * The evidence hash as the agent computes it, of a report that nobody has signed yet: good for reading it, and for no
 * trade.
 * @throws Mistrust when the report does not stand a second judgement
 */
export function checkReport(document: unknown): string {
  const result = verifyReport(document);
  demand(
    result.isConsistent && result.evidenceHash !== null,
    `The report is not consistent. ${faults(result)}`,
  );
  return result.evidenceHash;
}

/** The verification's objections to a document. */
function faults({ steps }: Verification): string {
  return steps
    .filter(({ outcome }) => outcome === "wrong" || outcome === "unknown")
    .map(({ detail }) => detail)
    .join(" ");
}

/**
 * @returns the evidence hash that the certificate binds
 * @throws Mistrust unless the prepared trade is VALID against the guard that the agent's user named
 */
export function checkPrepared(
  prepared: ReportDocument,
  execution: PreparedExecution,
  expected: Expectation,
): string {
  const { intent, chainId, guard, signers } = expected;
  const named = execution.certificate.signer;
  demand(
    signers.includes(named),
    `The certificate is of ${named}, and the guard takes those of ${signers.join(" and ")}.`,
  );
  const trusted = { chainId, address: guard };
  const keys = signers.map((address) => ({ address, endedAt: null }));
  const result = verifyReport(prepared, {
    guard: trusted,
    known: [{ ...trusted, record: "the guard's own answer", keys }],
  });
  const { verdict, evidenceHash } = result;
  demand(verdict === "VALID" && evidenceHash !== null, `The prepared trade is ${verdict}: ${faults(result)}`);
  demand(isDeepStrictEqual(prepared.report.evidence.intent, intent), "The report judges another intent.");

  const { tradeIntent, certificate, guardCall, approval } = execution;
  const trade = tradeIntent.message;
  demand(
    trade.owner === intent.ownerAddress &&
      trade.recipient === intent.recipientAddress &&
      trade.inputToken === addressOf(intent.inputAssetKey) &&
      trade.outputToken === addressOf(intent.outputAssetKey) &&
      trade.amountIn === intent.amountInRaw,
    "The trade intent is not what was asked for.",
  );
  for (const { domain } of [tradeIntent, certificate])
    demand(
      domain.chainId === expected.chainId && domain.verifyingContract === expected.guard,
      "The typed data is for another chain or guard.",
    );
  demand(certificate.message.evidenceHash === evidenceHash, "The certificate is for other evidence.");

  const data = TradeGuard__factory.createInterface().encodeFunctionData("execute", [
    trade,
    certificate.message,
    certificate.signature,
    guardCall.args.routeCallData,
  ]);
  demand(
    guardCall.to === expected.guard && guardCall.data === data,
    "The guard call is not the trade that was checked.",
  );
  demand(
    approval.token === trade.inputToken &&
      approval.spender === expected.guard &&
      approval.amount === trade.amountIn,
    "The approval is for another token, spender or amount.",
  );
  return evidenceHash;
}
