/**
 * A published point: one hour of a series, with what it was computed from. Its text is what the hourly signature covers, what
 * a correction keeps of before and after, and what `?proof=1` returns.
 */
import * as z from "zod";
import { canonicalJson } from "../values/canonical.ts";
import { Text, UnixSeconds } from "../values/primitives.ts";

export const POINT_SCHEMA = "assay.point/1";

const Decimal = z.string().regex(/^-?(0|[1-9][0-9]{0,39})(\.[0-9]{1,60})?$/, "must be a decimal number");
/** Basis points as decimal text; null: not known. */
const Bps = Decimal.nullable();
/** How the sources of a figure relate; null: there is no figure. */
const State = z.enum(["agreed", "single", "disputed"]).nullable();

/** What one source stated, so that anybody can compute the figure again. */
const Input = z.tuple([
  /** What it speaks of. */
  z.enum(["price", "ratio", "reference", "mark", "funding"]),
  Text.min(1).max(40),
  /** Its word, decimal text. */
  z.string().regex(/^-?[0-9]{1,40}(\.[0-9]{1,60})?$/),
  /** Seconds since it said so; null: not known. */
  z.int().nullable(),
  /** 1: it counts; 0: it does not. */
  z.union([z.literal(0), z.literal(1)]),
]);
export type Input = z.infer<typeof Input>;
const Stated = z.array(Input).max(40);

/** US dollars as decimal text; null: not known, or disputed. */
const Usd = Decimal.nullable();

export const PremiumInputs = z.strictObject({
  /** Per whole raw token. */
  tokenPriceUsd: Usd,
  sharesPerToken: Decimal.nullable(),
  /** Per share of the stock. */
  referencePriceUsd: Usd,
  impact1kBps: Bps,
  platformFeeBps: Decimal,
  stated: Stated,
});
export type PremiumInputs = z.infer<typeof PremiumInputs>;

export const BasisInputs = z.strictObject({
  perpMarkUsd: Usd,
  /** Per share of the stock. */
  spotUsd: Usd,
  /** Per interval, as a fraction. */
  fundingRate: Decimal.nullable(),
  fundingIntervalHours: z.int().min(1).nullable(),
  stated: Stated,
});
export type BasisInputs = z.infer<typeof BasisInputs>;

export const PointHour = z.strictObject({
  /** Premium or basis of the hour's last sample. */
  closeBps: Bps,
  loBps: Bps,
  hiBps: Bps,
  /** Of a premium. */
  netEdgeBps: Bps,
  /** Of a basis: a year's funding. */
  fundingAnnualBps: Bps,
  /** Of the last sample, as everything below. */
  sampledAt: UnixSeconds,
  /** In this hour. */
  samples: z.int().min(1),
  source: Text.max(120),
  session: Text.max(24),
  referenceSource: Text.max(120).nullable(),
  referenceAgeSeconds: z.int().min(0).nullable(),
  state: State,
  fundingState: State,
  witnesses: z.int().min(1).nullable(),
  spreadBps: Bps,
  halted: z.boolean(),
  /** null: the sample was no longer kept when the hour was sealed. */
  inputs: z.union([PremiumInputs, BasisInputs]).nullable(),
});
export type PointHour = z.infer<typeof PointHour>;

export const Point = z.strictObject({
  schema: z.literal(POINT_SCHEMA),
  /** `premium/<asset key>` or `basis/<venue>/<ticker>`. */
  series: Text.min(1).max(120),
  /** Unix seconds, start of the hour. */
  t: UnixSeconds,
  /** From 1. */
  revision: z.int().min(1),
  /** Unix seconds: when this content was written. */
  changedAt: UnixSeconds,
  /** null: the hour was retracted. */
  hour: PointHour.nullable(),
});
export type Point = z.infer<typeof Point>;

/** The text whose UTF-8 bytes are the leaf of the hour's tree: RFC 8785. */
export const pointText = (point: Point): string => canonicalJson(point);

/** @throws ZodError for what is no point; SyntaxError */
export const readPoint = (text: string): Point => Point.parse(JSON.parse(text));
