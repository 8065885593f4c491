/** What a round of all listed tokens' premiums costs to store, beside bare bulk inserts of the same rows. */
import { sql } from "kysely";
import { type Database, type Engine, openDatabase } from "../../../database/open.ts";
import { recordPremiums } from "../../../market/series/premium.ts";
import { liveSample } from "../../../test/support/samples.ts";
import { print, printRates, sideBySide } from "../measure.ts";
import { openBare } from "./bare.ts";

const TOKENS = Array.from({ length: 846 }, (_, token) => token + 1);
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
