/**
 * The speed of the stored series: a year of hours of 1,000 symbols in one SQLite file. It is read cold and warm
 * against the bare database, and at a tenth of the rows. Also one round of ingest against bare inserts, and the
 * answers over HTTP.
 */
import { join } from "node:path";
import BetterSqlite3 from "better-sqlite3";
import { migrate } from "../../database/migrate.ts";
import { type Database, openDatabase } from "../../database/open.ts";
import { premiumPoints } from "../../market/queries.ts";
import { premiumSeries, recordPremiums } from "../../market/series/premium.ts";
import { premiumSample } from "../../test/support/samples.ts";
import { overHttp } from "./dataHttp.ts";
import { optionsGiven, wholeNumber, withFolder } from "./given.ts";
import { milliseconds, printRates, quantile, sideBySide } from "./measure.ts";

const HOURS = 365 * 24;
const LAST_HOUR = 498_000;
const SCANNED_HOURS = 90 * 24;
const ROUNDS = 9;
const SCANS_A_ROUND = 50;
const COLD_READS = 200;

const NAME = (symbol: number) => `eip155:56:0x${symbol.toString(16).padStart(40, "0")}`;
const RANGE = { from: (LAST_HOUR - SCANNED_HOURS) * 3_600, to: LAST_HOUR * 3_600 };

const HOUR_COLUMNS = "series_id, hour, close, lo, hi, net_edge, close_second, origin_id, samples";
const QUERY = `select hour, close, lo, hi, net_edge, samples, origin_id from hour_buckets
  where series_id = ? and hour >= ? and hour < ? order by hour`;

export async function bench(): Promise<void> {
  const given = optionsGiven({ symbols: { type: "string", default: "1000" } });
  const symbols = wholeNumber("symbols", given.symbols, 10);
  await withFolder(async (folder) => {
    const small = await build(join(folder, "tenth.db"), Math.round(symbols / 10));
    const whole = await build(join(folder, "whole.db"), symbols);
    await cold(whole);
    await warm(small, whole);
    await ingest(whole, symbols);
    await overHttp(folder);
  });
}

type Year = Awaited<ReturnType<typeof build>>;

/** By bare inserts: what is measured is reading it, and writing one round more. */
async function build(file: string, symbols: number) {
  const from = performance.now();
  const db = openDatabase(`sqlite:${file}`);
  await migrate(db);
  await db.destroy();
  const bare = new BetterSqlite3(file);
  bare.pragma("synchronous = OFF");
  bare.exec("insert into origins values (1, 'bench', 'regular', 'feed', 'agreed', '', 0)");
  const series = bare.prepare("insert into series (id, name) values (?, ?)");
  const bucket = bare.prepare(
    `insert into hour_buckets (${HOUR_COLUMNS}) values (?, ?, ?, ?, ?, ?, 3300, 1, 12)`,
  );
  for (let symbol = 1; symbol <= symbols; symbol++)
    bare.transaction(() => {
      series.run(symbol, premiumSeries(NAME(symbol)));
      for (let hour = LAST_HOUR - HOURS; hour < LAST_HOUR; hour++) {
        const close = ((symbol * 7_919 + hour * 104_729) % 1_000_003) - 500_000;
        bucket.run(symbol, hour, close, close - 40_000, close + 35_000, -close - 150_000);
      }
    })();
  bare.close();
  const rows = symbols * HOURS;
  const seconds = ((performance.now() - from) / 1_000).toFixed(0);
  console.log(`${rows.toLocaleString("en")} hours of ${symbols} symbols, built in ${seconds} s`);
  return { file, symbols, rows };
}

function bareOf({ file }: Year): BetterSqlite3.Database {
  return new BetterSqlite3(file, { readonly: true });
}

function bareScan(db: BetterSqlite3.Database): (symbol: number) => unknown[] {
  const statement = db.prepare(QUERY);
  return (symbol) => statement.all(symbol, LAST_HOUR - SCANNED_HOURS, LAST_HOUR);
}

/** Symbols in an order that jumps over the file. */
const scattered = (index: number, symbols: number) => ((index * 7_919) % symbols) + 1;

/**
 * Each read on a connection of its own, whose page cache is empty; the operating system may still hold
 * the file.
 */
