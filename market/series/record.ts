/** How samples of every kind are stored: judged one by one, then stored together with what was rejected. */
import type { Transaction } from "kysely";
import type { z } from "zod";
import type { Database } from "../../database/open.ts";
import type { Schema } from "../../database/schema.ts";
import { lockMarket } from "./hours.ts";
import { MAX_AHEAD_SECONDS, type Rejection, recordRejections } from "./rejected.ts";
import { withoutRetracted } from "./retractions.ts";

/** A kind of sample. */
export interface Family<Sample extends z.ZodType> {
  readonly kind: string;
  readonly sample: Sample;
  /** The asset key or ticker. */
  subjectOf(sample: z.output<Sample>): string;
  /** The name under which a span of it is retracted. */
  seriesOf(sample: z.output<Sample>): string;
  /** A word where it cannot be true. By the sample alone: a judgement by earlier ones would depend on their order. */
  implausible(sample: z.output<Sample>): string | null;
  store(transaction: Transaction<Schema>, samples: readonly z.output<Sample>[]): Promise<void>;
}

/**
 * Stores samples: in any order and however often, as long as raw samples of their time are kept. What was retracted stays
 * out. What cannot be true, or is too old, is recorded as rejected.
 * @param now unix seconds
 * @throws ZodError for a sample of the wrong shape, with nothing stored; DatabaseUnavailable
 */
export async function record<Sample extends z.ZodType<{ readonly sampledAt: number }>>(
  db: Database,
  samples: readonly z.input<Sample>[],
  now: number,
  family: Family<Sample>,
): Promise<{ stored: number; rejected: Rejection[] }> {
  const parsed = samples.map((sample) => family.sample.parse(sample));
  if (parsed.length === 0) return { stored: 0, rejected: [] };
  return await db.transaction().execute(async (transaction) => {
    const keptFrom = await lockMarket(transaction);
    const rejected: Rejection[] = [];
    const plausible = parsed.filter((sample) => {
      const reason = faultOf(sample.sampledAt, { now, keptFrom }) ?? family.implausible(sample);
      if (reason !== null)
        rejected.push({ kind: family.kind, subject: family.subjectOf(sample), reason, sample });
      return reason === null;
    });
    await recordRejections(transaction, rejected, now);
    await family.store(transaction, await withoutRetracted(transaction, plausible, family.seriesOf));
    return { stored: plausible.length, rejected };
  });
}

function faultOf(sampledAt: number, { now, keptFrom }: { now: number; keptFrom: number }): string | null {
  if (sampledAt - now > MAX_AHEAD_SECONDS) return "clock_ahead";
  // The other samples of its hour are gone: it would pass for the only one.
  return sampledAt < keptFrom ? "too_old" : null;
}
