/**
 * The speed of the stored series: a year of hours of 1,000 symbols, on SQLite and on PostgreSQL. It is read cold and
 * warm against the bare driver, and at a tenth of the rows. Also rounds of all tokens against bare bulk inserts, and the
 * answers over HTTP.
 */
import { sql } from "kysely";
import { migrate } from "../../database/migrate.ts";
import { type Database, type Engine, engineOf, openDatabase } from "../../database/open.ts";
import { premiumPoints } from "../../market/queries.ts";
import { HOUR_SECONDS } from "../../market/series/hours.ts";
import { premiumSeries } from "../../market/series/premium.ts";
import { liveKey } from "../../test/support/samples.ts";
import { type Bare, openBare } from "./data/bare.ts";
import { overHttp } from "./data/http.ts";
import { ingest } from "./data/ingest.ts";
import {
  counted,
  inMs,
  milliseconds,
  optionsGiven,
  printRates,
  printTable,
  printTargets,
  progress,
  quantile,
  sideBySide,
  wholeNumber,
} from "./measure.ts";
import { ENGINE_NAMES, ENGINES, type NewDatabase, withEngine, withFolder } from "./places.ts";

const HOURS = 365 * 24;
const LAST_HOUR = 498_000;
const SCANNED_HOURS = 90 * 24;
const ROUNDS = 9;
const SCANS_A_ROUND = 50;
const COLD_READS = 200;
/** Of one transaction. */
const SYMBOLS_AT_ONCE = 50;

/** Hours of the databases that rounds are stored in: as many of a series as its pages need to be apart from others'. */
const HOURS_BEFORE = 30 * 24;
const TOKENS = 846;

/** Of bare bulk inserts. */
const INGEST = { sqlite: 0.6, postgres: 0.5 };
const RANGE = { from: (LAST_HOUR - SCANNED_HOURS) * HOUR_SECONDS, to: LAST_HOUR * HOUR_SECONDS };

const QUERY = `select hour, close, lo, hi, net_edge, samples, origin_id from hour_buckets
  where series_id = ? and hour >= ? and hour < ? order by hour`;
/** What is served of an hour beyond: half of the columns. */
const SERVED = QUERY.replace("select", "select series_id, funding_annual, reference_age, witnesses, spread,");

export async function bench(): Promise<void> {
  const given = optionsGiven({ symbols: { type: "string", default: "1000" } });
  const symbols = wholeNumber("symbols", given.symbols, 10);
  for (const engine of ENGINES)
    await withEngine(engine, (newDatabase) => stored(engine, newDatabase, symbols));
  await withFolder(overHttp);
}

async function stored(engine: Engine, newDatabase: NewDatabase, symbols: number): Promise<void> {
  const title = ENGINE_NAMES[engine];
  const small = await build(await newDatabase(), Math.round(symbols / 10), HOURS);
  const whole = await build(await newDatabase(), symbols, HOURS);
  await cold(title, whole);
  const { read, flat } = await warm(title, small, whole);
  const ours = await build(await newDatabase(), TOKENS, HOURS_BEFORE);
  const bare = await build(await newDatabase(), TOKENS, HOURS_BEFORE);
  const recorded = await ingest(title, engine, {
    ours: ours.url,
    bare: bare.url,
    from: LAST_HOUR * HOUR_SECONDS,
  });
  printTargets([
    { name: `${title}: a series from the database`, measured: read, wanted: { atLeast: 0.5 } },
    { name: `${title}: its speed at ten times the rows`, measured: flat, wanted: { atLeast: 0.9 } },
    { name: `${title}: a round stored`, measured: recorded, wanted: { atLeast: INGEST[engine] } },
  ]);
}

type Year = Awaited<ReturnType<typeof build>>;

