/**
 * Many rows, made by PostgreSQL itself out of a few jobs that the service has made. Each has its own names and
 * hashes, and the template's text otherwise, so that it takes as much room. These reports are only read and cannot be
 * verified.
 */
import pg from "pg";
import { evidenceKey } from "../../../api/log/entries.ts";
import { ENTRY_SCHEMA } from "../../../attestor/log/entry.ts";
import type { Database } from "../../../database/open.ts";
import { ensureMonths } from "../../../database/partitions.ts";
import { fillAtOnce } from "../log/bulk.ts";
import { type Amounts, DAY, type Filling, firstJudged, isTraded, reportsOf } from "./amounts.ts";
import { evidenceOf } from "./names.ts";
import { ofJobs, ofMarket, ofReports, oldestSample, type Statement } from "./statements.ts";

/** Of one statement. */
const CHUNK = 250_000;
const TELL_FROM_SECONDS = 5;

/** The log of these judgements, before the service has begun one. */
export async function fillLog(db: Database, amounts: Amounts): Promise<void> {
  let [n, version] = [firstJudged(amounts), 1];
  const next = () => {
    const evidenceHash = evidenceOf(n, version);
    const entry = `{"capturedAt":1763000000,"decision":"ALLOW","evidenceHash":"${evidenceHash}","jobIdHash":"${evidenceHash}","policyHash":"${evidenceHash}","registryHash":"${evidenceHash}","schema":"${ENTRY_SCHEMA}","version":${version}}`;
    if (version === 1 && isTraded(n)) version = 2;
    else [n, version] = [n + 1, 1];
    return { entry, evidence_key: evidenceKey(evidenceHash), evidenceHash };
  };
  const made = (count: number) => Array.from({ length: count }, (_, id) => ({ id, ...next() }));
  await fillAtOnce(db, reportsOf(amounts), made);
}

/** @param url of the database; by a connection of its own, since the service's give up after some seconds */
export async function fillRows(
  db: Database,
  url: string,
  given: Filling & { say(line: string): void },
): Promise<void> {
  const { now, say } = given;
  const months: number[] = [];
  for (let at = oldestSample(given); at < now + DAY; at += DAY) months.push(at);
  await ensureMonths(db, { raw_samples: months, impact_samples: months, hour_buckets: months });
  // Side by side, since each takes one core.
  await Promise.all(
    [ofJobs(given), ofReports(given), ofMarket(given)].map((statements) =>
      withClient(url, (client) => carryOut(client, statements, say)),
    ),
  );
  await withClient(url, async (client) => {
    await client.query("vacuum (analyze)");
    await client.query("checkpoint");
  });
}

async function withClient(url: string, use: (client: pg.Client) => Promise<void>): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await use(client);
  } finally {
    await client.end();
  }
}

async function carryOut(client: pg.Client, statements: Iterable<Statement>, say: (line: string) => void) {
  await client.query("set synchronous_commit = off");
  // Foreign keys hold by how the rows are made.
  await client.query("set session_replication_role = replica");
  for (const { table, from, to, rows } of statements) {
    const began = performance.now();
    for (let first = from; first <= to; first += CHUNK)
      await client.query(rows(first, Math.min(to, first + CHUNK - 1)));
    const seconds = (performance.now() - began) / 1_000;
    if (seconds > TELL_FROM_SECONDS)
      say(`  ${table}: ${(to - from + 1).toLocaleString("en")} in ${seconds.toFixed(0)} s`);
  }
}
