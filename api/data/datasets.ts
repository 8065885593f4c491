/** What a day of each dataset is: its columns, its units, its rows. */
import type { Database } from "../../database/open.ts";
import {
  basisIn,
  dailyTotals,
  hoursOf,
  type MarketAsset,
  type NamedSeries,
  premiumIn,
  seriesNamed,
} from "../../market/queries.ts";
import type { Dataset } from "../../market/series/changedDays.ts";
import { BASIS, PUBLIC_PREMIUM } from "./faces.ts";
import type { Row } from "./formats.ts";
import { basisHistory, daySeries, publicPremium } from "./json.ts";
import { TOTAL_UNITS } from "./overviewPages.ts";
import { DayTotal } from "./schemas.ts";

export interface Sources {
  readonly db: Database;
  readonly assets: readonly MarketAsset[];
}

export interface DatasetFiles {
  readonly columns: readonly string[];
  readonly units: Readonly<Record<string, string>>;
  /** How long after a day its file is made: late samples come in the first minutes, of totals in the first hour. */
  readonly afterSeconds: number;
  /** In an order that is always the same, some at a time. @throws DatabaseUnavailable */
  rowsOf(sources: Sources, day: string): AsyncIterable<readonly Row[]>;
}

const MINUTE = 60;
const DAY_SECONDS = 86_400;
const SERIES_AT_ONCE = 100;

const TOKEN = ["asset_key", "symbol", "chain", "address", "underlying", "issuer"] as const;

export const DATASET_FILES: Readonly<Record<Dataset, DatasetFiles>> = {
  premiums: {
    columns: [...TOKEN, ...PUBLIC_PREMIUM.columns],
    units: PUBLIC_PREMIUM.units,
    afterSeconds: 15 * MINUTE,
    rowsOf({ db, assets }, day) {
      const byKey = new Map(assets.map((asset) => [asset.assetKey, asset]));
      return hoursOfDay(db, "premium", day, premiumIn, publicPremium, (name) => {
        const asset_key = name.slice("premium/".length);
        const { symbol, chain, address, underlying, issuer } = byKey.get(asset_key) ?? {};
        return { asset_key, symbol, chain, address, underlying, issuer };
      });
    },
  },
  bases: {
    columns: ["underlying", "venue", ...BASIS.columns],
    units: BASIS.units,
    afterSeconds: 15 * MINUTE,
    rowsOf: ({ db }, day) =>
      hoursOfDay(db, "basis", day, basisIn, basisHistory, (name) => {
        const [, venue, underlying] = name.split("/");
        return { underlying, venue };
      }),
  },
  totals: {
    columns: Object.keys(DayTotal.shape),
    units: TOTAL_UNITS,
    afterSeconds: 75 * MINUTE,
    async *rowsOf({ db }, day) {
      yield JSON.parse(daySeries(await dailyTotals(db, day, day))) as Row[];
    },
  },
};

/** By series, then by hour. */
async function* hoursOfDay<P>(
  db: Database,
  kind: "premium" | "basis",
  day: string,
  pointOf: Parameters<typeof hoursOf<P>>[3],
  json: (points: readonly P[]) => string,
  tellSeries: (name: string) => Row,
): AsyncGenerator<Row[]> {
  const from = Date.parse(day) / 1_000;
  const all = await seriesNamed(db, kind);
  for (let at = 0; at < all.length; at += SERIES_AT_ONCE) {
    const some: readonly NamedSeries[] = all.slice(at, at + SERIES_AT_ONCE);
    const hours = await hoursOf(db, some, { from, to: from + DAY_SECONDS }, pointOf);
    yield some.flatMap(({ id, name }) => {
      const points = hours.get(id);
      if (points === undefined) return [];
      const series = tellSeries(name);
      return (JSON.parse(json(points)) as Row[]).map((point) => ({ ...series, ...point }));
    });
  }
}
