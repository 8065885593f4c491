/** The boundaries of the checks of when is traded, of liquidity and of the guard. */
import type { Facts } from "../../../attestor/evidence/facts.ts";
import { GRADES, SESSIONS } from "../../../attestor/policies/policy.ts";
import { type Boundary, both, withFacts } from "./boundary.ts";
import type { Draft } from "./judgements.ts";

export const corporateAction: Boundary = (draft) => {
  const { certificateLifetimeSeconds, corporateAction } = draft.policy.definition;
  const { chain, token } = draft.facts;
  const { announcement, factor } = token;
  const { marginSeconds } = corporateAction;
  const ahead = certificateLifetimeSeconds + marginSeconds + 1;
  // What was read before the change, however little, holds no more.
  const read = Math.min(chain.blockTimestamp, factor!.receivedAt) - draft.capturedAt;
  const distances = {
    pass: [ahead, Math.min(-marginSeconds - 1, read)],
    fail: [ahead - 1, -marginSeconds, read + 1],
  };
  return both(distances, (distance) => {
    const change = { value: null, effectiveAt: draft.capturedAt + distance };
    return withFacts(draft, { token: { ...token, announcement: { ...announcement!, change } } });
  });
};

export const tradingHalt: Boundary = (draft) => {
  const { token } = draft.facts;
  const halted = (at: number | null) => token.halts.map((halt, index) => ({ ...halt, halted: index === at }));
  return both({ pass: [null], fail: [0, token.halts.length - 1] }, (at) =>
    withFacts(draft, { token: { ...token, halts: halted(at) } }),
  );
};

export const session: Boundary = (draft) => {
  const { allowedSessions } = draft.policy.definition;
  const outside = SESSIONS.filter((state) => !allowedSessions.includes(state));
  return both({ pass: allowedSessions, fail: outside }, (state) =>
    withFacts(draft, { session: { source: "simulated", state } }),
  );
};

/** Impacts at the limits of the grades, in basis points. */
const GRADE_IMPACTS = {
  A: ["-3", "0", "50"],
  B: ["50.0001", "150"],
  C: ["150.0001", "500"],
  D: ["500.0001"],
};

export const liquidityGrade: Boundary = (draft) => {
  const { lowestGrade, minLiquiditySamples } = draft.policy.definition;
  const lowest = GRADES.indexOf(lowestGrade);
  const graded = (grade: (typeof GRADES)[number] | undefined) =>
    grade === undefined ? [] : GRADE_IMPACTS[grade].map((impact10kBps) => ({ grade, impact10kBps }));
  return both({ pass: graded(GRADES[lowest]), fail: graded(GRADES[lowest + 1]) }, (figures) =>
    withSamples(draft, Math.max(3, minLiquiditySamples), figures),
  );
};

export const liquiditySamples: Boundary = (draft) => {
  const { minLiquiditySamples } = draft.policy.definition;
  const tooFew = minLiquiditySamples === 0 ? [] : [minLiquiditySamples - 1];
  return both({ pass: [minLiquiditySamples], fail: tooFew }, (sampleN) =>
    withSamples(draft, sampleN, { grade: "B", impact10kBps: "60" }),
  );
};

function withSamples(
  draft: Draft,
  sampleN: number,
  { grade, impact10kBps }: { grade: "A" | "B" | "C" | "D"; impact10kBps: string },
): Draft {
  const isNone = sampleN === 0;
  return withFacts(draft, {
    liquidity: {
      source: "made up",
      samplesRoot: null,
      sampleN,
      grade: sampleN < 3 ? null : grade,
      impact1kBps: isNone ? null : "2",
      impact10kBps: isNone ? null : impact10kBps,
      updatedAt: isNone ? null : draft.capturedAt - 60,
    },
  });
}

function guarded(change: (passes: boolean, guard: Facts["guard"]) => Partial<Facts["guard"]>): Boundary {
  return (draft) =>
    both({ pass: [true], fail: [false] }, (passes) => {
      const { guard } = draft.facts;
      return withFacts(draft, { guard: { ...guard, ...change(passes, guard) } });
    });
}

export const route = guarded((passes) => ({ routeAllowed: passes }));

export const recipient = guarded((passes) => ({ recipientAllowed: passes }));

export const guardActive = guarded((passes) => ({ paused: !passes }));

export const guardSigner = guarded((passes, { signer, executor }) => ({
  attestor: passes ? signer : executor,
}));
