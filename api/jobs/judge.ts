/**
 * A judgement, a line a step: gather the facts, attest them as evidence, evaluate the evidence. A new job, an execution
 * that is prepared, and a one-shot verification are all judged here.
 */
import { attest, tradeOf } from "../../attestor/attest.ts";
import { toHex } from "../../attestor/evm/hash.ts";
import type { Intent } from "../../attestor/intent.ts";
import { SALT_LENGTH } from "../../attestor/log/entry.ts";
import type { Policy } from "../../attestor/policies/policy.ts";
import { evaluate, type Report } from "../../attestor/report.ts";
import { type JobDeps, seconds } from "./deps.ts";
import type { GatheredFacts } from "./keptFacts.ts";

export interface Question<Gathered extends GatheredFacts> {
  readonly job: { readonly id: string; readonly intent: Intent };
  readonly policy: Policy;
  /** By `gather`, with further reads in parallel. */
  readonly facts: () => Promise<Gathered>;
  /** Gives the report its version within the job, and may store it in the same transaction. */
  readonly numbered: (reportOf: (version: number) => Report) => Report | Promise<Report>;
}

/** @returns the report, with the salt that its entry in the decision log is made with; and what it was judged by */
export async function judge<Gathered extends GatheredFacts>(
  deps: JobDeps,
  { job, policy, facts, numbered }: Question<Gathered>,
): Promise<{ report: Report; gathered: Gathered }> {
  const { registry } = deps.chain.deployment;
  const gathered = await facts();
  const { capturedAt, proofs } = gathered;
  const reportOf = (reportVersion: number): Report => {
    const evidence = attest({
      jobId: job.id,
      reportVersion,
      capturedAt,
      intent: job.intent,
      policy,
      registry,
      facts: gathered.facts,
    });
    const judged = evaluate(policy, evidence, deps.hashText);
    return proofs ? { ...judged, proofs } : judged;
  };
  const report = await numbered((version) => {
    return { ...reportOf(version), log: { salt: toHex(deps.random(SALT_LENGTH)), proof: null } };
  });
  return { report, gathered };
}

/**
 * Everything that the checks may look at, now.
 * @throws UpstreamUnavailable
 */
export async function gather(deps: JobDeps, intent: Intent): Promise<GatheredFacts> {
  const now = seconds(deps);
  const { stockAssetKey } = tradeOf(intent, deps.chain.deployment.registry);
  const [{ facts, proofs }, liquidity] = await Promise.all([
    deps.chain.facts(intent, now),
    deps.liquidityOf(stockAssetKey, now),
  ]);
  await deps.rawAnswers.ready(facts);
  // The moment of judgement is when the facts are there: reading them takes time too.
  return { facts: { ...facts, liquidity }, proofs, capturedAt: seconds(deps) };
}
