/**
 * The form of the table of documents: a document, a reader, and what a verification comes to. The files beside this one
 * have a table for each of its steps, which the tests of the verifier and the published vectors share.
 */
import type { Verdict } from "../../../attestor/verify/verification.ts";
import type { Candidate, Trust } from "../documentVector.ts";
import { READERS, type ReaderName } from "./readers.ts";
import { answerOf, type Bend, type Changes, jobOf } from "./service.ts";

export interface Row {
  readonly name: string;
  /** A text is the document itself; everything else becomes JSON. */
  readonly document: () => Promise<unknown>;
  readonly trust: Trust;
  readonly expected: Expected;
}

/**
 * The verdict, and step and code of faults that must be among those found: `UNVERIFIABLE issuer unsigned, log log_absent`.
 * Behind `, strictly ` the same of a strict reader where it differs.
 */
export type Expected = string;

/** What differs in the service's answer, or another document altogether. */
export type Made = Changes | (() => Promise<unknown>);

const documentOf = (made: Made) => (typeof made === "function" ? made : () => answerOf(made));

/** By the document's name: how it is made, and what each reader comes to, or only the one who has everything. */
export type ByReader = Readonly<
  Record<string, readonly [made: Made, expected: Expected | Partial<Record<ReaderName, Expected>>]>
>;

export function rowsByReader(documents: ByReader): Row[] {
  return Object.entries(documents).flatMap(([name, [made, expected]]) => {
    if (typeof expected === "string") return [rowOf(name, made, "everything", expected)];
    return Object.entries(expected).map(([reader, each]) =>
      rowOf(`${name}, for ${reader}`, made, reader as ReaderName, each),
    );
  });
}

/** A report for a reader who has a log and nothing else: what is not INVALID is VALID, but not strictly. */
export function smallRow(name: string, changes: Changes, expected: Expected): Row {
  return rowOf(name, { knows: "little", ...changes }, "a log, and no registry", expected);
}
export const SMALL_AND_SOUND = "VALID, strictly UNVERIFIABLE";

function rowOf(name: string, made: Made, reader: ReaderName, expected: Expected): Row {
  return { name, document: documentOf(made), trust: READERS[reader], expected };
}

/** Who bends what. The service bends its own facts or answer, somebody on the way what is signed already. */
const BENT = {
  /** The service judges what is not so: all that follows, hash, signature and log entry, is as it should be. */
  evidence: (evidence: Bend): Made => ({ evidence, unsigned: true }),
  proofs: (proofs: Bend): Made => ({ proofs, unsigned: true }),
  report: (bend: Bend): Made =>
    changed(
      () => answerOf({ unsigned: true }),
      ({ report }) => bend(report),
    ),
  execution: (bend: Bend): Made => changed(answerOf, ({ execution }) => bend(execution)),
  document: (bend: Bend): Made => changed(answerOf, bend),
  job: (bend: Bend): Made => changed(jobOf, bend),
};

/** The document with something done to it afterwards. */
export function changed(make: () => Promise<any>, bend: Bend): () => Promise<unknown> {
  return async () => {
    const document = await make();
    bend(document);
    return document;
  };
}

/** Bends by the faults that tell of them. */
export type Bends = Readonly<Record<string, Readonly<Record<string, Bend>>>>;

/** Rows that are INVALID to everybody, so also to a reader with everything. */
export function rowsOfBends(what: keyof typeof BENT, bends: Bends): Row[] {
  return Object.entries(bends).flatMap(([faults, group]) =>
    Object.entries(group).map(([name, bend]) => ({
      name: `${what}: ${name}`,
      document: documentOf(BENT[what](bend)),
      trust: READERS.everything,
      expected: `INVALID ${faults}`,
    })),
  );
}

/** As text, which is what a verifier gets. */
export async function candidateOf({ name, document, trust }: Row): Promise<Candidate> {
  const made = await document();
  return { name, document: typeof made === "string" ? made : JSON.stringify(made), trust };
}

/** What is expected of a reader, or of the same who is strict. */
export function expectedOf(
  { expected }: Row,
  { strict = false } = {},
): { readonly verdict: Verdict; readonly faults: readonly string[] } {
  const [usual, strictly = usual] = expected.split(", strictly ");
  const [, verdict, faults] = /^(\w+) ?(.*)$/.exec(strict ? strictly! : usual!)!;
  return { verdict: verdict as Verdict, faults: faults === "" ? [] : faults!.split(", ") };
}
