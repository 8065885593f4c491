/** Read this first: what the server embeds in a token's page for its charts and its CSV, as the page reads it. */
import * as z from "zod/mini";

const Figures = z.array(z.nullable(z.number()));
const Hours = z.array(z.int());
/** Each a place in the block's `origins`. */
const Origins = z.array(z.int().check(z.minimum(0)));

/** Columns of one length, oldest first: hours, unix seconds, and what is known of each. */
const Measured = {
  hour: Hours,
  origin: Origins,
  /** Seconds; null: no reference, or of unknown age. */
  age: Figures,
  witnesses: Figures,
  samples: Figures,
  spread: Figures,
};
/** Of a figure: how its sources stand to each other; null: there is none, or it has no such state. */
const State = z.nullable(z.enum(["agreed", "single", "disputed"]));

const Premium = z.object({ ...Measured, close: Figures, lo: Figures, hi: Figures, edge: Figures });
const Basis = z.object({
  ...Measured,
  venue: z.nullable(z.string()),
  close: Figures,
  lo: Figures,
  hi: Figures,
  funding: Figures,
});
/** All figures in basis points; hours without samples are absent. */
const Block = z.object({
  token: z.object({ symbol: z.string(), underlying: z.string(), chain: z.string(), address: z.string() }),
  days: z.int(),
  /** Unix seconds, starts of hours; `to` is exclusive. */
  from: z.int(),
  to: z.int(),
  origins: z.array(
    z.object({
      source: z.string(),
      session: z.string(),
      reference: z.nullable(z.string()),
      state: State,
      halted: z.boolean(),
      funding: State,
    }),
  ),
  premium: Premium,
  basis: Basis,
});
export type SeriesBlock = z.infer<typeof Block>;
export const SeriesBlock = Block.check(
  z.refine(isWhole, { error: "columns of different lengths, or an origin that is not there" }),
);

function isWhole({ origins, premium, basis }: SeriesBlock): boolean {
  const even = [premium, basis].every((table) => {
    const columns = Object.values(table).filter((column) => Array.isArray(column));
    return columns.every(({ length }) => length === columns[0]?.length);
  });
  const named = [premium, basis].every(({ origin }) => origin.every((place) => place < origins.length));
  return even && named;
}

/**
 * @param text content of the page's data element
 * @throws Error when it is no block: page and script are of different versions
 */
export function readBlock(text: string): SeriesBlock {
  return SeriesBlock.parse(JSON.parse(text));
}
