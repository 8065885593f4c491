/**
 * What was retracted by an operator: a span of a series whose samples count nowhere, with the reason. A retraction stays,
 * so that the same sample cannot come back, and a series made again comes out the same.
 */
import type { UnixSeconds } from "../../attestor/values/time.ts";
import type { Database } from "../../database/open.ts";

interface Retraction {
  /** `premium/<asset key>`, `basis/<venue>/<ticker>`, `impact/<asset key>`, `volume/<asset key>`. */
  readonly series: string;
  /** Unix seconds; the end is exclusive. */
  readonly from: number;
  readonly to: number;
  readonly reason: string;
  readonly actor: string;
  readonly retractedAt: UnixSeconds;
}

/** @throws DatabaseUnavailable */
export async function recordRetraction(
  db: Database,
  { from, to, retractedAt, ...rest }: Retraction,
): Promise<void> {
  await db
    .insertInto("retractions")
    .values({ ...rest, from_second: from, to_second: to, retracted_at: retractedAt })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

/** Whether this very span was retracted before. @throws DatabaseUnavailable */
export async function isRetracted(
  db: Database,
  { series, from, to }: Pick<Retraction, "series" | "from" | "to">,
): Promise<boolean> {
  const row = await db
    .selectFrom("retractions")
    .select("series")
    .where("series", "=", series)
    .where("from_second", "=", from)
    .where("to_second", "=", to)
    .executeTakeFirst();
  return row !== undefined;
}

/** The samples that no retraction covers. @throws DatabaseUnavailable */
export async function withoutRetracted<T extends { readonly sampledAt: number }>(
  db: Database,
  samples: readonly T[],
  seriesOf: (sample: T) => string,
): Promise<readonly T[]> {
  if (samples.length === 0) return samples;
  const times = samples.map(({ sampledAt }) => sampledAt);
  const spans = await db
    .selectFrom("retractions")
    .select(["series", "from_second", "to_second"])
    .where(
      "to_second",
      ">",
      times.reduce((one, other) => Math.min(one, other)),
    )
    .where(
      "from_second",
      "<=",
      times.reduce((one, other) => Math.max(one, other)),
    )
    .execute();
  if (spans.length === 0) return samples;
  return samples.filter(
    (sample) =>
      !spans.some(
        ({ series, from_second, to_second }) =>
          series === seriesOf(sample) && from_second <= sample.sampledAt && sample.sampledAt < to_second,
      ),
  );
}
