/**
 * Jobs, with what was bought and carried out, who made them, their reports and what these rest on: rows.json says of each
 * table what its copies have of their own. What stands there in braces stands for SQL that is made here.
 */
import { z } from "zod";
import * as of from "./amounts.ts";
import { copies, type Statement } from "./copies.ts";
import { SQL } from "./names.ts";
import ROWS from "./rows.json" with { type: "json" };

const Row = z.strictObject({
  /** For who reads the file. */
  about: z.string().optional(),
  table: z.string(),
  columns: z.string(),
  /** SQL by column, over the template's. */
  changed: z.record(z.string(), z.string()),
  template: z.string().default("select 1"),
  span: z.enum(["all", "judged", "owners", "keys", "blocks", "batches"]).default("judged"),
  only: z.string().optional(),
});
const Rows = z.strictObject({ jobs: z.array(Row), reports: z.array(Row), attachments: z.array(Row) });

const KEYS = 10_000;

function* statements(
  rows: readonly z.infer<typeof Row>[],
  filling: of.Filling,
  more: Readonly<Record<string, string>> = {},
): Generator<Statement> {
  const { amounts, templates, payer, now } = filling;
  const [first, last] = [of.firstJudged(amounts), of.lastJob(amounts)];
  const spans = {
    all: [1, last],
    judged: [first, last],
    owners: [1, amounts.judged],
    keys: [1, Math.min(KEYS, amounts.judged)],
    blocks: [Math.floor(first / of.A_BLOCK), Math.floor(last / of.A_BLOCK)],
    batches: [0, of.batchesOf(amounts) - 1],
  } as const;
  const somebody = SQL.hash("payer", `n % ${of.PAYERS}`);
  const words: Readonly<Record<string, string | number>> = {
    ...{ ...templates, ...more, bare: amounts.bare, now, day: of.DAY },
    ...{ job: SQL.jobId("n"), created: of.createdAt(filling), tokenDigest: SQL.tokenDigest("n") },
    ...{ isBought: of.BOUGHT, isTraded: of.TRADED, batch: SQL.samples("n") },
    payer: `case when n % ${of.PAYERS} = 1 then '${payer}' else left(${somebody}, 42) end`,
    proofs: SQL.hash("proofs", `n / ${of.A_BLOCK}`),
    samples: SQL.samples(`n % ${of.batchesOf(amounts)}`),
    "evidence 2": SQL.evidence("n", "2"),
  };
  const filled = (text: string) =>
    text.replaceAll(/\{([^}]+)\}/g, (_, name: string) =>
      name.startsWith("hash ") ? SQL.hash(name.slice(5), "n") : String(words[name]),
    );
  for (const { table, columns, changed, template, span, only } of rows) {
    const own = Object.entries(changed).map(([column, text]) => [column, filled(text)]);
    const [from, to] = spans[span];
    yield copies(table, columns, Object.fromEntries(own), {
      ...{ from, to, template: filled(template) },
      ...(only === undefined ? {} : { only: filled(only) }),
    });
  }
}

export const ofJobs = (filling: of.Filling): Generator<Statement> =>
  statements(Rows.parse(ROWS).jobs, filling);

export function* ofReports(filling: of.Filling): Generator<Statement> {
  const { reports, attachments } = Rows.parse(ROWS);
  const { bought, traded } = filling.templates;
  for (const [job, version, which] of [
    [bought, "1", `not ${of.TRADED}`],
    [traded, "1", of.TRADED],
    [traded, "2", of.TRADED],
  ] as const)
    yield* statements(reports, filling, { of: job, version, which, evidence: SQL.evidence("n", version) });
  yield* statements(attachments, filling);
}
