/** How each series of hours is served: its columns, units and longest window. */
import type { BasisPoint as BasisHour, PremiumPoint as PremiumHour } from "../../market/queries.ts";
import { basisHistory, premiumHistory, publicPremium } from "./json.ts";
import { BasisPoint, PremiumPoint, PublicPremiumPoint } from "./schemas.ts";
import type { Face } from "./seriesPages.ts";

/** Hours of the most `days` that a public endpoint takes, and of the time for which samples are kept by default. */
const HOURS_OF_30_DAYS = 30 * 24;
const HOURS_OF_A_WEEK = 7 * 24;
const BPS = "basis points";
const TOLD = { spread_bps: BPS, reference_age: "seconds" };

/** A face whose points may say what they were computed from, which takes many times as long to read. */
type InputsFace<H> = Face<H> & { readonly mostWithInputs: number };

export const KEYED_PREMIUM: InputsFace<PremiumHour> = {
  dataset: "premium-history",
  columns: Object.keys(PremiumPoint.shape),
  units: { ts: "ISO 8601 UTC, start of the hour", premium_bps: BPS, ...TOLD },
  points: premiumHistory,
  most: 10_000,
  mostWithInputs: HOURS_OF_30_DAYS,
};

export const PUBLIC_PREMIUM: Face<PremiumHour> = {
  dataset: "premium/history",
  columns: Object.keys(PublicPremiumPoint.shape),
  units: { t: "unix seconds, start of the hour", premium: BPS, lo: BPS, hi: BPS, net_edge: BPS, ...TOLD },
  points: publicPremium,
  most: HOURS_OF_30_DAYS,
};

export const BASIS: InputsFace<BasisHour> = {
  dataset: "basis/history",
  columns: Object.keys(BasisPoint.shape),
  units: {
    t: "unix seconds, start of the hour",
    basis: BPS,
    lo: BPS,
    hi: BPS,
    funding_annual: "basis points a year",
    ...TOLD,
  },
  points: basisHistory,
  most: HOURS_OF_30_DAYS,
  mostWithInputs: HOURS_OF_A_WEEK,
};
