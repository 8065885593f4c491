/** The form of the table: what is bent or who lies, for which reader, and what the verification must come to. */
import type { Verdict } from "../../../attestor/verify/verification.ts";
import { bendsOf } from "../../../test/attestor/fixtures.ts";
import type { Trust } from "../trust.ts";
import BENDS from "./bends.json" with { type: "json" };
import { DOCUMENTS } from "./documents.ts";
import { job } from "./job.ts";
import { TRUSTS } from "./readers.ts";
import { answerOf, EVERYTHING, type Maker } from "./service.ts";
import TRUST from "./trust.json" with { type: "json" };

export interface Row {
  readonly name: string;
  readonly document: () => Promise<unknown>;
  readonly trust: Trust;
  readonly verdict: Verdict;
  /** Those that must be among them, each as step and code; none for a document that is VALID. */
  readonly faults: string;
  /** Those of a strict reader, for whom the document is UNVERIFIABLE, where they are others. */
  readonly strict?: string | undefined;
  /** Stands among the words of the faults. */
  readonly said?: RegExp | undefined;
}

export type Bend = (value: any) => void;
/** Bends by the faults that tell of them. */
export type Bends = Readonly<Record<string, Readonly<Record<string, Bend>>>>;

/** A document of a service that bends its own facts, evidence or answer: for a reader who can check everything. */
const LEVELS: Readonly<Record<string, (bend: Bend) => () => Promise<unknown>>> = {
  /** The service judges what is not so: all that follows, hash, signature and log entry, is as it should be. */
  evidence: (evidence) => () => answerOf({ evidence, unsigned: true }),
  proofs: (proofs) => () => answerOf({ proofs, unsigned: true }),
  /** Somebody changes the answer on its way. */
  report: (bend) => async () => bent(await answerOf({ unsigned: true }), ({ report }) => bend(report)),
  execution: (bend) => async () => bent(await answerOf(), ({ execution }) => bend(execution)),
  document: (bend) => async () => bent(await answerOf(), bend),
  job: (bend) => async () => bent(await job(), bend),
};

function bent<T>(document: T, bend: Bend): T {
  bend(document);
  return document;
}

/** Rows that are INVALID to everybody. */
export function invalidRows(level: string, bends: Bends): Row[] {
  const documentOf = LEVELS[level]!;
  return Object.entries(bends).flatMap(([faults, group]) =>
    Object.entries(group).map(([name, bend]) => ({
      name: `${level}: ${name}`,
      document: documentOf(bend),
      trust: EVERYTHING,
      verdict: "INVALID" as const,
      faults,
    })),
  );
}

/** Those that bends.json has, by level and faults: a member by its path, and what it becomes. */
export const PLAIN_ROWS: readonly Row[] = Object.entries(BENDS).flatMap(([level, groups]) =>
  Object.entries(groups).flatMap(([faults, plain]) => invalidRows(level, { [faults]: bendsOf(plain) })),
);

/** Those of trust.json: a document, a reader, verdict and faults, and what a strict reader misses. */
export const TRUST_ROWS: readonly Row[] = TRUST.map(([document, reader, outcome, strict]) => {
  const [, verdict, faults] = /^(\w+) ?(.*)$/.exec(outcome!)!;
  const expected = { verdict: verdict as Verdict, faults, strict };
  return row(`${document}, for ${reader}`, DOCUMENTS[document!]!, TRUSTS[reader!]!, expected);
});

interface Expected {
  readonly verdict: Verdict;
  readonly faults?: string | undefined;
  readonly strict?: string | undefined;
  readonly said?: RegExp;
}

/** A row of an answer. @param lies what the service bends, or the answer itself */
export function row(
  name: string,
  lies: Maker,
  trust: Trust,
  { verdict, faults = "", strict, said }: Expected,
): Row {
  const document = typeof lies === "function" ? lies : () => answerOf(lies);
  return { name, document, trust, verdict, faults, strict, said };
}
