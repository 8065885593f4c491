/** Whether a venue's funding can be true, by its own premium and by what it was in the days before. Pure. */
import { FUNDING_CLAMP_BPS, LEAST_FUNDING_PART, TAPE_FACTOR } from "../bounds.ts";
import type { FundingTape } from "../series/basis.ts";
import { SeriesDecimal } from "../series/units.ts";

const HOURS = 8;
/** Intervals of eight hours in a year. */
const A_YEAR = 365 * 3;

/**
 * Venues pay about the perpetual's premium over their oracle, less a clamp. The units of a rate show by that.
 * @param rate per interval, a fraction
 * @param premiumBps of the mark over the venue's own oracle; null: it states none
 * @param tape of the days before; null: there is none
 * @returns why it cannot be true; null: it can
 */
export function fundingFault(
  { rate, intervalHours }: { readonly rate: string; readonly intervalHours: number },
  premiumBps: string | null,
  tape: FundingTape | null,
): string | null {
  const paid = new SeriesDecimal(rate).times((10_000 * HOURS) / intervalHours).abs();
  const premium = new SeriesDecimal(premiumBps ?? 0).abs();
  // By its mean, so that a wrong one that counted once does not open the way to the next.
  const usual = tape && SeriesDecimal.max(new SeriesDecimal(tape.mean).times(TAPE_FACTOR), tape.largest);
  const most =
    usual === null
      ? premium.plus(FUNDING_CLAMP_BPS)
      : SeriesDecimal.max(usual.dividedBy(A_YEAR), premium.minus(FUNDING_CLAMP_BPS));
  if (paid.gt(most)) return "funding_too_high";
  return paid.lt(premium.minus(FUNDING_CLAMP_BPS).times(LEAST_FUNDING_PART)) ? "funding_too_low" : null;
}
