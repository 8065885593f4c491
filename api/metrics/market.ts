/** The collection's state as metrics. */
import type { MarketStatus } from "../../market/status.ts";
import { type Family, gaugeOf, type Labels } from "./instruments.ts";

export function marketFamilies({ providers, series, setAside, round, unpriced }: MarketStatus): Family[] {
  const gauge = (name: string, help: string, samples: readonly (readonly [Labels, number])[]): Family =>
    gaugeOf(`assay_market_${name}`, help, samples);
  return [
    gauge(
      "provider_last_success_seconds",
      "Seconds since a provider answered last; absent when it has not in 24 hours.",
      providers.flatMap(({ provider, lastSuccessAgo }) =>
        lastSuccessAgo === null ? [] : [[{ provider }, lastSuccessAgo] as const],
      ),
    ),
    gauge(
      "provider_requests",
      "Requests of the last 24 hours by provider and outcome: ok, or what failed.",
      providers.flatMap(({ provider, successes, failures }) =>
        [["ok", successes] as const, ...Object.entries(failures)].map(
          ([outcome, count]) => [{ provider, outcome }, count] as const,
        ),
      ),
    ),
    gauge(
      "series_age_seconds",
      "Age of the newest sample: of the series of a kind that is most and least up to date.",
      series.flatMap(({ kind, newestAgo, oldestAgo }) => [
        [{ kind, of: "newest" }, newestAgo] as const,
        [{ kind, of: "oldest" }, oldestAgo] as const,
      ]),
    ),
    gauge(
      "set_aside",
      "Samples kept aside in 24 hours, by kind and reason.",
      setAside.map(({ kind, reason, count }) => [{ kind, reason }, count] as const),
    ),
    gauge("round_seconds", "How long the last round took.", round ? [[{}, round.took]] : []),
    gauge("round_age_seconds", "Seconds since the last round ended.", round ? [[{}, round.endedAgo]] : []),
    gauge("unpriced_tokens", "Tokens without a price in the last hour.", [[{}, unpriced.length]]),
  ];
}
