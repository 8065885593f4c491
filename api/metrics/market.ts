/** The collection's state as metrics. */
import type { MarketStatus } from "../../market/status.ts";
import { type Family, gaugeFor } from "./instruments.ts";

/**
 * @param status null: it cannot be read at the moment, and the metrics have no values
 * @param steps seconds since each step was of use
 */
export function marketFamilies(
  status: MarketStatus | null,
  steps: ReadonlyMap<string, number> = new Map(),
): Family[] {
  const { providers = [], series = [], setAside = [], round = null, unpriced = null } = status ?? {};
  return [
    gaugeFor(
      "assay_collector_step_age_seconds",
      [...steps].map(([step, age]) => [{ step }, age] as const),
    ),
    gaugeFor(
      "assay_market_provider_last_success_seconds",
      providers.flatMap(({ provider, lastSuccessAgo }) =>
        lastSuccessAgo === null ? [] : [[{ provider }, lastSuccessAgo] as const],
      ),
    ),
    gaugeFor(
      "assay_market_provider_requests",
      providers.flatMap(({ provider, successes, failures }) =>
        [["ok", successes] as const, ...Object.entries(failures)].map(
          ([outcome, count]) => [{ provider, outcome }, count] as const,
        ),
      ),
    ),
    gaugeFor(
      "assay_market_series_age_seconds",
      series.flatMap(({ kind, newestAgo, oldestAgo }) => [
        [{ kind, of: "newest" }, newestAgo] as const,
        [{ kind, of: "oldest" }, oldestAgo] as const,
      ]),
    ),
    gaugeFor(
      "assay_market_set_aside",
      setAside.map(({ kind, reason, count }) => [{ kind, reason }, count] as const),
    ),
    ...stateFamilies(status),
    gaugeFor("assay_market_round_seconds", round ? [[{}, round.took]] : []),
    gaugeFor("assay_market_round_age_seconds", round ? [[{}, round.endedAgo]] : []),
    gaugeFor("assay_market_unpriced_tokens", unpriced ? [[{}, unpriced.length]] : []),
  ];
}

/** What stands how, and since when. */
function stateFamilies(status: MarketStatus | null): Family[] {
  const { figures = [], skipped = [], providers = [] } = status ?? {};
  const listings = figures.filter(({ kind }) => kind === "listing");
  const levels = figures.filter(({ kind }) => kind !== "listing");
  return [
    gaugeFor(
      "assay_market_figures",
      levels.map(({ kind, state, count }) => [{ kind, state }, count] as const),
    ),
    gaugeFor(
      "assay_market_single_hour",
      levels.flatMap(({ kind, state, forAnHour }) =>
        state === "single" ? [[{ kind }, forAnHour] as const] : [],
      ),
    ),
    gaugeFor(
      "assay_market_listing",
      listings.map(({ state, count }) => [{ state }, count] as const),
    ),
    gaugeFor(
      "assay_market_provider_excluded_seconds",
      providers.flatMap(({ provider, excludedFor }) =>
        excludedFor === null ? [] : [[{ provider }, excludedFor] as const],
      ),
    ),
    gaugeFor(
      "assay_market_round_skipped_seconds",
      skipped.map(({ round: name, ago }) => [{ round: name }, ago] as const),
    ),
  ];
}
