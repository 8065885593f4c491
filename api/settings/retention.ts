/** How long jobs and what belongs to them stay. */

export const DEFAULT_JOB_RETENTION = {
  /** Jobs of `/a2mcp/verify` that nobody paid for or executed. */
  oneShotDays: 7,
  /** Jobs of API keys that nobody paid for or executed. */
  jobDays: 90,
  /** Jobs that were paid for or executed, with their reports and evidence. */
  soldDays: null,
  /** Payments that came to nothing, or were not needed. */
  failedPaymentDays: 30,
};
/** Days; null keeps forever. */
export type JobRetention = Readonly<Record<keyof typeof DEFAULT_JOB_RETENTION, number | null>>;

/** A job lives for a day, and its transactions are looked for a day longer. */
const LEAST_DAYS = 3;

export const JOB_RETENTION_SETTINGS = {
  RETENTION_ONE_SHOT_DAYS: ["oneShotDays", LEAST_DAYS],
  RETENTION_JOB_DAYS: ["jobDays", LEAST_DAYS],
  RETENTION_SOLD_DAYS: ["soldDays", LEAST_DAYS],
  RETENTION_FAILED_PAYMENT_DAYS: ["failedPaymentDays", LEAST_DAYS],
} as const satisfies Record<string, readonly [keyof JobRetention, number]>;

/** @param given over the defaults @param faults takes what is wrong */
export function jobRetentionOf(given: Partial<JobRetention>, faults: string[]): JobRetention {
  const retention: JobRetention = { ...DEFAULT_JOB_RETENTION, ...given };
  const { oneShotDays, jobDays, soldDays } = retention;
  if (soldDays !== null && [oneShotDays, jobDays].some((days) => days === null || days > soldDays))
    faults.push(
      "RETENTION_SOLD_DAYS must not be less than RETENTION_ONE_SHOT_DAYS or RETENTION_JOB_DAYS: what was paid for is kept longest",
    );
  return retention;
}
