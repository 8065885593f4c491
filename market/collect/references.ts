/** Which price of a stock counts in a round. */

import { accepted, noted } from "./accepted.ts";
import { chooseReference, excluded } from "./chooseReference.ts";
import type { Reference, StockPrice } from "./sources.ts";
import { NOTHING, type Round, type Step, seconds } from "./types.ts";

/** Of each stock the level of its sources; a stock of which nobody says anything is absent. */
export async function findReferences(round: Round): Promise<ReadonlyMap<string, Reference>> {
  const chosen = new Map<string, Reference>();
  if (!round.sources.referencesOf) return chosen;
  try {
    const found = await round.sources.referencesOf(round.underlyings);
    const timed = { ...found, rows: found.rows.map((row) => withTime(round, row)) };
    const rows = await accepted(round, "reference", timed, (row) => ({
      subject: row.underlying,
      source: row.source,
      price: row.priceUsd,
      at: row.publishedAt,
    }));
    const now = seconds(round);
    const session = round.sessionAt(now);
    for (const [underlying, prices] of Map.groupBy(rows, (row) => row.underlying)) {
      const choice = chooseReference(prices, session, now);
      if (choice.level) chosen.set(underlying, choice.level);
      await round.reject(excluded("reference", underlying, choice.aside));
    }
  } catch (error) {
    // Prices without a reference are still worth their place: their premium is null.
    round.fail("references", error);
  }
  return chosen;
}

/** A price without a time of its own is as old as the moment at which it was first seen. */
function withTime({ memory, now }: Round, row: StockPrice): StockPrice {
  if (row.publishedAt !== null) return row;
  const subject = `reference/${row.source}/${row.underlying}`;
  return { ...row, publishedAt: memory.unchanged.since(subject, row.priceUsd, Math.floor(now() / 1_000)) };
}

/** What is asked one stock at a time serves the next round: no premium waits for it. */
export const askAfterwards: Step = async (round) => {
  await round.references();
  if (round.sources.afterwards) await noted(round, await round.sources.afterwards());
  return NOTHING;
};
