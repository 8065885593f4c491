/** How long jobs and what belongs to them stay. */
import type { Settings } from "./schema.ts";

export const DEFAULT_JOB_RETENTION = {
  /** Jobs of `/a2mcp/verify` that nobody paid for or executed. */
  oneShotDays: 7,
  /** Jobs of API keys that nobody paid for or executed. */
  jobDays: 90,
  /** Jobs that were paid for or executed, with their reports and evidence. */
  soldDays: null,
  /** Payments that came to nothing, or were not needed. */
  failedPaymentDays: 30,
  /** Raw answers of providers and nodes, from the last judgement that named them. */
  rawAnswerDays: 90,
};
/** Days; null keeps forever. */
export type JobRetention = Readonly<Record<keyof typeof DEFAULT_JOB_RETENTION, number | null>>;

/** Settings that change them, for programs that need no others. */
export const JOB_RETENTION_SETTINGS = [
  "RETENTION_ONE_SHOT_DAYS",
  "RETENTION_JOB_DAYS",
  "RETENTION_SOLD_DAYS",
  "RETENTION_FAILED_PAYMENT_DAYS",
  "RETENTION_RAW_ANSWER_DAYS",
] as const satisfies readonly (keyof Settings)[];

/** @param faults takes what is wrong */
export function jobRetentionOf(
  settings: Pick<Settings, (typeof JOB_RETENTION_SETTINGS)[number]>,
  faults: string[],
): JobRetention {
  const retention: JobRetention = {
    ...DEFAULT_JOB_RETENTION,
    ...withoutUnset({
      oneShotDays: settings.RETENTION_ONE_SHOT_DAYS,
      jobDays: settings.RETENTION_JOB_DAYS,
      soldDays: settings.RETENTION_SOLD_DAYS,
      failedPaymentDays: settings.RETENTION_FAILED_PAYMENT_DAYS,
      rawAnswerDays: settings.RETENTION_RAW_ANSWER_DAYS,
    }),
  };
  const { oneShotDays, jobDays, soldDays } = retention;
  if (soldDays !== null && [oneShotDays, jobDays].some((days) => days === null || days > soldDays))
    faults.push(
      "RETENTION_SOLD_DAYS must not be less than RETENTION_ONE_SHOT_DAYS or RETENTION_JOB_DAYS: what was paid for is kept longest",
    );
  return retention;
}

type Days = number | null;

/** What is set, to be spread over defaults. */
export function withoutUnset<Kind extends string>(
  all: Readonly<Record<Kind, Days | undefined>>,
): Partial<Record<Kind, Days>> {
  const set = Object.entries<Days | undefined>(all).filter(([, days]) => days !== undefined);
  return Object.fromEntries(set) as Partial<Record<Kind, Days>>;
}
