/** Which price of a stock counts in a round. */

import { accepted } from "./accepted.ts";
import { countsAsReference } from "./outliers.ts";
import type { StockPrice } from "./sources.ts";
import { type Round, seconds } from "./types.ts";

/** Of each stock the first price, in the order of trust, that can be true and is not too old. */
export async function findReferences(round: Round): Promise<ReadonlyMap<string, StockPrice>> {
  const chosen = new Map<string, StockPrice>();
  if (!round.sources.referencesOf) return chosen;
  try {
    const found = await round.sources.referencesOf(round.underlyings);
    const rows = await accepted(round, "reference", found, (row) => ({
      subject: row.underlying,
      source: row.source,
      price: row.priceUsd,
      at: row.publishedAt,
    }));
    const now = seconds(round);
    const session = round.sessionAt(now);
    for (const row of rows)
      if (!chosen.has(row.underlying) && countsAsReference(row, session, now))
        chosen.set(row.underlying, row);
  } catch (error) {
    // Prices without a reference are still worth their place: their premium is null.
    round.fail("references", error);
  }
  return chosen;
}