/** By bare inserts: what is measured is reading it, and writing one round more. */
async function build(url: string, symbols: number, hours: number) {
  const from = performance.now();
  await using db = openDatabase(url, { patienceMs: null });
  await migrate(db);
  // It gets the number 1.
  await sql`insert into origins (source, session, reference_source, state, funding_state, halted)
    values ('bench', 'regular', 'feed', 'agreed', '', 0)`.execute(db);
  for (let first = 1; first <= symbols; first += SYMBOLS_AT_ONCE) {
    const last = Math.min(symbols, first + SYMBOLS_AT_ONCE - 1);
    const ids = Array.from({ length: last - first + 1 }, (_, n) => first + n);
    await db
      .insertInto("series")
      .values(ids.map((id) => ({ id, name: premiumSeries(liveKey(id)) })))
      .execute();
    await sql`with recursive hours (hour) as (
        select cast(${LAST_HOUR - hours} as integer) union all select hour + 1 from hours where hour < ${LAST_HOUR - 1}
      ), closes as (
        select series.id, hour, (series.id * 7919 + cast(hour as bigint) * 104729) % 1000003 - 500000 as close
        from series cross join hours where series.id between ${first} and ${last}
      )
      insert into hour_buckets (series_id, hour, close, lo, hi, net_edge, close_second, origin_id, samples)
      select id, hour, close, close - 40000, close + 35000, -close - 150000, 3300, 1, 12 from closes
      order by id, hour`.execute(db);
  }
  if (engineOf(db) === "postgres")
    await sql`select setval(pg_get_serial_sequence('series', 'id'), ${symbols})`.execute(db);
  await sql`analyze`.execute(db);
  const rows = symbols * hours;
  progress(`${counted(rows)} hours of ${symbols} symbols, built in ${inMs(performance.now() - from, 0)}`);
  return { url, symbols, rows };
}

const scan = (bare: Bare, query: string, symbol: number) =>
  bare.all(query, [symbol, LAST_HOUR - SCANNED_HOURS, LAST_HOUR]);

/** Symbols in an order that jumps over the file. */
const scattered = (index: number, symbols: number) => ((index * 7_919) % symbols) + 1;

/**
 * Each read on a connection of its own, which has cached nothing; the operating system may still hold the file.
 */
async function cold(title: string, year: Year): Promise<void> {
  const direct: number[] = [];
  const ours: number[] = [];
  for (let index = 0; index < COLD_READS; index++) {
    const symbol = scattered(index, year.symbols);
    await using bare = await openBare(year.url);
    direct.push(await milliseconds(() => scan(bare, QUERY, symbol)));
    await using db = openDatabase(year.url);
    // To connect is not measured.
    await sql`select 1`.execute(db);
    ours.push(await milliseconds(() => premiumPoints(db, liveKey(symbol), RANGE)));
  }
  const row = (name: string, times: readonly number[]) => [
    name,
    inMs(quantile(times, 0.5), 2),
    inMs(quantile(times, 0.99), 2),
  ];
  printTable(
    [`${title}: 90 days of one symbol, new connection`, "p50", "p99"],
    // The driver's own p99 tells how much of ours the machine causes.
    [row("`premiumPoints`", ours), row("the bare query", direct)],
  );
}

/** @returns the ratios to the bare query, and to a tenth of the rows */
async function warm(title: string, small: Year, whole: Year) {
  await using bare = await openBare(whole.url);
  await using db = openDatabase(whole.url);
  await using tenth = openDatabase(small.url);
  const times = (work: (symbol: number) => Promise<unknown>, symbols: number) => async () => {
    for (let index = 0; index < SCANS_A_ROUND; index++) await work(scattered(index % 10, symbols));
    return SCANS_A_ROUND;
  };
  const points = (from: Database, { symbols }: Year) =>
    times((symbol) => premiumPoints(from, liveKey(symbol), RANGE), symbols);
  const bareOf = (query: string) => times((symbol) => scan(bare, query, symbol), whole.symbols);
  const read = printRates(
    `${title}: 90 days of one symbol of ${counted(whole.rows)} hours, warm`,
    await sideBySide(
      [
        { name: "`premiumPoints`", round: points(db, whole) },
        { name: "the bare driver, the 12 columns that are served", round: bareOf(SERVED) },
        { name: "the bare driver, 7 columns", round: bareOf(QUERY) },
      ],
      ROUNDS,
    ),
  );
  const flat = printRates(
    `${title}: ten times the rows`,
    await sideBySide(
      [
        { name: `\`premiumPoints\` of ${counted(whole.rows)} hours`, round: points(db, whole) },
        { name: `of ${counted(small.rows)}`, round: points(tenth, small) },
      ],
      ROUNDS,
    ),
  );
  return { read, flat };
}
