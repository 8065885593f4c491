/** Stores rounds of all listed tokens' premiums, against bare bulk inserts of the same rows. */
import { sql } from "kysely";
import { type Database, type Engine, openDatabase } from "../../../database/open.ts";
import { HOUR_SECONDS } from "../../../market/series/hours.ts";
import { recordPremiums } from "../../../market/series/premium.ts";
import { liveSample } from "../../../test/support/samples.ts";
import type { Databases } from "../fixtures.ts";
import { print, printRates, printTargets, sideBySide } from "../measure.ts";
import { openBare } from "./bare.ts";
import { fillDatabase, LAST_HOUR } from "./filled.ts";

const TOKENS = Array.from({ length: 846 }, (_, token) => token + 1);
/** Hours that are there before: as many of a series as its pages need to be apart from others'. */
const HOURS_BEFORE = 30 * 24;
const ROUND_SECONDS = 300;
/** Two hours: an hour is computed from all that it has. */
const ROUNDS = 24;
const TARGETS = { sqlite: 0.6, postgres: 0.5 };

export async function storeRounds(databases: Databases): Promise<void> {
  const { engine, title } = databases;
  const ours = await fillDatabase(databases, TOKENS.length, HOURS_BEFORE);
  const bare = await fillDatabase(databases, TOKENS.length, HOURS_BEFORE);
  let statements = 0;
  await using db = openDatabase(ours.url, { onQuery: () => statements++ });
  await using driver = await openBare(bare.url);
  await assertDurable(db, engine);
  const times = [roundTimes(), roundTimes()] as const;
  let statementsOfRound = 0;
  const rates = await sideBySide(
    [
      {
        name: "`recordPremiums`: checked, judged, stored, hours computed",
        async round() {
          const at = times[0]();
          const before = statements;
          await recordPremiums(
            db,
            TOKENS.map((token) => liveSample(token, at)),
            at,
          );
          statementsOfRound = statements - before;
          return TOKENS.length;
        },
      },
      {
        name: "bare bulk inserts of the same rows: sample, hour, latest values",
        async round() {
          const at = times[1]();
          const texts = TOKENS.map((token) => JSON.stringify(Object.values(liveSample(token, at))));
          await driver.insertRound(at, texts);
          return TOKENS.length;
        },
      },
    ],
    ROUNDS,
  );
  const ofBare = printRates(`${title}: a round of ${TOKENS.length} tokens, premiums`, rates);
  const seconds = TOKENS.length / rates[0]!.perSecond;
  print(
    `${title}: ${seconds.toFixed(3)} s for ${TOKENS.length} tokens, ${statementsOfRound} statements besides begin and commit.`,
  );
  printTargets({ name: `${title}: a round stored`, measured: ofBare, atLeast: TARGETS[engine] });
}

/** Unix seconds of one round after the other. */
function roundTimes(): () => number {
  let at = LAST_HOUR * HOUR_SECONDS - ROUND_SECONDS;
  return () => {
    at += ROUND_SECONDS;
    return at;
  };
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
