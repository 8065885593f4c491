/** `assay collect status`: how collection is going. */

import { type MarketStatus, marketStatus } from "../../market/status.ts";
import { command } from "../command.ts";
import { EXIT } from "../errors.ts";
import { JSON_OPTION, show } from "../json.ts";
import { ageText } from "../typed.ts";
import { MARKET_NOTES, withMarket } from "./market.ts";

export const collectStatus = command({
  summary: "Show the state of collection: providers, ages, what figures rest on, what was excluded",
  options: JSON_OPTION,
  notes: MARKET_NOTES,
  run: ({ json }, world) =>
    withMarket(world, async ({ market: { db, assets, now } }) => {
      const at = Math.floor(now() / 1_000);
      const status = await marketStatus(db, assets, at);
      show(world, json, status, statusLines(status));
      return EXIT.ok;
    }),
});

/** So many tokens without a price are named; all are in `/readyz?verbose`. */
const NAMED = 20;

/** A provider that gave nothing of use for so long does not work, and neither does one whose figures are excluded. */
const ANSWERS_SECONDS = 3_600;

export function statusLines(status: MarketStatus): string[] {
  const { providers, series, setAside, round, skipped, figures, unpriced } = status;
  const stateOf = ({ lastSuccessAgo, excludedFor }: MarketStatus["providers"][number]) => {
    if (excludedFor !== null) return `excluded for ${ageText(excludedFor)}`;
    return lastSuccessAgo !== null && lastSuccessAgo <= ANSWERS_SECONDS ? "works" : "silent";
  };
  const lines = [
    round === null
      ? "No round has ended yet."
      : `The last round ended ${ageText(round.endedAgo)} ago and took ${ageText(round.took)}.`,
    ...skipped.map(
      ({ round: name, ago: seconds }) => `A round of ${name} was left out ${ageText(seconds)} ago.`,
    ),
    "",
    row(["provider", "state", "last success", "successes", "failures, 24 hours"]),
    ...providers.map((provider) => {
      const { lastSuccessAgo, successes, failures } = provider;
      return row([
        provider.provider,
        stateOf(provider),
        lastSuccessAgo === null ? "none" : `${ageText(lastSuccessAgo)} ago`,
        String(successes),
        Object.entries(failures)
          .map(([kind, count]) => `${kind}: ${count}`)
          .join(", ") || "none",
      ]);
    }),
    "",
    row(["figures", "state", "how many", "for an hour or more"]),
    ...figures.map(({ kind, state, count, forAnHour }) =>
      row([kind, state, String(count), String(forAnHour)]),
    ),
    "",
    row(["series", "how many", "newest", "oldest"]),
    ...series.map(({ kind, count, newestAgo, oldestAgo }) =>
      row([kind, String(count), ageText(newestAgo), ageText(oldestAgo)]),
    ),
    "",
    setAside.length === 0 ? "Nothing was excluded in 24 hours." : "Excluded in 24 hours:",
    ...setAside.map(({ kind, reason, count }) => `  ${count} ${kind} ${reason}`),
    "",
    `Tokens without a price in the last hour: ${unpriced.length}`,
    ...unpriced.slice(0, NAMED).map(({ symbol, issuer, chain }) => `  ${symbol} (${issuer}, ${chain})`),
  ];
  return unpriced.length > NAMED ? [...lines, `  and ${unpriced.length - NAMED} more`] : lines;
}

function row([first = "", ...rest]: readonly string[]): string {
  return (first.padEnd(22) + rest.map((text) => text.padEnd(21)).join("")).trimEnd();
}
