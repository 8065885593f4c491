/** The manifest of daily files. */
import { z } from "zod";
import type { UnixMs } from "../../attestor/values/time.ts";
import type { Database } from "../../database/open.ts";
import { type FileEntry, fileEntries } from "./dayFiles.ts";
import { DataFile } from "./fileSchemas.ts";
import { type Format, listAs } from "./formats.ts";
import { dateTime } from "./json.ts";
import { pageOf } from "./windows.ts";
import type { Written } from "./written.ts";

export const FilePlace = z.tuple([z.iso.date(), z.string().max(20), z.int().min(1)]);

export interface ManifestQuery {
  readonly dataset?: readonly string[] | undefined;
  /** YYYY-MM-DD. */
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  /** Revisions of a page, each of which is a file in two forms. */
  readonly limit: number;
  readonly after?: z.infer<typeof FilePlace> | undefined;
  readonly format: Format;
}

const FORMS = ["csv", "ndjson"] as const;

/** @throws DatabaseUnavailable */
export async function manifestWritten(
  { db, now }: { readonly db: Database; readonly now: () => UnixMs },
  attribution: string,
  query: ManifestQuery,
): Promise<Written> {
  const { limit, format, from = null, to = null } = query;
  const { page, next } = pageOf(
    await fileEntries(db, { ...query, limit: limit + 1 }),
    limit,
    ({ day, dataset, revision }) => [day, dataset, revision],
  );
  const files = page.flatMap((entry) => FORMS.map((form) => listed(entry, form)));
  if (format === "json") return { text: JSON.stringify({ attribution, files, next_cursor: next }), next };
  const meta = {
    ...{ dataset: "files", attribution, units: { bytes: "of the uncompressed file" }, next_cursor: next },
    window: { from, to },
    generated_at: dateTime(Math.floor(now() / 1_000)),
  };
  return { ...listAs(format, meta, Object.keys(DataFile.shape), files), next };
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
