/** The members that samples of every kind have, as schemas. */
import { z } from "zod";
import { Text } from "../../attestor/values/primitives.ts";
import { SeriesDecimal } from "./units.ts";

const PLAIN_DECIMAL = /^[0-9]{1,40}(\.[0-9]{1,40})?$/;

/** The rules after this one see decimal numbers alone. */
const DECIMAL = { error: "must be a decimal number", abort: true };

/** One text per number: `"270.5"`. */
const canonical = (text: string) => new SeriesDecimal(text).toFixed();

/** US dollars, above zero. */
export const Price = z
  .string()
  .regex(PLAIN_DECIMAL, DECIMAL)
  .refine((text) => new SeriesDecimal(text).gt(0), { error: "must be above zero", abort: true })
  .overwrite(canonical);

/** US dollars, 0 included. */
export const Amount = z.string().regex(PLAIN_DECIMAL, DECIMAL).overwrite(canonical);

/** A signed decimal number. */
export const Signed = z
  .string()
  .regex(/^-?[0-9]{1,12}(\.[0-9]{1,40})?$/, DECIMAL)
  .overwrite((text) => (new SeriesDecimal(text).isZero() ? "0" : canonical(text)));

export const Stamp = {
  /** Unix seconds. */
  sampledAt: z.int().min(0).max(4_102_444_800),
  /** Who measured: a provider's name, `chain`, or `simulated`. */
  source: Text.min(1).max(40),
  /** Of the stock market at that moment. */
  session: Text.min(1).max(24),
};
export const AssetKey = Text.min(1).max(80);
export const Ticker = Text.min(1).max(16);
export const AgeSeconds = z.int().min(0).nullable().default(null);
export const Witnesses = z.int().min(1).max(99).nullable().default(null);
