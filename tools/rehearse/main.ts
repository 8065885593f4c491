/**
 * `npm run rehearse -- --one [part of a name]`: makes the faults of docs/operations.md on this one machine, one after the
 * other, with real servers, and prints what clients saw. Ends with 1 when a promise did not hold.
 */
import { parseArgs } from "node:util";
import { stopPostgresServer } from "../../test/support/postgres.ts";
import { REHEARSALS } from "./list.ts";
import { NotHere, type Outcome, type Rehearsal } from "./rehearsal.ts";

const USAGE = `Usage: npm run rehearse -- --one [part of a fault's name]

Makes faults on this machine, one after the other, and prints what clients saw of each:
${REHEARSALS.map(({ fault }) => `  ${fault}`).join("\n")}
`;

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

async function main(): Promise<number> {
  const { values, positionals } = parseArgs({
    options: { one: { type: "boolean", default: false }, help: { type: "boolean", default: false } },
    allowPositionals: true,
  });
  if (values.help || !values.one) {
    console.log(USAGE);
    return values.help ? 0 : 2;
  }
  const wanted = positionals.join(" ").toLowerCase();
  const chosen = REHEARSALS.filter(({ fault }) => fault.toLowerCase().includes(wanted));
  if (chosen.length === 0) {
    console.error(`No fault has ${JSON.stringify(wanted)} in its name.\n\n${USAGE}`);
    return 2;
  }
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
  return broken === 0 ? 0 : 1;
}

process.exit(await main());
