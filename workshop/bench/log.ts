/**
 * The decision log at scale, on SQLite and on PostgreSQL: the rate of placing entries, the cost of a proof, the size
 * of an entry, and prepare-execution's wait for it.
 */

import { ENGINE_NAMES, ENGINES, withEngine } from "./databases.ts";
import { optionsGiven, wholeNumber } from "./given.ts";
import { benchPrepare } from "./log/prepare.ts";
import { benchTree } from "./log/tree.ts";

const LEAVES = 100_000;
/** `proofs` is the end of `tree` alone, on a log that is written in minutes however long it is. */
const PARTS = ["tree", "prepare", "proofs"];

export async function bench(): Promise<void> {
  const values = optionsGiven({
    leaves: { type: "string", default: String(LEAVES) },
    part: { type: "string", multiple: true, default: PARTS.filter((part) => part !== "proofs") },
  });
  const leaves = wholeNumber("leaves", values.leaves, 1_000);
  if (!values.part.every((part) => PARTS.includes(part)))
    throw new Error(`--part is one of ${PARTS.join(", ")}`);
  for (const engine of ENGINES)
    await withEngine(engine, async (newDatabase) => {
      const title = ENGINE_NAMES[engine];
      if (values.part.includes("tree")) await benchTree(title, await newDatabase(), leaves, false);
      if (values.part.includes("proofs")) await benchTree(title, await newDatabase(), leaves, true);
      if (values.part.includes("prepare")) await benchPrepare(title, newDatabase);
    });
}
