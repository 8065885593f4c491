/** Reads 90 days of one symbol, warm: against the bare driver, and against a tenth of the rows. */
import { type Database, openDatabase } from "../../../database/open.ts";
import { premiumPoints } from "../../../market/queries.ts";
import { HOUR_SECONDS } from "../../../market/series/hours.ts";
import { liveKey } from "../../../test/support/samples.ts";
import type { Databases } from "../fixtures.ts";
import { counted, printRates, printTargets, sideBySide } from "../measure.ts";
import { openBare } from "./bare.ts";
import { type Filled, fillDatabase, LAST_HOUR } from "./filled.ts";

const HOURS = 365 * 24;
const FIRST_READ_HOUR = LAST_HOUR - 90 * 24;
const RANGE = { from: FIRST_READ_HOUR * HOUR_SECONDS, to: LAST_HOUR * HOUR_SECONDS };
const ROUNDS = 9;
const READS_A_ROUND = 50;
/** Read in turn. */
const SYMBOLS = 10;

const QUERY = `select hour, close, lo, hi, net_edge, samples, origin_id from hour_buckets
  where series_id = ? and hour >= ? and hour < ? order by hour`;
/** What is served of an hour beyond: half of the columns. */
const SERVED = QUERY.replace("select", "select series_id, funding_annual, reference_age, witnesses, spread,");

/** @param symbols of a database of a year */
export async function readSeries(databases: Databases, symbols: number): Promise<void> {
  const { title } = databases;
  const small = await fillDatabase(databases, Math.round(symbols / 10), HOURS);
  const whole = await fillDatabase(databases, symbols, HOURS);
  await using bare = await openBare(whole.url);
  await using db = openDatabase(whole.url);
  await using tenth = openDatabase(small.url);
  const points = (from: Database, { symbols: among }: Filled) =>
    reads(among, (symbol) => premiumPoints(from, liveKey(symbol), RANGE));
  const rows = (query: string) =>
    reads(whole.symbols, (symbol) => bare.all(query, [symbol, FIRST_READ_HOUR, LAST_HOUR]));

  const ofBare = printRates(
    `${title}: 90 days of one symbol of ${counted(whole.rows)} hours, warm`,
    await sideBySide(
      [
        { name: "`premiumPoints`", round: points(db, whole) },
        { name: "the bare driver, the 12 columns that are served", round: rows(SERVED) },
        { name: "the bare driver, 7 columns", round: rows(QUERY) },
      ],
      ROUNDS,
    ),
  );
  const ofTenth = printRates(
    `${title}: ten times the rows`,
    await sideBySide(
      [
        { name: `\`premiumPoints\` of ${counted(whole.rows)} hours`, round: points(db, whole) },
        { name: `of ${counted(small.rows)}`, round: points(tenth, small) },
      ],
      ROUNDS,
    ),
  );
  printTargets(
    { name: `${title}: a series from the database`, measured: ofBare, atLeast: 0.5 },
    { name: `${title}: its speed at ten times the rows`, measured: ofTenth, atLeast: 0.9 },
  );
}

/** A round of reads. @param among so many symbols, in an order that jumps over the file */
const reads = (among: number, read: (symbol: number) => Promise<unknown>) => async () => {
  for (let index = 0; index < READS_A_ROUND; index++) await read((((index % SYMBOLS) * 7_919) % among) + 1);
  return READS_A_ROUND;
};
