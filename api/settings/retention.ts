/** How long jobs and what belongs to them stay. */

/** Days; null keeps for ever. */
export interface JobRetention {
  /** Jobs of `/a2mcp/verify` that nobody paid for or executed. */
  readonly oneShotDays: number | null;
  /** Jobs of API keys that nobody paid for or executed. */
  readonly jobDays: number | null;
  /** Jobs that were paid for or executed, with their reports and evidence. */
  readonly soldDays: number | null;
  /** Payments that came to nothing, or were not needed. */
  readonly failedPaymentDays: number | null;
  /** Raw answers of providers and nodes, from the last judgement that named them. */
  readonly rawAnswerDays: number | null;
}

export const DEFAULT_JOB_RETENTION: JobRetention = {
  oneShotDays: 7,
  jobDays: 90,
  soldDays: null,
  failedPaymentDays: 30,
  rawAnswerDays: 90,
};

/** A job lives for a day, and its transactions are looked for a day longer. */
const LEAST_DAYS = 3;

export const JOB_RETENTION_SETTINGS = {
  RETENTION_ONE_SHOT_DAYS: ["oneShotDays", LEAST_DAYS],
  RETENTION_JOB_DAYS: ["jobDays", LEAST_DAYS],
  RETENTION_SOLD_DAYS: ["soldDays", LEAST_DAYS],
  RETENTION_FAILED_PAYMENT_DAYS: ["failedPaymentDays", LEAST_DAYS],
  RETENTION_RAW_ANSWER_DAYS: ["rawAnswerDays", LEAST_DAYS],
} as const satisfies Record<string, readonly [keyof JobRetention, number]>;

/** @param given over the defaults @param faults takes what is wrong */
export function jobRetentionOf(given: Partial<JobRetention>, faults: string[]): JobRetention {
  const retention = { ...DEFAULT_JOB_RETENTION, ...given };
  const { oneShotDays, jobDays, soldDays } = retention;
  if (soldDays !== null && [oneShotDays, jobDays].some((days) => days === null || days > soldDays))
    faults.push(
      "RETENTION_SOLD_DAYS must not be less than RETENTION_ONE_SHOT_DAYS or RETENTION_JOB_DAYS: what was paid for is kept longest",
    );
  return retention;
}
