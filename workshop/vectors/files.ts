/** The files of the vectors: the full set, the small part of it that docs/vectors keeps, and the full set's hash. */
import { createHash } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { KNOWN_KEYS, LOCAL_SIGNER_SET } from "../../attestor/publishers/publisherKeys.ts";
import { ROWS } from "./documents/documents.ts";
import { provedDocuments } from "./documents/proved.ts";
import { candidateOf } from "./documents/rows.ts";
import { vectorOf } from "./documentVector.ts";
import { type EvidenceVector, evidenceVectors } from "./evidence/evidences.ts";
import { vectorPolicies } from "./evidence/policies.ts";

/** Any number would do; another one makes other vectors. */
const SEED = 20_261_122;

/** Vectors by the file that they are in, in the order of the files' names. */
export type VectorFiles = Awaited<ReturnType<typeof fullSet>>;

export async function fullSet() {
  const policies = vectorPolicies(SEED);
  const documents = await Promise.all(ROWS.map(candidateOf));
  const proved = await provedDocuments(SEED);
  return {
    "documents.json": documents.map(vectorOf),
    "evidence.json": evidenceVectors(policies, SEED),
    "publisher-keys.json": [...KNOWN_KEYS.pyth, LOCAL_SIGNER_SET, ...KNOWN_KEYS.chainlink],
    "policies.json": policies.map(({ definition, definitionHash }) => ({ definitionHash, definition })),
    "proved.json": proved.map(vectorOf),
  };
}

/** Trades that the tests of pages and packages name. */
const PROVED = [
  "a prepared buy of TSLAx for 250 dollars",
  "a denied sell of 40000 thousandths of TSLAx",
  "a job whose trade was executed",
];
/** One of each kind of forgery. */
const FORGED = [
  "a lax policy under a known name, for the service's policies",
  "a lax policy by its own name, for the service's policies",
  "a trade kept out of the log, for a record with a log",
  "Saturday by another calendar, for chain 56",
  "evidence: a halt of 1970",
  "evidence: a source that calls itself the exchange",
  "evidence: a job id that reads as a verdict",
  "report: a second signature by the log that does not hold",
  "a grade that names no samples, for no samples",
  "a signUrl in the report",
];
const SHORT_CHARACTERS = 8_000;

/** All policies and publishers' keys, and a few of the others. */
export function smallPart(full: VectorFiles): VectorFiles {
  const documents = full["documents.json"];
  const short = documents
    .filter(({ document }) => document.length < SHORT_CHARACTERS)
    .toSorted((one, other) => one.document.length - other.document.length);
  const kept = [
    ...documents.filter(({ name }) => FORGED.includes(name)),
    ...covering(short, ({ name, verdict }) => [`${/^[a-z]+:/.exec(name)} ${verdict}`]),
  ];
  return {
    ...full,
    "documents.json": documents.filter((vector) => kept.includes(vector)),
    "evidence.json": covering(full["evidence.json"], failedAndDecided),
    "proved.json": full["proved.json"].filter(({ name }) => PROVED.includes(name)),
  };
}

const failedAndDecided = ({ decision, findings }: EvidenceVector): string[] => {
  const failed = findings.filter(({ outcome }) => outcome === "fail");
  return [decision, ...failed.map(({ check }) => check)];
};

/** Few that together show all that any of them shows: always the next that shows the most that none before it does. */
function covering<T>(vectors: readonly T[], shownBy: (vector: T) => readonly string[]): T[] {
  const missing = new Set(vectors.flatMap(shownBy));
  const kept: T[] = [];
  const gain = (vector: T) => shownBy(vector).filter((each) => missing.has(each)).length;
  while (missing.size > 0) {
    const next = vectors.reduce((best, vector) => (gain(vector) > gain(best) ? vector : best));
    for (const each of shownBy(next)) missing.delete(each);
    kept.push(next);
  }
  return kept;
}

/** A JSON array with a line for each vector, so that a diff shows which changed. */
export function textOf(vectors: readonly object[]): string {
  return `[\n${vectors.map((vector) => JSON.stringify(vector)).join(",\n")}\n]\n`;
}

/** What `cat *.json | sha256sum` tells in the folder of the full set. */
export function hashOf(files: VectorFiles): string {
  const byName = Object.entries(files).sort(([a], [b]) => (a < b ? -1 : 1));
  const texts = byName.map(([, vectors]) => textOf(vectors));
  return createHash("sha256").update(texts.join("")).digest("hex");
}

export function writeFiles(files: VectorFiles, folder: string): void {
  mkdirSync(folder, { recursive: true });
  for (const [file, vectors] of Object.entries(files)) writeFileSync(join(folder, file), textOf(vectors));
}
