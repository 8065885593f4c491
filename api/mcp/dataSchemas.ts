/** What the data tools take and give: little, since a model reads all of it. */
import { z } from "zod";
import { CHAIN_NAMES } from "../../attestor/chains.ts";
import { Text } from "../../attestor/values/primitives.ts";

/** Longer than any symbol, ticker or venue. */
const Name = Text.min(1).max(24);
const MOST_HOURS = 168;

export const HistoryInput = z
  .strictObject({
    symbol: Name.optional().describe("Token, such as AAPLx: its premium"),
    underlying: Name.optional().describe("Or a stock's ticker, such as AAPL: the basis of its perpetual"),
    chain: z.enum(CHAIN_NAMES).optional().describe("Where the symbol is on several"),
    venue: Name.optional().describe("Of the perpetual"),
    days: z.int().min(1).max(30).default(1),
    limit: z.int().min(1).max(MOST_HOURS).default(24).describe("Hours, the latest ones"),
  })
  .refine(({ symbol, underlying }) => (symbol === undefined) !== (underlying === undefined), {
    path: ["symbol"],
    error: "give either symbol or underlying",
  });

const Cell = z.union([z.string(), z.number(), z.null()]);

export const History = z.object({
  of: z.string(),
  chain: z.string().nullable(),
  venue: z.string().nullable(),
  hours: z.int().describe("In those days"),
  columns: z.array(z.string()),
  rows: z.array(z.array(Cell)).describe("Oldest first; null: not known"),
  attribution: z.string(),
  next: z.string(),
});