async function cold(year: Year): Promise<void> {
  const bare: number[] = [];
  const ours: number[] = [];
  for (let index = 0; index < COLD_READS; index++) {
    const symbol = scattered(index, year.symbols);
    const direct = bareOf(year);
    bare.push(await milliseconds(() => bareScan(direct)(symbol)));
    direct.close();
    const db = openDatabase(`sqlite:${year.file}`);
    ours.push(await milliseconds(() => premiumPoints(db, NAME(symbol), RANGE)));
    await db.destroy();
  }
  const [bareHalf, bareMost] = [quantile(bare, 0.5), quantile(bare, 0.99)];
  const [half, most] = [quantile(ours, 0.5), quantile(ours, 0.99)];
  console.log("\n90 days of one symbol, cold connection");
  // The bare p99 tells how much of the other is the machine's own unrest.
  console.log(
    `  bare database query                p50 ${bareHalf.toFixed(2)} ms   p99 ${bareMost.toFixed(2)} ms`,
  );
  console.log(`  premiumPoints                      p50 ${half.toFixed(2)} ms   p99 ${most.toFixed(2)} ms`);
  console.log(
    `  p99 to the bare p50                ${(most / bareHalf).toFixed(2)} x, to the bare p99 ${(most / bareMost).toFixed(2)} x`,
  );
}

async function warm(small: Year, whole: Year): Promise<void> {
  const bare = bareOf(whole);
  const scan = bareScan(bare);
  const [db, tenth] = [openDatabase(`sqlite:${whole.file}`), openDatabase(`sqlite:${small.file}`)];
  const points =
    (from: Database, { symbols }: Year) =>
    async () => {
      for (let index = 0; index < SCANS_A_ROUND; index++)
        await premiumPoints(from, NAME(scattered(index % 10, symbols)), RANGE);
      return SCANS_A_ROUND;
    };
  printRates(
    `90 days of one symbol, warm: ${whole.rows.toLocaleString("en")} rows, against the bare query`,
    await sideBySide(
      [
        { name: "premiumPoints", round: points(db, whole) },
        {
          name: "bare better-sqlite3, the same range",
          round: async () => {
            for (let index = 0; index < SCANS_A_ROUND; index++) scan(scattered(index % 10, whole.symbols));
            return SCANS_A_ROUND;
          },
        },
      ],
      ROUNDS,
    ),
  );
  printRates(
    "Ten times the rows, against a tenth",
    await sideBySide(
      [
        { name: `premiumPoints of ${whole.rows.toLocaleString("en")} rows`, round: points(db, whole) },
        { name: `premiumPoints of ${small.rows.toLocaleString("en")} rows`, round: points(tenth, small) },
      ],
      ROUNDS,
    ),
  );
  bare.close();
  await db.destroy();
  await tenth.destroy();
}

/** One round: a sample of every symbol, in one transaction. The bare contestant stores the same two rows for each. */
async function ingest(year: Year, symbols: number): Promise<void> {
  const db = openDatabase(`sqlite:${year.file}`);
  const bare = new BetterSqlite3(year.file);
  bare.pragma("synchronous = FULL");
  const raw = bare.prepare("insert into raw_samples values (?, ?, ?)");
  const bucket = bare.prepare(
    `insert or replace into hour_buckets (${HOUR_COLUMNS}) values (?, ?, ?, ?, ?, ?, 3300, 1, 12)`,
  );
  let moment = LAST_HOUR * 3_600;
  const samplesOf = (sampledAt: number) =>
    Array.from({ length: symbols }, (_, index) =>
      premiumSample(NAME(index + 1), sampledAt, { tokenPriceUsd: `101.${index}`, sharesPerToken: "1.0057" }),
    );
  const rates = await sideBySide(
    [
      {
        name: "recordPremiums: checked, judged, merged, raw and hour",
        async round() {
          moment += 300;
          await recordPremiums(db, samplesOf(moment), moment);
          return symbols;
        },
      },
      {
        name: "bare inserts of the same rows, one transaction",
        async round() {
          moment += 300;
          const at = moment;
          const texts = samplesOf(at).map((sample) => JSON.stringify(sample));
          bare.transaction(() => {
            texts.forEach((text, index) => {
              raw.run(index + 1, at, text);
              bucket.run(index + 1, Math.floor(at / 3_600), 1, 1, 1, 1);
            });
          })();
          return symbols;
        },
      },
    ],
    ROUNDS,
  );
  printRates(`One round of ${symbols} symbols, samples a second`, rates);
  const roundMs = (symbols * 1_000) / rates[0]!.perSecond;
  console.log(`  a round takes ${roundMs.toFixed(0)} ms`);
  bare.close();
  await db.destroy();
}
