/** One change in a sound document, as chance or a forger makes it. */
import fc from "fast-check";
import type { Evidence } from "../../attestor/evidence/evidence.ts";
import { policyById } from "../../attestor/policies/policy.ts";
import { evaluate } from "../../attestor/report.ts";
import { canonicalHash } from "../../attestor/values/canonical.ts";
import { asRecord } from "../../attestor/values/json.ts";
import { TRUST } from "../../test/attestor/fixtures.ts";
import { type Candidate, candidateOf } from "./candidate.ts";
import type { Trust } from "./trust.ts";

export type Path = readonly (string | number)[];
type Indexed = { [name: string | number]: unknown };

interface Changes {
  readonly seed: number;
  readonly count: number;
  /** Whom the reader of the changed documents trusts. */
  readonly trust?: Trust;
  /** Where something may be changed. */
  readonly within?: (path: Path) => boolean;
}

/** Documents with one change each; every other one with the hashes made right again, as a forger would. */
export function changedDocuments(
  documents: readonly string[],
  { seed, count, trust = TRUST, within = (path) => path.length > 0 }: Changes,
): Candidate[] {
  const changes = fc.constantFrom(...documents).chain((text) =>
    fc.record({
      text: fc.constant(text),
      path: fc.constantFrom(...pathsIn(JSON.parse(text)).filter(within)),
      isRemoval: fc.integer({ min: 1, max: 5 }).map((number) => number === 5),
      step: fc.constantFrom(1, -1),
      at: fc.noBias(fc.nat()),
      other: fc.noBias(fc.nat()),
    }),
  );
  return fc.sample(changes, { seed, numRuns: count }).map(({ text, ...change }, number) => {
    const document = JSON.parse(text);
    const { path } = change;
    const what = make(change, document);
    const evidence = asRecord(asRecord(document.report)?.evidence);
    const isInside = path[0] === "report" && (path[1] === "evidence" || path[1] === "proofs");
    const isRehashed = number % 2 === 1 && evidence !== null && isInside;
    if (isRehashed) rehash(document.report);
    const name = `${number}: ${what} at ${path.join(".")}${isRehashed ? ", hashed and judged again" : ""}`;
    return candidateOf(name, document, trust);
  });
}

function pathsIn(value: unknown, at: Path = []): Path[] {
  if (typeof value !== "object" || value === null) return [at];
  return [at, ...Object.entries(value).flatMap(([name, inner]) => pathsIn(inner, [...at, name]))];
}

interface Change {
  readonly path: Path;
  readonly isRemoval: boolean;
  /** Of a number. */
  readonly step: number;
  /** Which character of a text, counted again from its first beyond its end; and which other one it becomes. */
  readonly at: number;
  readonly other: number;
}

/** Changes the value there. @returns what was done */
function make({ path, isRemoval, step, at, other }: Change, document: object): string {
  // A path leads through objects and arrays alone, and both are indexed alike.
  const parent = path
    .slice(0, -1)
    .reduce<Indexed>((value, name) => value[name] as Indexed, document as Indexed);
  const name = path.at(-1)!;
  const value = parent[name];
  if (isRemoval) {
    if (Array.isArray(parent)) parent.splice(Number(name), 1);
    else delete parent[name];
    return "something is missing";
  }
  if (typeof value === "number") parent[name] = value + step;
  else if (typeof value === "boolean") parent[name] = !value;
  else if (typeof value === "string" && value !== "") parent[name] = otherText(value, at, other);
  else if (value === null || typeof value === "string") parent[name] = 0;
  else if (Array.isArray(value)) value.push(value[0] ?? null);
  else (value as Indexed).more = 1;
  return "something else";
}

/** One character becomes another of its kind. */
function otherText(text: string, at: number, other: number): string {
  const first = text.startsWith("0x") && text.length > 2 ? 2 : 0;
  const place = first + (at % (text.length - first));
  const kind = ["0123456789", "abcdef", "ABCDEF"].find((each) => each.includes(text[place]!)) ?? "xyz_";
  const others = [...kind].filter((character) => character !== text[place]);
  return text.slice(0, place) + others[other % others.length] + text.slice(place + 1);
}

type Changeable = Evidence & { proofs: { hash: string } };

/** Judges the changed evidence again, where it still can be, so that hash, findings and decision follow from it. */
function rehash(report: { evidence: Changeable; evidenceHash?: string; proofs?: unknown }): void {
  const { evidence } = report;
  if (report.proofs !== undefined && asRecord(evidence.proofs) !== null)
    evidence.proofs.hash = canonicalHash(report.proofs);
  try {
    const policy = policyById(evidence.policy.policyId, evidence.policy.version);
    Object.assign(report, evaluate(policy, evidence));
  } catch {
    report.evidenceHash = canonicalHash(evidence);
  }
}
