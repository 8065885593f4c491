/** One change in a sound document, as chance or a forger makes it. */
import type { Evidence } from "../../attestor/evidence/evidence.ts";
import { policyById } from "../../attestor/policies/policy.ts";
import { evaluate } from "../../attestor/report.ts";
import { canonicalHash } from "../../attestor/values/canonical.ts";
import { asRecord } from "../../attestor/values/json.ts";
import { TRUST } from "../../test/attestor/fixtures.ts";
import type { Candidate, DocumentVector } from "./candidate.ts";
import type { Draw } from "./draw.ts";

export type Path = readonly (string | number)[];
type Indexed = { [name: string | number]: unknown };

export interface Change {
  /** Whom the reader of the changed document trusts. */
  readonly trust?: DocumentVector["trust"];
  /** Where something may be changed. */
  readonly within?: (path: Path) => boolean;
}

/** One change in a sound document; every other one with the hashes made right again, as a forger would. */
export function changedDocument(
  draw: Draw,
  documents: readonly string[],
  number: number,
  { trust = TRUST, within = (path: Path) => path.length > 0 }: Change = {},
): Candidate {
  const document = JSON.parse(draw.pick(documents));
  const paths = pathsIn(document).filter(within);
  const path = draw.pick(paths);
  const what = change(document, path, draw);
  const evidence = asRecord(asRecord(document.report)?.evidence);
  const isInside = path[0] === "report" && (path[1] === "evidence" || path[1] === "proofs");
  const isRehashed = number % 2 === 1 && evidence !== null && isInside;
  if (isRehashed) rehash(document.report);
  const name = `${number}: ${what} at ${path.join(".")}${isRehashed ? ", hashed and judged again" : ""}`;
  return { name, document: JSON.stringify(document), trust };
}

function pathsIn(value: unknown, at: Path = []): Path[] {
  if (typeof value !== "object" || value === null) return [at];
  return [at, ...Object.entries(value).flatMap(([name, inner]) => pathsIn(inner, [...at, name]))];
}

/** Changes the value there. @returns what was done */
function change(document: object, path: Path, draw: Draw): string {
  // A path leads through objects and arrays alone, and both are indexed alike.
  const parent = path
    .slice(0, -1)
    .reduce<Indexed>((value, name) => value[name] as Indexed, document as Indexed);
  const name = path.at(-1)!;
  const value = parent[name];
  if (draw.once(5)) {
    if (Array.isArray(parent)) parent.splice(Number(name), 1);
    else delete parent[name];
    return "something is missing";
  }
  if (typeof value === "number") parent[name] = value + draw.pick([1, -1]);
  else if (typeof value === "boolean") parent[name] = !value;
  else if (typeof value === "string" && value !== "") parent[name] = otherText(value, draw);
  else if (value === null || typeof value === "string") parent[name] = 0;
  else if (Array.isArray(value)) value.push(value[0] ?? null);
  else (value as Indexed).more = 1;
  return "something else";
}

/** One character becomes another of its kind. */
function otherText(text: string, draw: Draw): string {
  const at = draw.int(text.startsWith("0x") ? 2 : 0, text.length - 1);
  const kind = ["0123456789", "abcdef", "ABCDEF"].find((each) => each.includes(text[at]!)) ?? "xyz_";
  const other = draw.pick([...kind].filter((character) => character !== text[at]));
  return text.slice(0, at) + other + text.slice(at + 1);
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
