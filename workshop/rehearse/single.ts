/** Faults of one process, one after the other. */
import { stopPostgresServer } from "../../test/support/postgres.ts";
import { NotHere, type Outcome, type Rehearsal } from "./rehearsal.ts";

interface Row {
  readonly fault: string;
  readonly clients: string;
  readonly recovered: string;
  readonly operator: string;
  readonly broken: readonly string[];
}

async function rehearse({ fault, run }: Rehearsal): Promise<Row> {
  try {
    return { fault, ...told(await run()) };
  } catch (error) {
    const words = error instanceof Error ? error.message : String(error);
    const broken = error instanceof NotHere ? [] : ["the rehearsal itself failed"];
    return { fault, clients: words, recovered: "not rehearsed", operator: "", broken };
  }
}

function told({ clients, recoveredAfterMs, operator, broken }: Outcome): Omit<Row, "fault"> {
  const recovered = recoveredAfterMs === null ? "at once" : `${(recoveredAfterMs / 1_000).toFixed(1)} s`;
  return { clients, recovered, operator, broken };
}

/** Prints a table. @returns how many promises did not hold */
export async function rehearseSingle(chosen: readonly Rehearsal[]): Promise<number> {
  console.log("| fault | what clients saw | back after | how an operator learns of it | promises |");
  console.log("|---|---|---|---|---|");
  let broken = 0;
  for (const rehearsal of chosen) {
    const row = await rehearse(rehearsal);
    broken += row.broken.length;
    const kept = row.broken.length === 0 ? "kept" : `BROKEN: ${row.broken.join("; ")}`;
    console.log(`| ${row.fault} | ${row.clients} | ${row.recovered} | ${row.operator} | ${kept} |`);
  }
  await stopPostgresServer();
  return broken;
}
