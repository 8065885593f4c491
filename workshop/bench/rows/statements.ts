/**
 * Rows by the statement, each copied from one row with names of its own. `rows.json` lists the columns of each table
 * that differ in its copies; text in braces is replaced by SQL that is made here.
 */
import { z } from "zod";
import { premiumSeries } from "../../../market/series/premium.ts";
import * as of from "./amounts.ts";
import { assetOf, SQL } from "./names.ts";
import ROWS from "./rows.json" with { type: "json" };

export interface Statement {
  readonly table: string;
  readonly from: number;
  readonly to: number;
  rows(from: number, to: number): string;
}

const Row = z.strictObject({
  /** For who reads the file. */
  about: z.string().optional(),
  table: z.string(),
  columns: z.string(),
  /** SQL by column, over the template's. */
  changed: z.record(z.string(), z.string()),
  template: z.string().default("select 1"),
  span: z.string().default("judged"),
  only: z.string().default("true"),
});
const Rows = z.array(Row);
const { jobs, reports, attachments, market } = z
  .strictObject({ jobs: Rows, reports: Rows, attachments: Rows, market: Rows })
  .parse(ROWS);

/** @param spans by name, the first and the last `n` @param words by name, what stands for it */
function* copies(
  rows: z.infer<typeof Rows>,
  spans: Readonly<Record<string, readonly [from: number, to: number]>>,
  words: Readonly<Record<string, string | number>>,
): Generator<Statement> {
  const filled = (text: string) =>
    text.replaceAll(/\{([^}]+)\}/g, (_, name: string) =>
      name.startsWith("hash ") ? SQL.hash(name.slice(5), "n") : String(words[name]),
    );
  for (const { table, columns, changed, template, span, only } of rows) {
    const values = columns.split(", ").map((column) => changed[column] ?? `t.${column}`);
    const [first, last] = spans[span]!;
    const rows = (from: number, to: number) =>
      filled(`insert into ${table} (${columns}) select ${values.join(", ")}
        from generate_series(${from}::bigint, ${to}::bigint) as n, (${template}) as t
        where ${only} order by n`);
    yield { table, from: first, to: last, rows };
  }
}

const KEYS = 10_000;

function ofAmounts(
  rows: z.infer<typeof Rows>,
  filling: of.Filling,
  more: Readonly<Record<string, string>> = {},
): Generator<Statement> {
  const { amounts, templates, payer, now } = filling;
  const [first, last] = [of.firstJudged(amounts), of.lastJob(amounts)];
  const somebody = SQL.hash("payer", `n % ${of.PAYERS}`);
  return copies(
    rows,
    {
      all: [1, last],
      judged: [first, last],
      owners: [1, amounts.judged],
      keys: [1, Math.min(KEYS, amounts.judged)],
      blocks: [Math.floor(first / of.A_BLOCK), Math.floor(last / of.A_BLOCK)],
      batches: [0, of.batchesOf(amounts) - 1],
    },
    {
      ...{ ...templates, ...more, bare: amounts.bare, now, day: of.DAY },
      ...{ job: SQL.jobId("n"), created: of.createdAt(filling), tokenDigest: SQL.tokenDigest("n") },
      ...{ isBought: of.BOUGHT, isTraded: of.TRADED, batch: SQL.samples("n") },
      payer: `case when n % ${of.PAYERS} = 1 then '${payer}' else left(${somebody}, 42) end`,
      proofs: SQL.hash("proofs", `n / ${of.A_BLOCK}`),
      samples: SQL.samples(`n % ${of.batchesOf(amounts)}`),
      "evidence 2": SQL.evidence("n", "2"),
    },
  );
}

/** Jobs, with what was bought and carried out, and who made them. */
export const ofJobs = (filling: of.Filling): Generator<Statement> => ofAmounts(jobs, filling);

/** Their reports, and what these rest on. */
export function* ofReports(filling: of.Filling): Generator<Statement> {
  const { bought, traded } = filling.templates;
  for (const [job, version, which] of [
    [bought, "1", `not ${of.TRADED}`],
    [traded, "1", of.TRADED],
    [traded, "2", of.TRADED],
  ] as const)
    yield* ofAmounts(reports, filling, { of: job, version, which, evidence: SQL.evidence("n", version) });
  yield* ofAmounts(attachments, filling);
}

const ASSETS = 1_000;
const SAMPLE_EVERY_SECONDS = 300;
const HOURS = 90 * 24;

/** Unix seconds. */
export const oldestSample = ({ amounts: { samples }, now }: of.Filling): number =>
  now - Math.max(HOURS * 3_600, (samples / ASSETS) * SAMPLE_EVERY_SECONDS);

/** Samples and hours of tokens that nobody asks for. */
export function ofMarket({ amounts: { samples }, now }: of.Filling): Generator<Statement> {
  const each = Math.ceil(samples / ASSETS);
  const hours = Math.min(HOURS, each);
  const newest = Math.floor(now / SAMPLE_EVERY_SECONDS) * SAMPLE_EVERY_SECONDS;
  // Its number: which of the thousand.
  const which = `(n / ${each})`;
  return copies(
    market,
    {
      assets: [0, ASSETS - 1],
      samples: [0, samples - 1],
      hours: [0, hours * ASSETS - 1],
      days: [0, 30 * ASSETS - 1],
    },
    {
      ...{ which, hours, now, assets: ASSETS, lastHour: Math.floor(now / 3_600) },
      ...{ series: premiumSeries(""), firstSeries: premiumSeries(assetOf(0)) },
      asset: SQL.asset("n"),
      assetOfSample: SQL.asset(which),
      assetOfDay: SQL.asset(`n % ${ASSETS}`),
      at: `${newest} - (${each} - 1 - n % ${each}) * ${SAMPLE_EVERY_SECONDS}`,
    },
  );
}
