/** A vector of a document, and how it follows from the document and its reader. */
import type { Outcome, Verdict } from "../../attestor/verify/verification.ts";
import { verifyDocument } from "../../attestor/verify/verify.ts";
import { TRUST } from "../../test/attestor/fixtures.ts";
import { readerOf, type Trust } from "./trust.ts";

export interface DocumentVector {
  readonly name: string;
  /** As it is read: text, since some of it is not JSON. */
  readonly document: string;
  readonly trust: Trust;
  readonly verdict: Verdict;
  /** The verdict of the same reader who is strict. */
  readonly strictVerdict: Verdict;
  /** All eleven, by their outcome, where the reader is not strict. */
  readonly steps: Readonly<Record<Outcome, readonly string[]>>;
}

export type Candidate = Pick<DocumentVector, "name" | "document" | "trust">;

export const candidateOf = (name: string, document: unknown, trust: Trust = TRUST): Candidate => ({
  name,
  document: JSON.stringify(document),
  trust,
});

export function vectorOf({ name, document, trust }: Candidate): DocumentVector {
  const reader = readerOf(trust);
  const { verdict, steps } = verifyDocument(document, reader);
  const named = (outcome: Outcome) =>
    steps.filter((step) => step.outcome === outcome).map((step) => step.name);
  return {
    name,
    document,
    trust,
    verdict,
    strictVerdict: verifyDocument(document, { ...reader, strict: true }).verdict,
    steps: {
      wrong: named("wrong"),
      unknown: named("unknown"),
      ok: named("ok"),
      "not asked": named("not asked"),
    },
  };
}
