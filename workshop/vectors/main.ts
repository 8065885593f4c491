/**
 * `npm run vectors`: writes docs/vectors anew from the code as it is. What the tests compare is what stands there, so a
 * change of a vector is a change of the method, and shows in the diff.
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { KNOWN_GUARDIAN_SETS, LOCAL_GUARDIAN_SET } from "../../attestor/pyth/guardianSets.ts";
import { documentVectors } from "./documents.ts";
import { drawFrom } from "./draw.ts";
import { evidenceVectors } from "./evidences.ts";
import { vectorPolicies } from "./policies.ts";
import { provedVectors } from "./proved.ts";

/** Any number would do; another one makes other vectors. */
const SEED = 20_261_122;
const FOLDER = join(import.meta.dirname, "../../docs/vectors");

/** A JSON array with a line for each vector, so that a diff shows which changed. */
function write(file: string, vectors: readonly object[]): void {
  const lines = vectors.map((vector) => JSON.stringify(vector)).join(",\n");
  writeFileSync(join(FOLDER, file), `[\n${lines}\n]\n`);
  process.stdout.write(`${file}: ${vectors.length}\n`);
}

mkdirSync(FOLDER, { recursive: true });
const policies = vectorPolicies(drawFrom(SEED, "policies"));
write(
  "policies.json",
  policies.map(({ definition, definitionHash }) => ({ definitionHash, definition })),
);
write("guardian-sets.json", [...KNOWN_GUARDIAN_SETS, LOCAL_GUARDIAN_SET]);
write("evidence.json", evidenceVectors(policies, SEED));
write("documents.json", await documentVectors(SEED));
write("proved.json", await provedVectors(SEED));
process.exit();
