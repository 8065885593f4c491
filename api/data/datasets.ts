/** How each series of hours is served: its columns, units and longest window. */
import type { BasisPoint as BasisHour, PremiumPoint as PremiumHour } from "../../market/queries.ts";
import { basisHistory, premiumHistory, publicPremium } from "./json.ts";
import { BasisPoint, PremiumPoint, PublicPremiumPoint } from "./schemas.ts";
import type { Dataset } from "./seriesAnswers.ts";

/** Hours of the most `days` that a public endpoint takes, and of the time for which samples are kept by default. */
const HOURS_OF_30_DAYS = 30 * 24;
const HOURS_OF_A_WEEK = 7 * 24;
const BPS = "basis points";
const COMMON_UNITS = { spread_bps: BPS, reference_age: "seconds" };

/** One whose points may say what they were computed from, which takes many times as long to read. */
type DatasetWithInputs<H> = Dataset<H> & { readonly mostHoursWithInputs: number };

export const KEYED_PREMIUM: DatasetWithInputs<PremiumHour> = {
  dataset: "premium-history",
  columns: Object.keys(PremiumPoint.shape),
  units: { ts: "ISO 8601 UTC, start of the hour", premium_bps: BPS, ...COMMON_UNITS },
  writePoints: premiumHistory,
  mostHours: 10_000,
  mostHoursWithInputs: HOURS_OF_30_DAYS,
};

export const PUBLIC_PREMIUM: Dataset<PremiumHour> = {
  dataset: "premium/history",
  columns: Object.keys(PublicPremiumPoint.shape),
  units: {
    t: "unix seconds, start of the hour",
    premium: BPS,
    lo: BPS,
    hi: BPS,
    net_edge: BPS,
    ...COMMON_UNITS,
  },
  writePoints: publicPremium,
  mostHours: HOURS_OF_30_DAYS,
};

export const BASIS: DatasetWithInputs<BasisHour> = {
  dataset: "basis/history",
  columns: Object.keys(BasisPoint.shape),
  units: {
    t: "unix seconds, start of the hour",
    basis: BPS,
    lo: BPS,
    hi: BPS,
    funding_annual: "basis points a year",
    ...COMMON_UNITS,
  },
  writePoints: basisHistory,
  mostHours: HOURS_OF_30_DAYS,
  mostHoursWithInputs: HOURS_OF_A_WEEK,
};
