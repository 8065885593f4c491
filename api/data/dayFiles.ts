/** Daily files: all that a day (UTC) has of a dataset, made once it is over and again when it has changed. */
import { createHash } from "node:crypto";
import { setImmediate } from "node:timers/promises";
import { promisify } from "node:util";
import { brotliCompress, brotliDecompress, constants } from "node:zlib";
import type { UnixMs, UnixSeconds } from "../../attestor/values/time.ts";
import type { Database } from "../../database/open.ts";
import type { MarketAsset } from "../../market/queries.ts";
import {
  type ChangedDay,
  changedDays,
  DATASETS,
  dayOf,
  forgetChange,
} from "../../market/series/changedDays.ts";
import { DATASET_FILES } from "./datasets.ts";
import { headOf, LICENCE, type Row, rowsAs, type TextFormat } from "./formats.ts";
import { dateTime } from "./json.ts";

export interface FileDeps {
  readonly db: Database;
  readonly assets: readonly MarketAsset[];
  readonly attribution: string;
  readonly now: () => UnixMs;
}

const DAY_SECONDS = 86_400;
/** Days that one turn looks at, of each dataset. */
const DAYS_A_TURN = 4;
const QUALITY = 7;

/** What stands before the rows. */
interface FileMeta {
  readonly dataset: string;
  readonly day: string;
  readonly revision: number;
  readonly made_at: string;
  readonly attribution: string;
  readonly licence: string;
  readonly units: Readonly<Record<string, string>>;
  readonly columns: readonly string[];
}

/**
 * Makes files of the days that have changed and that ended long enough ago, the newest first.
 * @returns how many revisions were written
 * @throws DatabaseUnavailable
 */
export async function makeFiles(deps: FileDeps): Promise<number> {
  const now = Math.floor(deps.now() / 1_000);
  let made = 0;
  for (const dataset of DATASETS) {
    const before = dayOf(now - DATASET_FILES[dataset].afterSeconds);
    const changed = await changedDays(deps.db, dataset, before, DAYS_A_TURN);
    for (const day of changed) if (await makeFile(deps, day, now)) made++;
  }
  return made;
}

/** @returns false where the day is as it was when its last revision was made */
async function makeFile(
  { db, assets, attribution }: FileDeps,
  changed: ChangedDay,
  now: UnixSeconds,
): Promise<boolean> {
  const { dataset, day } = changed;
  const { units, columns, rowsOf } = DATASET_FILES[dataset];
  const last = await db
    .selectFrom("data_files")
    .select(["revision", "content"])
    .where((eb) => eb.and({ dataset, day }))
    .orderBy("revision", "desc")
    .limit(1)
    .executeTakeFirst();
  const revision = (last?.revision ?? 0) + 1;
  const file: FileMeta = {
    ...{ dataset, day, revision, made_at: dateTime(now) },
    ...{ attribution, licence: LICENCE, units, columns },
  };
  const { content, rows, csv, ndjson, body } = await written(file, rowsOf({ db, assets }, day));
  const isNew = content !== last?.content && !(last === undefined && rows === 0);
  const packed = isNew ? (await promisify(brotliCompress)(body, PACKING)).toString("base64") : "";
  await db.transaction().execute(async (transaction) => {
    if (isNew)
      await transaction
        .insertInto("data_files")
        .values({
          ...{ dataset, day, revision, made_at: now, content, rows },
          ...{ meta: JSON.stringify(file), body: packed },
          ...{ csv_sha256: csv.sha256, csv_bytes: csv.bytes },
          ...{ ndjson_sha256: ndjson.sha256, ndjson_bytes: ndjson.bytes },
        })
        .execute();
    await forgetChange(transaction, changed);
  });
  return isNew;
}

