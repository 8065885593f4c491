/** The vectors of evidence: what was judged, by which policy, and what comes of it. */
import type { Judgement } from "../../attestor/attest.ts";
import type { Policy } from "../../attestor/policies/policy.ts";
import type { Report } from "../../attestor/report.ts";
import { AttestorError } from "../../attestor/values/attestorErrors.ts";
import { reportOn } from "../../test/attestor/fixtures.ts";
import { BENDS, bendTo, checkOf } from "./boundaries/boundaries.ts";
import { drawFrom } from "./draw.ts";
import { draftFor } from "./judgements.ts";

export type EvidenceVector = ReturnType<typeof vectorOf>;

/** How many turn on each side of each check's boundary, and how many are drawn freely. */
const EACH_SIDE = 12;
const FREE = 160;

export function evidenceVectors(policies: readonly Policy[], seed: number): EvidenceVector[] {
  const free = freeVectors(policies, seed);
  const turning = Object.keys(BENDS).flatMap((check) =>
    (["pass", "fail"] as const).flatMap((aim) => boundaryVectors(policies, check, aim, seed)),
  );
  return [...free, ...turning];
}

function freeVectors(policies: readonly Policy[], seed: number): EvidenceVector[] {
  const vectors: EvidenceVector[] = [];
  for (let number = 0; vectors.length < FREE; number++) {
    const draw = drawFrom(seed, "free", number);
    const report = judged(draftFor(draw, draw.pick(policies), number));
    if (report !== null) vectors.push(vectorOf(`drawn ${vectors.length}`, report));
  }
  return vectors;
}

const ATTEMPTS = 4_000;

function boundaryVectors(
  policies: readonly Policy[],
  bend: string,
  aim: "pass" | "fail",
  seed: number,
): EvidenceVector[] {
  const check = checkOf(bend);
  const vectors: EvidenceVector[] = [];
  for (let number = 0; vectors.length < EACH_SIDE; number++) {
    if (number === ATTEMPTS) throw new Error(`${bend} cannot be brought to ${aim}`);
    const draw = drawFrom(seed, bend, aim, number);
    const draft = draftFor(draw, draw.pick(policies), number);
    if (!bendTo(bend, draft, aim, draw)) continue;
    const report = judged(draft);
    const finding = report?.findings.find((each) => each.check === check);
    if (report === null || finding === undefined || finding.outcome !== aim) continue;
    vectors.push(vectorOf(`${bend} ${aim} ${vectors.length}`, report));
  }
  return vectors;
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
