/**
 * The vectors of documents: what somebody may hand to a verifier, sound and changed in one place each, with whom the reader
 * trusts and what a verifier says.
 */

import { attest } from "../../attestor/attest.ts";
import { canonicalHash } from "../../attestor/canonical.ts";
import type { Evidence } from "../../attestor/evidence.ts";
import type { Trust } from "../../attestor/issuer.ts";
import { policyById } from "../../attestor/policy.ts";
import { evaluate } from "../../attestor/report.ts";
import { asRecord, type Outcome, type Verdict } from "../../attestor/steps.ts";
import { verifyDocument } from "../../attestor/verify.ts";
import { addressFor, judgement, prepared, SIDES, TRUST } from "../../test/attestor/fixtures.ts";
import { type Draw, drawFrom } from "./draw.ts";

export interface DocumentVector {
  readonly name: string;
  /** As it is read: text, since some of it is no JSON. */
  readonly document: string;
  /** Whom the reader trusts. */
  readonly trust: Pick<Trust, "guard" | "signer">;
  readonly verdict: Verdict;
  /** The steps that are not `ok`, and those that are, by name; the issuer's is always there once a report was judged. */
  readonly steps: Readonly<Record<Outcome, readonly string[]>>;
}

export interface Candidate {
  readonly name: string;
  readonly document: string;
  readonly trust: DocumentVector["trust"];
}

const CHANGED = 90;

/** @param seed of all draws */
export async function documentVectors(seed: number): Promise<DocumentVector[]> {
  const sound = await soundDocuments();
  const changed = Array.from({ length: CHANGED }, (_, number) =>
    changedDocument(
      drawFrom(seed, "document", number),
      sound.map(({ document }) => document),
      number,
    ),
  );
  return [...trusted(sound), ...broken(sound[0]!.document), ...changed].map(vectorOf);
}

async function soundDocuments(): Promise<{ name: string; document: string }[]> {
  const policies = ["STRICT_LIVE", "EXTENDED_HOURS", "LAST_CLOSE"].map((id) => policyById(id));
  const old = ["STRICT_LIVE", "LAST_CLOSE"].map((id) => policyById(id, 1));
  const made: { name: string; document: string }[] = [];
  for (const policy of [...policies, ...old])
    for (const side of SIDES) {
      const report = attest(judgement({ policy, side }));
      const trade = await prepared(report, policy);
      const { policyId, version } = policy.definition;
      made.push({ name: `a prepared ${side} by ${policyId} ${version}`, document: JSON.stringify(trade) });
    }
  return made;
}

/** The first two, before readers who trust this and that. */
function trusted(sound: readonly { name: string; document: string }[]): Candidate[] {
  const [first, second] = sound as [{ name: string; document: string }, { name: string; document: string }];
  const stranger = addressFor("a key that nobody knows");
  const trusts: [string, Trust][] = [
    ["nobody", {}],
    ["the signer", { signer: TRUST.signer }],
    ["the guard alone", { guard: TRUST.guard }],
    ["another signer", { signer: stranger }],
    ["another guard", { ...TRUST, guard: { ...TRUST.guard, address: stranger } }],
    ["the guard on another chain", { ...TRUST, guard: { ...TRUST.guard, chainId: 56 } }],
  ];
  const bare = JSON.stringify(JSON.parse(first.document).report);
  return [
    ...sound.map((each) => ({ ...each, trust: TRUST })),
    ...trusts.map(([whom, trust]) => ({
      name: `${second.name}, to one who trusts ${whom}`,
      document: second.document,
      trust,
    })),
    { name: "a report that nobody signed", document: bare, trust: TRUST },
  ];
}

/** What is no document, or reads in two ways. */
function broken(document: string): Candidate[] {
  const texts: [string, string][] = [
    ["nothing", ""],
    ["no JSON", `${document.slice(0, -1)},`],
    ["JSON that is no report", '{"report":[]}'],
    ["a member that is named twice", document.replace('{"jobId"', '{"jobId":"job_other","jobId"')],
    ["a name in two spellings", document.replace('{"jobId"', '{"\\u006aobId":"job_other","jobId"')],
    ["brackets without end", `${"[".repeat(70)}${"]".repeat(70)}`],
    ["a number with an exponent", document.replace('"reportVersion":2', '"reportVersion":2e0')],
    ["a number with a point", document.replace('"reportVersion":2', '"reportVersion":2.0')],
    ["minus zero", document.replace('"reportVersion":2', '"reportVersion":-0')],
    ["a number beyond 2^53", document.replace('"reportVersion":2', '"reportVersion":9007199254740993')],
    ["an unpaired surrogate", document.replace('"USDT / USD"', '"\\ud800"')],
    ["white space", JSON.stringify(JSON.parse(document), null, 2)],
  ];
  return texts.map(([name, text]) => ({ name, document: text, trust: TRUST }));
}

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

export function vectorOf({ name, document, trust }: Candidate): DocumentVector {
  const { verdict, steps } = verifyDocument(document, trust);
  const named = (outcome: Outcome) =>
    steps.filter((step) => step.outcome === outcome).map((step) => step.name);
  return {
    name,
    document,
    trust,
    verdict,
    steps: { wrong: named("wrong"), unknown: named("unknown"), absent: named("absent"), ok: named("ok") },
  };
}
