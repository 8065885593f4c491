/** The boundaries of the checks of when is traded, of liquidity and of the guard. */
import type { Facts } from "../../../attestor/evidence/facts.ts";
import { gradeOf } from "../../../attestor/evidence/liquidity.ts";
import { GRADES, SESSIONS } from "../../../attestor/policies/policy.ts";
import type { Draft } from "../judgements.ts";
import { type Bend, setFacts } from "./bend.ts";

export const corporateAction: Bend = (draft, aim, draw) => {
  const { definition } = draft.policy;
  const { chain, token } = draft.facts;
  const { announcement, factor } = token;
  if (announcement === null) return false;
  const { marginSeconds } = definition.corporateAction;
  const ahead = definition.certificateLifetimeSeconds + marginSeconds + 1;
  // What was read before the change, however little, holds no more.
  const read = Math.min(chain.blockTimestamp, factor?.receivedAt ?? chain.blockTimestamp) - draft.capturedAt;
  const distance =
    aim === "pass"
      ? draw.pick([ahead, Math.min(-marginSeconds - 1, read)])
      : draw.pick([ahead - 1, -marginSeconds, read + 1]);
  const change = { value: null, effectiveAt: draft.capturedAt + distance };
  return setFacts(draft, { token: { ...token, announcement: { ...announcement, change } } });
};

export const tradingHalt: Bend = (draft, aim, draw) => {
  const [first, ...rest] = draft.facts.token.halts;
  if (first === undefined) return false;
  const halts = [first, ...rest].map((each) => ({ ...each, halted: false }));
  if (aim === "fail") {
    const at = draw.int(0, halts.length - 1);
    halts[at] = { ...halts[at]!, halted: true };
  }
  return setFacts(draft, { token: { ...draft.facts.token, halts } });
};

export const session: Bend = (draft, aim, draw) => {
  const { allowedSessions } = draft.policy.definition;
  const outside = SESSIONS.filter((state) => !allowedSessions.includes(state));
  if (aim === "fail" && outside.length === 0) return false;
  const state = draw.pick(aim === "pass" ? allowedSessions : outside);
  return setFacts(draft, { session: { source: "simulated", state } });
};

/** Impacts at the limits of the grades, in basis points. */
const GRADE_IMPACTS = {
  A: ["-3", "0", "50"],
  B: ["50.0001", "150"],
  C: ["150.0001", "500"],
  D: ["500.0001"],
};

export const liquidityGrade: Bend = (draft, aim, draw) => {
  const lowest = GRADES.indexOf(draft.policy.definition.lowestGrade);
  const grades = GRADES.filter((_, index) => (aim === "pass" ? index === lowest : index === lowest + 1));
  const grade = grades[0];
  if (grade === undefined) return false;
  const impact10kBps = draw.pick(GRADE_IMPACTS[grade]);
  if (gradeOf(impact10kBps) !== grade) throw new Error(`an impact of ${impact10kBps} bps has another grade`);
  return samples(draft, Math.max(3, draft.policy.definition.minLiquiditySamples), { grade, impact10kBps });
};

export const liquiditySamples: Bend = (draft, aim) => {
  const { minLiquiditySamples } = draft.policy.definition;
  const sampleN = aim === "pass" ? minLiquiditySamples : minLiquiditySamples - 1;
  return sampleN >= 0 && samples(draft, sampleN, { grade: "B", impact10kBps: "60" });
};

function samples(
  draft: Draft,
  sampleN: number,
  figures: { grade: "A" | "B" | "C" | "D"; impact10kBps: string },
): boolean {
  const { liquidity } = draft.facts;
  if (liquidity === null) return false;
  const none = sampleN === 0;
  return setFacts(draft, {
    liquidity: {
      ...liquidity,
      sampleN,
      grade: sampleN < 3 ? null : figures.grade,
      impact1kBps: none ? null : "2",
      impact10kBps: none ? null : figures.impact10kBps,
      updatedAt: none ? null : draft.capturedAt - 60,
    },
  });
}

function guarded(change: (draft: Draft, passes: boolean) => Partial<Facts["guard"]>): Bend {
  return (draft, aim) =>
    setFacts(draft, { guard: { ...draft.facts.guard, ...change(draft, aim === "pass") } });
}

export const route: Bend = (draft, aim, draw) =>
  draft.facts.quote !== null && guarded((_, routeAllowed) => ({ routeAllowed }))(draft, aim, draw);

export const recipient = guarded((_, recipientAllowed) => ({ recipientAllowed }));

export const guardActive = guarded((_, active) => ({ paused: !active }));

export const guardSigner = guarded(({ facts: { guard } }, same) => ({
  attestor: same ? guard.signer : guard.executor,
}));
