/** What a round of all listed tokens costs to store, beside bare bulk inserts of the same rows. */
import { sql } from "kysely";
import { type Database, type Engine, openDatabase } from "../../../database/open.ts";
import { recordBases } from "../../../market/series/basis.ts";
import { HOUR_SECONDS } from "../../../market/series/hours.ts";
import { recordImpacts } from "../../../market/series/impacts.ts";
import { writeScores } from "../../../market/series/liquidity.ts";
import { recordPremiums } from "../../../market/series/premium.ts";
import { recordVolumes } from "../../../market/series/totals.ts";
import {
  basisSample,
  impactSample,
  liveKey,
  liveSample,
  volumeSample,
} from "../../../test/support/samples.ts";
import { milliseconds, printRates, quantile, sideBySide } from "../measure.ts";
import { inMs, print, printTable } from "../print.ts";
import { openBare } from "./bare.ts";

const TOKENS = Array.from({ length: 846 }, (_, token) => token + 1);
const PERPETUALS = Array.from({ length: 200 }, (_, stock) => `STOCK${stock}`);
const ROUND_SECONDS = 300;
/** Two hours: an hour is computed from all that it has. */
const ROUNDS = 24;

/**
 * @param title names the engine
 * @param ours and @param bare two databases with hours of the first 846 series, alike
 * @returns the ratio of premiums to bare inserts
 */
export async function ingest(
  title: string,
  engine: Engine,
  { ours, bare, from }: { readonly ours: string; readonly bare: string; readonly from: number },
): Promise<number> {
  let statements = 0;
  await using db = openDatabase(ours, { onQuery: () => statements++ });
  await using driver = await openBare(bare);
  await assertDurable(db, engine);
  let [round, bareRound] = [0, 0];
  let perRound = 0;
  const rates = await sideBySide(
    [
      {
        name: "`recordPremiums`: checked, judged, stored, hours computed",
        async round() {
          const at = from + ROUND_SECONDS * round++;
          const before = statements;
          await recordPremiums(
            db,
            TOKENS.map((token) => liveSample(token, at)),
            at,
          );
          perRound = statements - before;
          return TOKENS.length;
        },
      },
      {
        name: "bare bulk inserts of the same rows: sample, hour, latest values",
        async round() {
          const at = from + ROUND_SECONDS * bareRound++;
          const texts = TOKENS.map((token) => JSON.stringify(Object.values(liveSample(token, at))));
          await driver.insertRound(at, texts);
          return TOKENS.length;
        },
      },
    ],
    ROUNDS,
  );
  const ratio = printRates(`${title}: a round of ${TOKENS.length} tokens, premiums`, rates);
  const seconds = TOKENS.length / rates[0]!.perSecond;
  print(
    `${title}: ${seconds.toFixed(3)} s for ${TOKENS.length} tokens, ${perRound} statements besides begin and commit.`,
  );
  await everyKind(title, db, from + ROUND_SECONDS * ROUNDS, () => statements);
  return ratio;
}

/** What stands in no ratio is of no use if it is lost with the power. */
async function assertDurable(db: Database, engine: Engine): Promise<void> {
  const settings: readonly (readonly [setting: string, wanted: string])[] =
    engine === "sqlite"
      ? [
          ["pragma synchronous", "2"],
          ["pragma journal_mode", "wal"],
        ]
      : [
          ["show synchronous_commit", "on"],
          ["show fsync", "on"],
        ];
  for (const [setting, wanted] of settings) {
    const { rows } = await sql<Record<string, unknown>>`${sql.raw(setting)}`.execute(db);
    const found = String(Object.values(rows[0] ?? {})[0]);
    if (found !== wanted)
      throw new Error(`${setting} says ${found} instead of ${wanted}: a commit may be lost`);
  }
}

/** A whole round, one call of each kind. */
async function everyKind(title: string, db: Database, from: number, statements: () => number): Promise<void> {
  const keys = TOKENS.map(liveKey);
  const kinds: readonly (readonly [
    name: string,
    samples: number,
    record: (at: number) => Promise<unknown>,
  ])[] = [
    [
      "premiums",
      keys.length,
      (at) =>
        recordPremiums(
          db,
          TOKENS.map((token) => liveSample(token, at)),
          at,
        ),
    ],
    [
      "bases",
      PERPETUALS.length,
      (at) =>
        recordBases(
          db,
          PERPETUALS.map((ticker) => basisSample(ticker, at)),
          at,
        ),
    ],
    [
      "volumes",
      keys.length,
      (at) =>
        recordVolumes(
          db,
          keys.map((key) => volumeSample(key, at)),
          at,
        ),
    ],
    [
      "impacts",
      keys.length,
      (at) =>
        recordImpacts(
          db,
          keys.map((key) => impactSample(key, at, "12.5")),
          at,
        ),
    ],
    ["scores of a week", keys.length, (at) => writeScores(db, keys, at)],
  ];
  await fillWeek(db, from);
  const rows: string[][] = [];
  for (const [name, samples, record] of kinds) {
    const times: number[] = [];
    let asked = 0;
    for (let round = 1; round <= 7; round++) {
      const before = statements();
      times.push(await milliseconds(() => record(from + round * ROUND_SECONDS)));
      asked = statements() - before;
    }
    rows.push([name, String(samples), String(asked), inMs(quantile(times, 0.5), 0)]);
  }
  printTable([`${title}: a round by kinds`, "samples", "statements", "p50"], rows);
}

/** Impacts of every token, as many as there are of BNB chain's. */
async function fillWeek(db: Database, until: number): Promise<void> {
  const rounds = (7 * 24 * HOUR_SECONDS) / ROUND_SECONDS;
  for (const token of TOKENS)
    await recordImpacts(
      db,
      Array.from({ length: rounds }, (_, back) =>
        impactSample(liveKey(token), until - back * ROUND_SECONDS, String((back * 37 + token) % 211)),
      ),
      until,
    );
}