const PACKING = {
  params: {
    [constants.BROTLI_PARAM_QUALITY]: QUALITY,
    [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT,
    [constants.BROTLI_PARAM_LGWIN]: constants.BROTLI_MAX_WINDOW_BITS,
  },
};

function counted(...begin: string[]) {
  const hash = createHash("sha256");
  let bytes = 0;
  const add = (text: string) => {
    hash.update(text);
    bytes += Buffer.byteLength(text);
  };
  for (const text of begin) add(text);
  return { add, done: () => ({ sha256: hash.digest("hex"), bytes }) };
}

/** Both forms of a file, of which the rows as NDJSON are kept. */
async function written(file: FileMeta, batches: AsyncIterable<readonly Row[]>) {
  const content = counted(JSON.stringify(file.columns));
  const csv = counted(csvHead(file));
  const ndjson = counted(ndjsonHead(file));
  const body: string[] = [];
  let rows = 0;
  for await (const batch of batches) {
    const lines = rowsAs("ndjson", file.columns, batch);
    for (const one of [content, ndjson]) one.add(lines);
    csv.add(rowsAs("csv", file.columns, batch));
    body.push(lines);
    rows += batch.length;
  }
  return {
    ...{ content: content.done().sha256, rows, csv: csv.done(), ndjson: ndjson.done() },
    body: Buffer.from(body.join("")),
  };
}

const ndjsonHead = (meta: FileMeta) => `${JSON.stringify({ meta })}\n`;

function csvHead({ dataset, day, revision, made_at, columns, ...about }: FileMeta): string {
  const next = dayOf(Date.parse(day) / 1_000 + DAY_SECONDS);
  return headOf(
    "csv",
    {
      ...{ dataset, attribution: about.attribution, licence: about.licence, units: about.units },
      ...{ generated_at: made_at, next_cursor: null },
      of: { day, revision: String(revision) },
      window: { from: `${day}T00:00:00.000Z`, to: `${next}T00:00:00.000Z` },
    },
    columns,
  );
}

export interface FileEntry {
  readonly day: string;
  readonly dataset: string;
  readonly revision: number;
  readonly made_at: UnixSeconds;
  readonly rows: number;
  readonly csv_sha256: string;
  readonly csv_bytes: number;
  readonly ndjson_sha256: string;
  readonly ndjson_bytes: number;
}

const ENTRY = [
  ...(["day", "dataset", "revision", "made_at", "rows"] as const),
  ...(["csv_sha256", "csv_bytes", "ndjson_sha256", "ndjson_bytes"] as const),
];

/** Where a page of the manifest begins. */
export type FilePlace = readonly [day: string, dataset: string, revision: number];

/** All revisions by day, dataset and revision, those after a place. @throws DatabaseUnavailable */
export async function fileEntries(
  db: Database,
  wanted: {
    readonly dataset?: readonly string[] | undefined;
    /** YYYY-MM-DD; the end is exclusive. */
    readonly from?: string | undefined;
    readonly to?: string | undefined;
    readonly after?: FilePlace | undefined;
    readonly limit: number;
  },
): Promise<FileEntry[]> {
  const { dataset, from, to, after, limit } = wanted;
  return await db
    .selectFrom("data_files")
    .select(ENTRY)
    .$if(dataset !== undefined, (query) => query.where("dataset", "in", dataset as string[]))
    .$if(from !== undefined, (query) => query.where("day", ">=", from as string))
    .$if(to !== undefined, (query) => query.where("day", "<", to as string))
    .$if(after !== undefined, (query) =>
      query.where(({ eb, refTuple, tuple }) =>
        eb(refTuple("day", "dataset", "revision"), ">", tuple(...(after as [string, string, number]))),
      ),
    )
    .orderBy("day")
    .orderBy("dataset")
    .orderBy("revision")
    .limit(limit)
    .execute();
}

const LINES_AT_ONCE = 1_000;

export interface DayFile {
  readonly pieces: AsyncIterable<string>;
  readonly bytes: number;
  /** Of the bytes, hexadecimal. */
  readonly sha256: string;
}

/** @returns null where there is none @throws DatabaseUnavailable */
export async function findFile(
  db: Database,
  { dataset, day, revision }: { readonly dataset: string; readonly day: string; readonly revision: number },
  format: TextFormat,
): Promise<DayFile | null> {
  const row = await db
    .selectFrom("data_files")
    .select(["meta", "body", "csv_sha256", "csv_bytes", "ndjson_sha256", "ndjson_bytes"])
    .where((eb) => eb.and({ dataset, day, revision }))
    .executeTakeFirst();
  if (row === undefined) return null;
  const pieces = piecesOf(JSON.parse(row.meta) as FileMeta, row.body, format);
  return format === "csv"
    ? { pieces, bytes: row.csv_bytes, sha256: row.csv_sha256 }
    : { pieces, bytes: row.ndjson_bytes, sha256: row.ndjson_sha256 };
}

async function* piecesOf(file: FileMeta, body: string, format: TextFormat): AsyncGenerator<string> {
  yield format === "csv" ? csvHead(file) : ndjsonHead(file);
  const text = (await promisify(brotliDecompress)(Buffer.from(body, "base64"))).toString();
  for (let at = 0; at < text.length; ) {
    const end = endOfLines(text, at);
    const lines = text.slice(at, end);
    yield format === "csv" ? rowsAs("csv", file.columns, rowsIn(lines)) : lines;
    at = end;
    // Others are served in between.
    await setImmediate();
  }
}

const rowsIn = (lines: string) =>
  lines
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as Row);

function endOfLines(text: string, from: number): number {
  let at = from;
  for (let line = 0; line < LINES_AT_ONCE; line++) {
    const end = text.indexOf("\n", at);
    if (end === -1) return text.length;
    at = end + 1;
  }
  return at;
}
