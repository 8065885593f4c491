/** The manifest of daily files. */
import { z } from "zod";
import type { UnixMs } from "../../attestor/values/time.ts";
import type { Database } from "../../database/open.ts";
import { type FileEntry, fileEntries } from "./dayFiles.ts";
import { DataFile, FileDataset } from "./fileSchemas.ts";
import { format } from "./formats.ts";
import { dateTime } from "./json.ts";
import { cursor, rowsOfPage, someOf, words } from "./query.ts";
import { pageOf, windowOf } from "./windows.ts";
import { listWritten, type Written } from "./written.ts";

const PAGE = 500;

const FilePlace = z.tuple([z.iso.date(), z.string().max(20), z.int().min(1)]);

const day = (description: string) => z.iso.date().optional().describe(description);

export const FilesQuery = z.strictObject({
  dataset: someOf(FileDataset, `Only of these datasets, with commas between: ${words(FileDataset)}`),
  from: day("Only of this day (UTC) or later ones"),
  to: day("Only of days before this one"),
  limit: rowsOfPage("Revisions in a page; each is listed as CSV and as NDJSON", PAGE, PAGE),
  cursor,
  format,
});

const FORMS = ["csv", "ndjson"] as const;

/** @throws DatabaseUnavailable */
export async function manifestWritten(
  { db, now }: { readonly db: Database; readonly now: () => UnixMs },
  attribution: string,
  { cursor, format, ...query }: z.infer<typeof FilesQuery>,
): Promise<Written> {
  const { limit, from = null, to = null } = query;
  const { after } = windowOf({ cursor }, FilePlace, PAGE) ?? {};
  const { page, next } = pageOf(
    await fileEntries(db, { ...query, after, limit: limit + 1 }),
    limit,
    ({ day, dataset, revision }) => [day, dataset, revision],
  );
  const files = page.flatMap((entry) => FORMS.map((form) => listed(entry, form)));
  const about = {
    ...{ dataset: "files", attribution, units: { bytes: "of the uncompressed file" } },
    ...{ window: { from, to }, now: Math.floor(now() / 1_000) },
  };
  return listWritten(
    format,
    about,
    Object.keys(DataFile.shape),
    next,
    () => files,
    () => JSON.stringify({ attribution, files, next_cursor: next }),
  );
}

function listed({ day, dataset, revision, ...entry }: FileEntry, form: (typeof FORMS)[number]) {
  return {
    ...{ day, dataset, revision, format: form },
    url: `/api/v1/files/${dataset}/${day}/${revision}.${form}`,
    sha256: entry[`${form}_sha256`],
    bytes: entry[`${form}_bytes`],
    rows: entry.rows,
    made_at: dateTime(entry.made_at),
  };
}
