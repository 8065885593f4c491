/** How each series of hours is served: its columns, units and pages. */
import type { BasisPoint as BasisHour, PremiumPoint as PremiumHour } from "../../market/queries.ts";
import type { DetailedFace } from "./details.ts";
import { basisHistory, premiumHistory, publicPremium } from "./json.ts";
import { BasisPoint, PremiumPoint, PublicPremiumPoint } from "./schemas.ts";
import type { Face } from "./seriesPages.ts";

/** Hours of the most `days` that an endpoint takes. */
const HOURS_OF_90_DAYS = 90 * 24;
const HOURS_OF_30_DAYS = 30 * 24;
const HOURS_OF_A_WEEK = 7 * 24;
const BPS = "basis points";
const TOLD = {
  spread_bps: BPS,
  reference_age: "seconds",
  revision: "from 1; empty: not sealed",
  changed_at: "ISO 8601 UTC",
};

export const KEYED_PREMIUM: DetailedFace<PremiumHour> = {
  dataset: "premium-history",
  columns: Object.keys(PremiumPoint.shape),
  units: { ts: "ISO 8601 UTC, start of the hour", premium_bps: BPS, ...TOLD },
  points: premiumHistory,
  size: HOURS_OF_90_DAYS,
  most: 10_000,
  mostDetailed: HOURS_OF_90_DAYS,
  streams: true,
};

export const PUBLIC_PREMIUM: Face<PremiumHour> = {
  dataset: "premium/history",
  columns: Object.keys(PublicPremiumPoint.shape),
  units: { t: "unix seconds, start of the hour", premium: BPS, lo: BPS, hi: BPS, net_edge: BPS, ...TOLD },
  points: publicPremium,
  size: HOURS_OF_30_DAYS,
  most: HOURS_OF_30_DAYS,
  streams: false,
};

export const BASIS: DetailedFace<BasisHour> = {
  dataset: "basis/history",
  columns: Object.keys(BasisPoint.shape),
  units: {
    ...{ t: "unix seconds, start of the hour", basis: BPS, lo: BPS, hi: BPS },
    ...{ funding_annual: "basis points a year", ...TOLD },
  },
  points: basisHistory,
  size: HOURS_OF_30_DAYS,
  most: HOURS_OF_30_DAYS,
  mostDetailed: HOURS_OF_A_WEEK,
  streams: false,
};
