/** The members that samples of every kind have, as schemas. */
import { z } from "zod";
import { Text } from "../../attestor/values/primitives.ts";
import { SeriesDecimal } from "./units.ts";

const PLAIN_DECIMAL = /^[0-9]{1,40}(\.[0-9]{1,40})?$/;

/** The rules after this one see decimal numbers alone. */
const DECIMAL = { error: "must be a decimal number", abort: true };

const CANONICAL = /^-?(0|[1-9][0-9]*)(\.[0-9]*[1-9])?$/;

/** One text per number: `"270.5"`. Nearly all come so, and to parse a number takes longer than to look at it. */
const canonical = (text: string) => (CANONICAL.test(text) ? text : new SeriesDecimal(text).toFixed());

/** US dollars, above zero. */
export const Price = z
  .string()
  .regex(PLAIN_DECIMAL, DECIMAL)
  .refine((text) => /[1-9]/.test(text), { error: "must be above zero", abort: true })
  .overwrite(canonical);

/** US dollars, 0 included. */
export const Amount = z.string().regex(PLAIN_DECIMAL, DECIMAL).overwrite(canonical);

/** A signed decimal number. */
export const Signed = z
  .string()
  .regex(/^-?[0-9]{1,40}(\.[0-9]{1,40})?$/, DECIMAL)
  .overwrite((text) => (/[1-9]/.test(text) ? canonical(text) : "0"));

/** Sources of a level, in the order of their names; longer lists are no figure's. */
export const Sources = Text.min(1).max(120);

export const Stamp = {
  /** Unix seconds. */
  sampledAt: z.int().min(0).max(4_102_444_800),
  /** The sources: names of providers, `chain`, or `simulated`, separated by commas where a figure is the median of several. */
  source: Sources,
  /** Of the stock market at that moment. */
  session: Text.min(1).max(24),
};

/** How the sources of a figure stand to each other; null: there is no figure. */
export const FigureState = z.enum(["agreed", "single", "disputed"]).nullable().default(null);
export type FigureState = z.output<typeof FigureState>;
export const Halted = z.boolean().default(false);

/** Of a figure that is made of several levels: prices, shares. */
export const Agreement = {
  /** Sources that agree: the fewest of those of its levels; null: nobody counted. */
  witnesses: z.int().min(1).max(99).nullable().default(null),
  /** Of its levels' the worst. */
  state: FigureState,
  /** How far the sources that agree let the figure vary, basis points; null: fewer than two of each level agree. */
  spreadBps: Signed.nullable().default(null),
  /** Whether the token is paused, or its stock halted. */
  halted: Halted,
};

/** One witness of a figure, as a raw sample lists it, so that anybody can compute the figure again. */
export const Input = z.tuple([
  /** What it speaks of. */
  z.enum(["price", "ratio", "reference", "mark", "funding"]),
  Text.min(1).max(40),
  /** Its word, decimal text. */
  z.string().regex(/^-?[0-9]{1,40}(\.[0-9]{1,60})?$/),
  /** Seconds since it said so; null: not known. */
  z.int().nullable(),
  /** 1: it counts; 0: it does not. */
  z.literal([0, 1]),
]);
export type Input = z.infer<typeof Input>;
export const Inputs = z.array(Input).max(40).default([]);

export const AssetKey = Text.min(1).max(80);
export const Ticker = Text.min(1).max(16);
export const AgeSeconds = z.int().min(0).nullable().default(null);
