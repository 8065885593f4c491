/** Which price of a stock counts in a round. */

import { accepted, noted } from "./accepted.ts";
import { chooseReference } from "./chooseReference.ts";
import type { Reference } from "./sources.ts";
import { grouped, NOTHING, type Round, type Step, seconds } from "./types.ts";

/** Of each stock the price that its sources agree on; a stock on which they do not has none. */
export async function findReferences(round: Round): Promise<ReadonlyMap<string, Reference>> {
  const chosen = new Map<string, Reference>();
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
    for (const [underlying, prices] of grouped(rows, (row) => row.underlying)) {
      const choice = chooseReference(prices, session, now);
      if (choice.chosen) chosen.set(underlying, choice.chosen);
      await round.reject(
        choice.aside.map(({ row, reason }) => ({
          kind: "reference",
          subject: underlying,
          reason,
          sample: row,
        })),
      );
    }
  } catch (error) {
    // Prices without a reference are still worth their place: their premium is null.
    round.fail("references", error);
  }
  return chosen;
}

/** What is asked one stock at a time serves the next round: no premium waits for it. */
export const askAfterwards: Step = async (round) => {
  if (round.sources.afterwards) await noted(round, await round.sources.afterwards());
  return NOTHING;
};
