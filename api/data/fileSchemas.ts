/** What the data API answers of daily files. */
import { z } from "zod";
import { worded } from "../http/worded.ts";
import WORDS from "./fileDescriptions.json" with { type: "json" };
import { Attribution, DateTime } from "./members.ts";

export const FileDataset = z.enum(["premiums", "bases", "totals"]);
const FileFormat = z.enum(["csv", "ndjson"]);

export const DataFile = z
  .object(
    worded(WORDS.DataFile, {
      day: z.string().meta({ format: "date" }),
      dataset: FileDataset,
      revision: z.int().min(1),
      format: FileFormat,
      url: z.string(),
      sha256: z.string().regex(/^[0-9a-f]{64}$/),
      bytes: z.int(),
      rows: z.int(),
      made_at: DateTime,
    }),
  )
  .meta({ id: "DataFile" });

export const FilesAnswer = z
  .object({
    attribution: Attribution,
    ...worded(WORDS.Files, { files: z.array(DataFile), next_cursor: z.string().nullable() }),
  })
  .meta({ id: "DataFiles" });
