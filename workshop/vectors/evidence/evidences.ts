/** The vectors of evidence: what was judged, by which policy, and what comes of it. */
import fc from "fast-check";
import type { Judgement } from "../../../attestor/attest.ts";
import type { Facts } from "../../../attestor/evidence/facts.ts";
import type { Policy } from "../../../attestor/policies/policy.ts";
import type { Report } from "../../../attestor/report.ts";
import { AttestorError } from "../../../attestor/values/attestorErrors.ts";
import { reportOn, UNKNOWN_TOKEN } from "../../../test/attestor/fixtures.ts";
import { BOUNDARIES, checkOf } from "./boundaries.ts";
import { type Draft, drafts } from "./judgements.ts";

export type EvidenceVector = ReturnType<typeof vectorOf>;

/** How many are as drawn, how many turn on each side of each check's boundary, and how many have several changes. */
const DRAWN = 60;
const EACH_SIDE = 12;
const CHANGED = 120;
/** Judgements to be brought to boundaries. */
const JUDGEMENTS = 400;

export function evidenceVectors(policies: readonly Policy[], seed: number): EvidenceVector[] {
  const drawn = fc.sample(drafts(policies), { seed, numRuns: JUDGEMENTS });
  const free = drawn.slice(0, DRAWN).map((draft, number) => vectorOf(`drawn ${number}`, reportOn(draft)));
  const turning = Object.keys(BOUNDARIES).flatMap((name) =>
    (["pass", "fail"] as const).flatMap((side) => boundaryVectors(drawn, name, side)),
  );
  const changed = fc
    .sample(severalChanges(drawn), { seed, numRuns: CHANGED })
    .flatMap((judgement) => judged(judgement) ?? [])
    .map((report, number) => vectorOf(`several changes ${number}`, report));
  return [...free, ...turning, ...changed];
}

/** Of each judgement that can be brought there the next way of being there. */
function boundaryVectors(drawn: readonly Draft[], name: string, side: "pass" | "fail"): EvidenceVector[] {
  const vectors: EvidenceVector[] = [];
  for (const draft of drawn) {
    const ways = BOUNDARIES[name]!(draft)[side];
    const way = ways[vectors.length % ways.length];
    const report = way === undefined ? null : judged(way);
    // Another fact that is bad may decide the check before the one on the boundary.
    const finding = report?.findings.find(({ check }) => check === checkOf(name));
    if (report === null || finding?.outcome !== side) continue;
    vectors.push(vectorOf(`${name} ${side} ${vectors.length}`, report));
    if (vectors.length === EACH_SIDE) return vectors;
  }
  throw new Error(`too few judgements can be brought to ${side} ${name}`);
}

/** Facts that nobody stated. */
const UNKNOWN: readonly ((facts: Facts) => Partial<Facts>)[] = [
  () => ({ quote: null }),
  () => ({ references: [] }),
  () => ({ settlement: [] }),
  () => ({ session: null }),
  () => ({ liquidity: null }),
  () => ({ token: UNKNOWN_TOKEN }),
  ({ token }) => ({ token: { ...token, factor: null } }),
  ({ token }) => ({ token: { ...token, announcement: null } }),
  ({ liquidity }) => ({ liquidity: liquidity && { ...liquidity, sampleN: 2, grade: null } }),
];

/** Judgements that are brought to one boundary after the other, and then lack up to two facts. */
function severalChanges(drawn: readonly Draft[]): fc.Arbitrary<Judgement> {
  const boundary = fc.record({
    name: fc.constantFrom(...Object.keys(BOUNDARIES)),
    side: fc.constantFrom("pass" as const, "fail" as const),
  });
  return fc
    .record({
      draft: fc.constantFrom(...drawn),
      boundaries: fc.array(boundary, { minLength: 2, maxLength: 8 }),
      unknown: fc.subarray([...UNKNOWN], { maxLength: 2 }),
    })
    .map(({ draft, boundaries, unknown }) => {
      let changed = draft;
      for (const { name, side } of boundaries) changed = BOUNDARIES[name]!(changed)[side][0] ?? changed;
      for (const without of unknown) {
        const facts = { ...changed.facts, ...without(changed.facts) };
        changed = { ...changed, facts };
      }
      return changed;
    });
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
