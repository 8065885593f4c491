/** Answers of several providers as one finding: rows in the order of the providers, failures beside them. */
import { eachAtOnce } from "../collect/eachAtOnce.ts";
import type { Failure, Findings } from "../collect/sources.ts";
import type { Batch, Rejected } from "../providers/records.ts";
import type { Rejection } from "../series/rejected.ts";
import type { LiveAsset } from "./assets.ts";

/** Tokens that are asked about beside each other. */
const TOKENS_AT_ONCE = 8;

/** Asks all at once. What fails is a failure of its own. */
export async function gathered<T>(
  parts: readonly (readonly [name: string, ask: () => Promise<Findings<T>>])[],
): Promise<Findings<T>> {
  const answers = await Promise.all(
    parts.map(async ([name, ask]): Promise<Findings<T>> => {
      try {
        return await ask();
      } catch (error) {
        return { rows: [], failures: [{ subject: name, error }] };
      }
    }),
  );
  return {
    rows: answers.flatMap(({ rows }) => rows),
    failures: answers.flatMap(({ failures }): readonly Failure[] => failures ?? []),
    rejected: answers.flatMap(({ rejected }): readonly Rejection[] => rejected ?? []),
  };
}

/** Asks about each token. One that cannot be had costs itself alone. */
export async function ofEach<T>(
  assets: readonly LiveAsset[],
  ask: (asset: LiveAsset) => Promise<readonly T[]>,
): Promise<{ readonly rows: T[]; readonly failures: Failure[] }> {
  const rows: T[] = [];
  const failures: Failure[] = [];
  await eachAtOnce(assets, TOKENS_AT_ONCE, async (asset) => {
    try {
      rows.push(...(await ask(asset)));
    } catch (error) {
      failures.push({ subject: asset.assetKey, error });
    }
  });
  return { rows, failures };
}

/**
 * What of an answer does not count, and what its list gave before and does not give now; what it never had is no loss.
 * Told once, however many questions of a round the answer serves.
 * @param keys of the rows that the list gives @param list where the provider has several
 */
export type Tell = (
  kind: string,
  provider: string,
  batch: Batch<unknown>,
  keys: readonly string[],
  list?: string,
) => Rejection[];

/** Of these reasons the figure itself cannot be true, and its source is excluded. */
const UNTRUE: ReadonlySet<string> = new Set<Rejected["reason"]>([
  "ratio_contradicts_prices",
  "interval_contradicts_fundings",
]);

export function createTell(): Tell {
  const last = new Map<string, { readonly rows: object; readonly keys: ReadonlySet<string> }>();
  return (kind, provider, batch, keys, list = "") => {
    const name = `${kind} ${provider} ${list}`;
    const before = last.get(name);
    if (before?.rows === batch.rows) return [];
    const now = new Set(keys);
    last.set(name, { rows: batch.rows, keys: now });
    const told = batch.rejected.filter(({ reason }) => reason !== "missing");
    const accounted = new Set([...now, ...told.map(({ key }) => key)]);
    const gone = [...(before?.keys ?? [])].filter((key) => !accounted.has(key));
    return [...told, ...gone.map((key): Rejected => ({ key, reason: "missing" }))].map(
      ({ key, reason, field }) => ({
        kind,
        subject: key,
        reason,
        sample: { provider, ...(UNTRUE.has(reason) && { source: provider }), ...(field && { field }) },
      }),
    );
  };
}
