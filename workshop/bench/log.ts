/**
 * The decision log at scale, on SQLite and on PostgreSQL: how fast entries get their places, what a proof costs, how much
 * room an entry takes, and what all that costs the service beside it.
 */
import { optionsGiven, wholeNumber } from "./given.ts";
import { besideService } from "./log/beside.ts";
import { ENGINES, withEngine } from "./log/engines.ts";
import { benchTree } from "./log/tree.ts";

const LEAVES = 100_000;
/** `proofs` is the end of `tree` alone, on a log that is written in minutes however long it is. */
const PARTS = ["tree", "beside", "prepare", "proofs"] as const;

export async function bench(): Promise<void> {
  const values = optionsGiven({
    leaves: { type: "string", default: String(LEAVES) },
    engine: { type: "string", multiple: true, default: [...ENGINES] },
    part: { type: "string", multiple: true, default: PARTS.filter((part) => part !== "proofs") },
  });
  const leaves = wholeNumber("leaves", values.leaves, 1_000);
  chosen("--engine", values.engine, ENGINES);
  chosen("--part", values.part, PARTS);
  for (const engine of ENGINES.filter((each) => values.engine.includes(each)))
    await withEngine(engine, async (newDatabase) => {
      console.log(`\n${engine === "sqlite" ? "SQLite" : "PostgreSQL"}`);
      if (values.part.includes("tree")) await benchTree(await newDatabase(), leaves, false);
      if (values.part.includes("proofs")) await benchTree(await newDatabase(), leaves, true);
      if (values.part.includes("beside") || values.part.includes("prepare"))
        await besideService(newDatabase, values.part);
    });
}

function chosen(option: string, given: readonly string[], known: readonly string[]): void {
  for (const each of given)
    if (!known.includes(each)) throw new Error(`${option} is one of ${known.join(", ")}`);
}
