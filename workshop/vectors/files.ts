/** The files of the vectors: the full set, the small part of it that docs/vectors keeps, and the full set's hash. */
import { createHash } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { KNOWN_KEYS, LOCAL_SIGNER_SET } from "../../attestor/publishers/publisherKeys.ts";
import { documentVectors, forgeryVectors } from "./documents.ts";
import { type EvidenceVector, evidenceVectors } from "./evidences.ts";
import { vectorPolicies } from "./policies.ts";
import { provedVectors } from "./proved.ts";

/** Any number would do; another one makes other vectors. */
const SEED = 20_261_122;

/** Vectors by the file that they are in, in the order of the files' names. */
export type VectorFiles = Awaited<ReturnType<typeof fullSet>>;

export async function fullSet() {
  const policies = vectorPolicies(SEED);
  return {
    "documents.json": await documentVectors(SEED),
    "evidence.json": evidenceVectors(policies, SEED),
    "forgeries.json": await forgeryVectors(),
    "publisher-keys.json": [...KNOWN_KEYS.pyth, LOCAL_SIGNER_SET, ...KNOWN_KEYS.chainlink],
    "policies.json": policies.map(({ definition, definitionHash }) => ({ definitionHash, definition })),
    "proved.json": await provedVectors(SEED),
  };
}

/** Trades that the tests of pages and packages name. */
const NAMED = [
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
  "a signUrl in the report, for everything",
];
const SHORT_CHARACTERS = 18_000;

/** All policies and publishers' keys; evidence by which each check fails; the shortest document of each group and verdict. */
export function smallPart(full: VectorFiles): VectorFiles {
  const failed = ({ findings }: EvidenceVector) =>
    findings.filter(({ outcome }) => outcome === "fail").map(({ check }) => check);
  const shortest = full["documents.json"].toSorted(
    (one, other) => one.document.length - other.document.length,
  );
  const short = shortest.filter(({ document }) => document.length < SHORT_CHARACTERS);
  return {
    ...full,
    "documents.json": firsts(short, ({ name, verdict }) => `${groupOf(name)} ${verdict}`),
    "evidence.json": covering(full["evidence.json"], (vector) => [vector.decision, ...failed(vector)]),
    "forgeries.json": full["forgeries.json"].filter(({ name }) => FORGED.includes(name)),
    "proved.json": full["proved.json"].filter(({ name }) => NAMED.includes(name)),
  };
}

/** `pools`, `prices` and so on; all documents without such a word are one group. */
const groupOf = (name: string) => /^([a-z]+):/.exec(name)?.[1] ?? "";

/** The first of each. */
function firsts<T>(vectors: readonly T[], ofWhat: (vector: T) => string): T[] {
  return [...new Map(vectors.toReversed().map((vector) => [ofWhat(vector), vector])).values()].reverse();
}

/** Few that together have all that any of them has: always the next with the most that none before it has. */
function covering<T>(vectors: readonly T[], has: (vector: T) => readonly string[]): T[] {
  const missing = new Set(vectors.flatMap(has));
  const kept: T[] = [];
  const gain = (vector: T) => has(vector).filter((each) => missing.has(each)).length;
  while (missing.size > 0) {
    const next = vectors.reduce((best, vector) => (gain(vector) > gain(best) ? vector : best));
    for (const each of has(next)) missing.delete(each);
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
