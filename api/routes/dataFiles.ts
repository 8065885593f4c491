/** /api/v1/files: daily files, and the manifest of all their revisions. */
import { z } from "zod";
import type { DataDeps } from "../data/answers.ts";
import { LIFETIME_SECONDS } from "../data/answers.ts";
import { findFile } from "../data/dayFiles.ts";
import { FileDataset, FilesAnswer } from "../data/fileSchemas.ts";
import { CONTENT_TYPES, format } from "../data/formats.ts";
import { FilePlace, manifestWritten } from "../data/manifest.ts";
import { rows, someOf, words } from "../data/query.ts";
import { listedResponses } from "../data/responses.ts";
import { textsOf } from "../data/texts.ts";
import { windowOf } from "../data/windows.ts";
import { answerOf, replyOf } from "../data/written.ts";
import { named } from "../docs/operations.ts";
import { streamWith } from "../http/cacheReply.ts";
import { Problem } from "../http/problems.ts";
import { defineRoute, type Route } from "../http/route.ts";

const common = { tags: ["Data"], auth: "key", recentKeyWillDo: true } as const;
/** The content of such an address never changes; it needs a key all the same. */
const FOR_EVER = "private, max-age=31536000, immutable";

const PAGE = 500;
const day = (description: string) => z.iso.date().optional().describe(description);

const FilesQuery = z.strictObject({
  dataset: someOf(FileDataset, `Only of these datasets, with commas between: ${words(FileDataset)}`),
  from: day("Only of this day (UTC) or later ones"),
  to: day("Only of days before this one"),
  limit: rows(PAGE)
    .default(PAGE)
    .meta({
      description: "Revisions in a page; each is listed as CSV and as NDJSON",
      override: { type: "integer", minimum: 1, maximum: PAGE, default: PAGE },
    }),
  cursor: z.string().max(200).optional().describe("Where the page begins: `next_cursor` of the page before"),
  format,
});

const FILE = /^([1-9][0-9]{0,5})\.(csv|ndjson)$/;
const FileParams = z.object({
  dataset: FileDataset.describe("What is in it"),
  day: z.iso.date().describe("UTC"),
  file: z.string().regex(FILE).describe("Its revision and its format: `1.csv`"),
});

export function fileRoutes(deps: Pick<DataDeps, "read" | "now" | "simulated">): Route[] {
  const { attribution } = textsOf(deps.simulated);
  return [
    defineRoute({
      ...common,
      ...named("dataFiles"),
      path: "/api/v1/files",
      query: FilesQuery,
      responses: listedResponses("A page of the manifest", FilesAnswer),
      async handle(call) {
        const { cursor, ...query } = call.query;
        const { after } = windowOf({ cursor }, FilePlace, PAGE) ?? {};
        const page = await deps.read((db) =>
          manifestWritten({ db, now: deps.now }, attribution, { ...query, after }),
        );
        return replyOf(answerOf(page), call, `private, max-age=${LIFETIME_SECONDS}`);
      },
    }),

    defineRoute({
      ...common,
      ...named("dataFile"),
      path: "/api/v1/files/:dataset/:day/:file",
      params: FileParams,
      responses: {
        200: {
          description: "The file",
          schema: z.string(),
          contentType: ["text/csv", "application/x-ndjson"],
          headers: { ETag: { description: "By its SHA-256" } },
        },
        304: { description: "The client already has this file" },
      },
      async handle({ params: { dataset, day, file }, headers }) {
        const [, revision, form] = FILE.exec(file) ?? [];
        const format = form === "csv" ? "csv" : "ndjson";
        const found = await deps.read((db) =>
          findFile(db, { dataset, day, revision: Number(revision) }, format),
        );
        if (found === null) throw new Problem("not_found", "there is no such file; /api/v1/files lists them");
        return streamWith(found.pieces, headers, FOR_EVER, {
          "Content-Type": CONTENT_TYPES[format],
          ETag: `W/"${found.sha256}"`,
        });
      },
    }),
  ];
}
