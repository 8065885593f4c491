/** Vectors of trades within a mandate: the agent's call, and evidence whose parts of the mandate do not fit each other. */
import type { MandateFacts } from "../../attestor/mandates/mandate.ts";
import { policyById } from "../../attestor/policies/policy.ts";
import { evaluate, type Report } from "../../attestor/report.ts";
import {
  bendsOf,
  copy,
  judgement,
  mandateFacts,
  prepared,
  reportOn,
  SIDES,
  within,
} from "../../test/attestor/fixtures.ts";
import { bareReport } from "./bare.ts";
import { type Candidate, candidateOf } from "./candidate.ts";
import BENDS from "./mandates.json" with { type: "json" };

const documentOf = (name: string, document: object) => candidateOf(`mandates: ${name}`, document);

export async function mandateDocuments(): Promise<Candidate[]> {
  const [buy, sell] = await Promise.all(SIDES.map((side) => prepared(reportOn(judgement(within(side))))));
  const { tradeIntent, certificate, mandateCall } = buy!.execution;
  const bare = bareWithin(mandateFacts());
  return [
    documentOf("a prepared buy", buy!),
    documentOf("a prepared sell", sell!),
    documentOf("the agent's call alone", { ...buy, execution: { tradeIntent, certificate, mandateCall } }),
    ...Object.entries(bendsOf(BENDS.calls)).map(([name, bend]) => {
      const document = copy(buy);
      bend(document.execution);
      return documentOf(`the agent's call ${name}`, document);
    }),
    documentOf("a mandate of a few facts", bare),
    documentOf("a window that is past", bareWithin(pastWindow())),
    ...Object.entries(bendsOf(BENDS.facts)).map(([name, bend]) => {
      const evidence = copy(bare.evidence);
      bend(evidence);
      return documentOf(name, evaluate(policyById("LAST_CLOSE"), evidence));
    }),
  ];
}

function bareWithin(mandate: MandateFacts): Report {
  const policy = policyById("LAST_CLOSE");
  const { intent } = within("buy", mandate);
  return bareReport({ mandate }, { policy, intent: { ...intent, policyId: policy.definition.policyId } });
}

function pastWindow(): MandateFacts {
  const { window, ...mandate } = mandateFacts();
  return {
    ...mandate,
    window: { ...window, firstHour: window.firstHour - 23, past: [] },
    spentWithinDay: "0",
  };
}
