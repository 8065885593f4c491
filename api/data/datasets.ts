/** How each series of hours is served: its columns and longest window. */
import type { BasisPoint as BasisHour, PremiumPoint as PremiumHour } from "../../market/queries.ts";
import { basisHistory, premiumHistory, publicPremium } from "./json.ts";
import { BasisPoint, PremiumPoint, PublicPremiumPoint } from "./schemas.ts";
import type { Dataset } from "./seriesAnswers.ts";

/** Hours of the most `days` that a public endpoint takes, and of the time for which samples are kept by default. */
const HOURS_OF_30_DAYS = 30 * 24;
const HOURS_OF_A_WEEK = 7 * 24;

/** One whose points may say what they were computed from, which takes many times as long to read. */
type DatasetWithInputs<H> = Dataset<H> & { readonly mostHoursWithInputs: number };

export const KEYED_PREMIUM: DatasetWithInputs<PremiumHour> = {
  columns: Object.keys(PremiumPoint.shape),
  writePoints: premiumHistory,
  mostHours: 10_000,
  mostHoursWithInputs: HOURS_OF_30_DAYS,
};

export const PUBLIC_PREMIUM: Dataset<PremiumHour> = {
  columns: Object.keys(PublicPremiumPoint.shape),
  writePoints: publicPremium,
  mostHours: HOURS_OF_30_DAYS,
};

export const BASIS: DatasetWithInputs<BasisHour> = {
  columns: Object.keys(BasisPoint.shape),
  writePoints: basisHistory,
  mostHours: HOURS_OF_30_DAYS,
  mostHoursWithInputs: HOURS_OF_A_WEEK,
};
