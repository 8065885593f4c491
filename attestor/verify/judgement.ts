/** Step `judgement`: figures, findings and decision follow from the facts, and no fact contradicts another. */

import { CALENDAR_SOURCE } from "../calendar.ts";
import { contradictionsIn } from "../evidence/contradictions.ts";
import type { Evidence } from "../evidence/evidence.ts";
import { figuresOf } from "../evidence/figures.ts";
import { samplesFault } from "../evidence/samples.ts";
import { type Fact, SESSION_FACT } from "../factKinds.ts";
import type { Policy } from "../policies/policy.ts";
import { tighten } from "../policies/tighten.ts";
import { LOCAL_CHAIN_ID } from "../publishers/publisherKeys.ts";
import { evaluate, type Report } from "../report.ts";
import { differingMembers, type JsonObject } from "../values/json.ts";
import type { Reader } from "./trust.ts";
import type { Account } from "./verification.ts";

/**
 * @param claimed the report as it came
 * @returns the report as judged again
 */
export function judgementStep(
  evidence: Evidence,
  policy: Policy,
  claimed: JsonObject,
  reader: Reader,
  account: Account,
): Report {
  account.ask("judgement");
  for (const { code, params } of contradictionsIn(evidence)) account.wrong("judgement", code, params);

  const figures = figuresOf(tighten(policy.definition, evidence.intent.limits), evidence);
  const others = differingMembers(evidence.figures, { ...figures });
  if (others.length > 0) account.wrong("judgement", "figures_other", { members: others.join(", ") });

  const report = evaluate(policy, evidence);
  const { evidence: _, evidenceHash: __, ...conclusions } = report;
  const differing = differingMembers(claimed, conclusions);
  if (differing.length > 0)
    account.wrong("judgement", "findings_other", {
      members: differing.join(", "),
      decision: report.decision,
    });

  samplesFaults(evidence, reader.samples, account);
  return report;
}

/**
 * A session follows from the calendar that every reader has, or is signed; else it is the service's word.
 * @param facts with what each rests on for this reader
 */
export function sessionReservation(
  { session, chain }: Evidence,
  facts: readonly Fact[],
  account: Account,
): void {
  // The calendar of local worlds is simulated.
  if (session === null || session.source === CALENDAR_SOURCE || chain.chainId === LOCAL_CHAIN_ID) return;
  if (facts.some(({ name, kind }) => name === SESSION_FACT && kind === "signed")) return;
  account.trustUnlessStrict("judgement", "session_of_service", {
    state: session.state,
    source: JSON.stringify(session.source),
  });
}

function samplesFaults(evidence: Evidence, samples: unknown, account: Account): void {
  const { liquidity } = evidence;
  if (samples !== undefined) {
    const fault = samplesFault(evidence, samples);
    if (fault?.outcome === "wrong") account.wrong("judgement", fault.code, fault.params);
    else if (fault !== null) account.unknown("judgement", fault.code, fault.params);
    return;
  }
  if (liquidity === null || liquidity.grade === null) return;
  if (liquidity.samplesRoot === null) account.trustUnlessStrict("judgement", "samples_not_named");
  else account.trust("judgement", "liquidity_of_service", { root: liquidity.samplesRoot }, "samples");
}
