/**
 * The decision log at scale, on SQLite and on PostgreSQL: how fast entries get their places, what a proof costs, how much
 * room an entry takes, and what all that costs the service beside it.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { startPostgres } from "../test/support/postgres.ts";
import { besideService } from "./log/beside.ts";
import { benchTree } from "./log/tree.ts";

const LEAVES = 100_000;
const ENGINES = ["sqlite", "postgres"] as const;
const PARTS = ["tree", "service"] as const;

/** Makes an empty database and tells its URL. */
export type NewDatabase = () => Promise<string>;

export async function bench(): Promise<void> {
  const { values } = parseArgs({
    args: process.argv.slice(3),
    options: {
      leaves: { type: "string", default: String(LEAVES) },
      engine: { type: "string", multiple: true, default: [...ENGINES] },
      part: { type: "string", multiple: true, default: [...PARTS] },
    },
  });
  const leaves = Number(values.leaves);
  if (!Number.isInteger(leaves) || leaves < 1_000)
    throw new Error("--leaves takes a whole number from 1000 on");
  chosen("--engine", values.engine, ENGINES);
  chosen("--part", values.part, PARTS);
  for (const engine of ENGINES.filter((each) => values.engine.includes(each)))
    await withEngine(engine, async (newDatabase) => {
      console.log(`\n${engine === "sqlite" ? "SQLite" : "PostgreSQL"}`);
      if (values.part.includes("tree")) await benchTree(await newDatabase(), leaves);
      if (values.part.includes("service")) await besideService(newDatabase);
    });
}

function chosen(option: string, given: readonly string[], known: readonly string[]): void {
  for (const each of given)
    if (!known.includes(each)) throw new Error(`${option} is one of ${known.join(", ")}`);
}

/** A commit waits for the disk on both engines, as it does in earnest. */
async function withEngine(
  engine: (typeof ENGINES)[number],
  use: (newDatabase: NewDatabase) => Promise<void>,
): Promise<void> {
  if (engine === "postgres") {
    const { server, remove } = await startPostgres({ isDurable: true });
    try {
      await use(() => server.createDatabase());
    } finally {
      await remove();
    }
    return;
  }
  const folder = await mkdtemp(join(tmpdir(), "assay-bench-"));
  let made = 0;
  try {
    await use(async () => `sqlite:${join(folder, `${++made}.db`)}`);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
