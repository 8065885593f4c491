/**
 * Read this first. `npm run vectors` writes the small part of the vectors into docs/vectors and the full set's hash into
 * its README; `npm run vectors -- --full <folder>` writes the full set into a folder instead. The tests compare with both,
 * so that a change of the method shows in the diff. There are three kinds of vectors:
 *
 *   evidence   a judgement and its findings: drawn sound, then brought to a side of a check's boundary
 *              a new check has its boundary in evidence/boundaries.ts
 *   documents  a document, a reader, and what a verification comes to
 *              documents/service.ts makes an honest answer with changes, documents/readers.ts has the readers
 *              a new fault has a row in the file of its step, such as documents/log.ts
 *   proved     a trade of a local world: documents/proved.ts
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { fullSet, hashOf, smallPart, writeFiles } from "./files.ts";

const FOLDER = join(import.meta.dirname, "../../docs/vectors");

const { values: options } = parseArgs({ options: { full: { type: "string" } } });
const files = await fullSet();
const hash = hashOf(files);
if (options.full !== undefined) writeFiles(files, options.full);
else {
  writeFiles(smallPart(files), FOLDER);
  const readme = join(FOLDER, "README.md");
  writeFileSync(readme, readFileSync(readme, "utf8").replace(/\b[0-9a-f]{64}\b/, hash));
}
for (const [file, vectors] of Object.entries(files)) process.stdout.write(`${file}: ${vectors.length}\n`);
process.stdout.write(`${hash}\n`);
process.exit();
