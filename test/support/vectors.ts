/** The vectors: the small part of docs/vectors, and the full set, made anew where something changed that it is made of. */
import { spawnSync } from "node:child_process";
import { readFileSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { buildOnce, ROOT } from "../../build/buildOnce.ts";
import type { DocumentVector } from "../../workshop/vectors/documentVector.ts";
import { ALL } from "./all.ts";

export const SMALL = join(ROOT, "docs/vectors");
const FULL = join(ROOT, "cache/vectors");
/** Of documents. */
export const DOCUMENT_FILES = ["documents.json", "proved.json"];

/** @returns the folder of the full set */
export async function fullVectors(): Promise<string> {
  const made = await buildOnce({
    name: "vectors",
    sources: [
      "{api,attestor,chain,client,database,devnet,market}/**/*.{ts,json}",
      "{contracts,devnet/contracts}/**/*.sol",
      "test/{attestor,support}/**/*.ts",
      "workshop/vectors/**/*.{ts,json}",
      "{package,package-lock}.json",
    ],
    without: ["**/*.test.ts"],
    results: ["cache/vectors"],
    async make() {
      const draft = `${FULL}-${process.pid}`;
      const args = [join(ROOT, "workshop/vectors/main.ts"), "--full", draft];
      // It runs by itself, without mocha.
      const env = { ...process.env, ASSAY_TEST_ALL: "" };
      const { status, stderr } = spawnSync(process.execPath, args, { encoding: "utf8", env });
      if (status !== 0) throw new Error(stderr);
      rmSync(FULL, { recursive: true, force: true });
      renameSync(draft, FULL);
      return true;
    },
  });
  if (!made) throw new Error("the vectors were not made");
  return FULL;
}

/** With `npm test -- --all` the folder of the full set, else that of the small part. */
export const vectorsToTry = (): Promise<string> => (ALL ? fullVectors() : Promise.resolve(SMALL));

export function documentsIn(folder: string): DocumentVector[] {
  return DOCUMENT_FILES.flatMap((file) => JSON.parse(readFileSync(join(folder, file), "utf8")));
}

const small = documentsIn(SMALL);

/** A document of the small part. */
export function namedDocument(name: string): DocumentVector {
  const found = small.find((vector) => vector.name === name);
  if (found === undefined) throw new Error(`docs/vectors has no document "${name}"`);
  return found;
}
