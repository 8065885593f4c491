/**
 * The speed of the stored series, on SQLite and on PostgreSQL: reading and storing against the bare driver. Then the answers
 * over HTTP against bare Express.
 */
import { overHttp } from "./data/http.ts";
import { storeRounds } from "./data/rounds.ts";
import { readSeries } from "./data/series.ts";
import { ENGINES, openDatabases } from "./fixtures.ts";
import { numberOption } from "./measure.ts";

export async function bench(): Promise<void> {
  const symbols = numberOption("symbols", 1_000, 10);
  for (const engine of ENGINES) {
    await using databases = await openDatabases(engine);
    await readSeries(databases, symbols);
    await storeRounds(databases);
  }
  await overHttp();
}
