/** A vector of a document, and how it comes of the document and its reader. */
import { parseVkey } from "../../attestor/log/note.ts";
import { parseRegistry } from "../../attestor/registry.ts";
import type { Reader } from "../../attestor/verify/trust.ts";
import type { Outcome, Verdict } from "../../attestor/verify/verification.ts";
import { verifyDocument } from "../../attestor/verify/verify.ts";
import { TRUST } from "../../test/attestor/fixtures.ts";

export interface DocumentVector {
  readonly name: string;
  /** As it is read: text, since some of it is no JSON. */
  readonly document: string;
  readonly trust: Pick<Reader, "guard" | "signer"> & {
    /** Keys of decision logs, as text. */
    readonly logKeys?: readonly string[];
    readonly registry?: object;
  };
  readonly verdict: Verdict;
  /** All eleven, by their outcome. */
  readonly steps: Readonly<Record<Outcome, readonly string[]>>;
}

export type Candidate = Pick<DocumentVector, "name" | "document" | "trust">;

export const candidateOf = (
  name: string,
  document: object,
  trust: DocumentVector["trust"] = TRUST,
): Candidate => ({ name, document: JSON.stringify(document), trust });

/** A reader's trust as the attestor takes it. */
export function trustOf({ logKeys, registry, ...trust }: DocumentVector["trust"]): Reader {
  return {
    ...trust,
    ...(logKeys === undefined ? {} : { logKeys: logKeys.map(parseVkey) }),
    ...(registry === undefined ? {} : { registry: parseRegistry(registry) }),
  };
}

export function vectorOf({ name, document, trust }: Candidate): DocumentVector {
  const { verdict, steps } = verifyDocument(document, trustOf(trust));
  const named = (outcome: Outcome) =>
    steps.filter((step) => step.outcome === outcome).map((step) => step.name);
  return {
    name,
    document,
    trust,
    verdict,
    steps: {
      wrong: named("wrong"),
      unknown: named("unknown"),
      ok: named("ok"),
      "not asked": named("not asked"),
    },
  };
}
