/**
 * The cost of rows: each endpoint of the service on PostgreSQL with a million jobs and their evidence, ten million
 * rows of jobs and ten million samples. The baseline is a database that is nearly empty, request by request in turn.
 * Data that a process keeps in memory once read is compared with a database of 70,000 jobs instead. Takes some 30 GB
 * under the temporary folder, and half an hour. Ends with 1 when a p99 is more than twice that of the smaller one.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { JsonRpcProvider } from "ethers";
import { sql } from "kysely";
import { withEngine } from "./databases.ts";
import { optionsGiven, wholeNumber } from "./given.ts";
import { withLocalChain } from "./localChain.ts";
import type { Amounts } from "./rows/amounts.ts";
import { ENDPOINTS, forgotten } from "./rows/endpoints.ts";
import { openSide, type Side } from "./rows/sides.ts";
import { answered, printTimes } from "./rows/times.ts";

const CHAIN_ID = 31_337;
/** As few as fill one tile of the log. */
const EMPTY: Amounts = { bare: 0, judged: 211, samples: 1_000 };
/** So much that also in the last round more than one request in a hundred is for what the process has not read before. */
const SMALL: Amounts = { bare: 0, judged: 70_000, samples: 1_000 };
const ROUNDS = 7;
/** The side that was filled last has hours to seal that ended meanwhile, and PostgreSQL its files to write. */
const SETTLED_SECONDS = 300;
/** Tables below this say nothing. */
const LARGE_BYTES = 50e6;

export async function bench(): Promise<void> {
  const { amounts, rounds, only } = given();
  const say = (line: string) => console.error(line);
  await withEngine("postgres", (newDatabase) =>
    withLocalChain(async (folder, rpcUrl) => {
      const provider = new JsonRpcProvider(rpcUrl, CHAIN_ID, { staticNetwork: true, cacheTimeout: -1 });
      const sides: Side[] = [];
      const opened = async (title: string, of: Amounts) => {
        const databaseUrl = await newDatabase();
        const side = await openSide({ title, amounts: of, folder, rpcUrl, provider, databaseUrl, say });
        sides.push(side);
        return side;
      };
      try {
        const empty = await opened("empty", EMPTY);
        // Before the long wait for the others.
        await assertWhole(empty);
        for (const endpoint of ENDPOINTS) await answered(empty, endpoint, 0);
        const small = await opened("small", SMALL);
        const full = await opened("full", amounts);
        await printSizes(full);
        say(`all filled; waiting ${SETTLED_SECONDS} s until they have settled`);
        await sleep(SETTLED_SECONDS * 1_000);
        const asked = ENDPOINTS.filter(({ route }) => only.test(route));
        await printTimes({ empty, small, full }, asked, rounds);
      } finally {
        for (const side of sides) {
          await side.stop();
          await side.db.destroy();
        }
        provider.destroy();
      }
    }),
  );
}

/** @returns as `only` a pattern of the endpoints to ask, such as `latest|POST /v1/jobs` */
function given(): { amounts: Amounts; rounds: number; only: RegExp } {
  const values = optionsGiven({
    jobs: { type: "string", default: "1000000" },
    rows: { type: "string", default: "10000000" },
    rounds: { type: "string", default: String(ROUNDS) },
    only: { type: "string", default: "" },
  });
  const judged = wholeNumber("jobs", values.jobs, 1_000);
  const rows = wholeNumber("rows", values.rows, judged);
  const rounds = wholeNumber("rounds", values.rounds, 1);
  return { amounts: { bare: rows - judged, judged, samples: rows }, rounds, only: new RegExp(values.only) };
}

/** @throws Error where the service has an operation that nobody would measure */
async function assertWhole({ ask }: Side): Promise<void> {
  const { body } = await ask("/openapi.json");
  const operations = Object.entries<object>(body.paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
  );
  const missing = forgotten(operations);
  if (missing.length > 0) throw new Error(`nothing measures ${missing.join(", ")}`);
}

async function printSizes({ db, amounts }: Side): Promise<void> {
  const { rows } = await sql<{ name: string; rows: number; bytes: number }>`
    select coalesce(parent.relname, class.relname) as name, sum(class.reltuples)::float8 as rows,
      sum(pg_total_relation_size(class.oid))::float8 as bytes
    from pg_class as class
      left join pg_inherits on pg_inherits.inhrelid = class.oid
      left join pg_class as parent on parent.oid = pg_inherits.inhparent
    where class.relkind = 'r' and class.relnamespace = 'public'::regnamespace
    group by 1 order by 3 desc`.execute(db);
  const all = rows.reduce((sum, { bytes }) => sum + bytes, 0);
  console.log(`| table | rows | GB | bytes a row |\n|---|---|---|---|`);
  for (const { name, rows: count, bytes } of rows.filter((row) => row.bytes > LARGE_BYTES))
    console.log(
      `| ${name} | ${Math.round(count).toLocaleString("en")} | ${(bytes / 1e9).toFixed(2)} | ${(bytes / count).toFixed(0)} |`,
    );
  console.log(
    `\n${(all / 1e9).toFixed(1)} GB in all, ${(amounts.judged + amounts.bare).toLocaleString("en")} jobs\n`,
  );
}
