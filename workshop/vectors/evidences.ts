/** The vectors of evidence: what was judged, by which policy, and what comes of it. */
import fc from "fast-check";
import type { Judgement } from "../../attestor/attest.ts";
import type { Policy } from "../../attestor/policies/policy.ts";
import type { Report } from "../../attestor/report.ts";
import { AttestorError } from "../../attestor/values/attestorErrors.ts";
import { reportOn } from "../../test/attestor/fixtures.ts";
import { BOUNDARIES, checkOf } from "./boundaries/boundaries.ts";
import { type Draft, drafts } from "./judgements.ts";

export type EvidenceVector = ReturnType<typeof vectorOf>;

/** How many are drawn freely, and how many turn on each side of each check's boundary. */
const FREE = 160;
const EACH_SIDE = 12;
/** Judgements to be brought to boundaries. */
const DRAWN = 400;

export function evidenceVectors(policies: readonly Policy[], seed: number): EvidenceVector[] {
  // Clones: what fast-check draws has no prototype, and no canonical form.
  const drawn = structuredClone(fc.sample(drafts(policies), { seed, numRuns: DRAWN }));
  const free = drawn.flatMap((draft) => judged(draft) ?? []).slice(0, FREE);
  const turning = Object.keys(BOUNDARIES).flatMap((name) =>
    (["pass", "fail"] as const).flatMap((side) => boundaryVectors(drawn, name, side)),
  );
  return [...free.map((report, number) => vectorOf(`drawn ${number}`, report)), ...turning];
}

/** Of each judgement that can be brought there the next way of being there. */
function boundaryVectors(drawn: readonly Draft[], name: string, side: "pass" | "fail"): EvidenceVector[] {
  const vectors: EvidenceVector[] = [];
  for (const draft of drawn) {
    const ways = BOUNDARIES[name]!(draft)[side];
    const way = ways[vectors.length % ways.length];
    const report = way === undefined ? null : judged(way);
    // Another fact that is missing or bad may decide the check before the one on the boundary.
    const finding = report?.findings.find(({ check }) => check === checkOf(name));
    if (report === null || finding?.outcome !== side) continue;
    vectors.push(vectorOf(`${name} ${side} ${vectors.length}`, report));
    if (vectors.length === EACH_SIDE) return vectors;
  }
  throw new Error(`too few judgements can be brought to ${side} ${name}`);
}

/** Null for a judgement that no service could make: its parts do not fit each other. */
function judged(judgement: Judgement): Report | null {
  try {
    return reportOn(judgement);
  } catch (error) {
    if (error instanceof AttestorError) return null;
    throw error;
  }
}

function vectorOf(name: string, { evidence, evidenceHash, findings, decision }: Report) {
  return { name, evidence, evidenceHash, findings, decision };
}
