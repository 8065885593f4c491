/** The collection's state as metrics. */
import type { MarketStatus } from "../../market/status.ts";
import { type Metrics, measure, type Reading, type Sample } from "./metrics.ts";

const READINGS: readonly Reading<MarketStatus>[] = [
  {
    name: "assay_market_provider_last_success_seconds",
    help: "Seconds since a provider answered last; absent when it has not in 24 hours.",
    labelNames: ["provider"],
    samples: ({ providers }) =>
      samplesByProvider(providers, ({ provider, lastSuccessAgo }) => [provider, lastSuccessAgo]),
  },
  {
    name: "assay_market_provider_requests",
    help: "Requests of the last 24 hours by provider and outcome: ok, or what failed.",
    labelNames: ["provider", "outcome"],
    samples: ({ providers }) =>
      providers.flatMap(({ provider, successes, failures }): Sample[] => [
        [{ provider, outcome: "ok" }, successes],
        ...Object.entries(failures).map(([outcome, count]): Sample => [{ provider, outcome }, count]),
      ]),
  },
  {
    name: "assay_market_provider_excluded_seconds",
    help: "For how long figures of a provider have been excluded: outliers, stale, or impossible; absent while they count.",
    labelNames: ["provider"],
    samples: ({ providers }) =>
      samplesByProvider(providers, ({ provider, excludedFor }) => [provider, excludedFor]),
  },
  {
    name: "assay_market_series_age_seconds",
    help: "Age of the newest sample: of the series of a kind that is most and least up to date.",
    labelNames: ["kind", "of"],
    samples: ({ series }) =>
      series.flatMap(({ kind, newestAgo, oldestAgo }): Sample[] => [
        [{ kind, of: "newest" }, newestAgo],
        [{ kind, of: "oldest" }, oldestAgo],
      ]),
  },
  {
    name: "assay_market_set_aside",
    help: "Figures excluded in 24 hours, by kind and reason.",
    labelNames: ["kind", "reason"],
    samples: ({ setAside }) => setAside.map(({ kind, reason, count }) => [{ kind, reason }, count]),
  },
  {
    name: "assay_market_figures",
    help: "Premiums, bases and chains' volumes of the last hour, by kind and state: agreed, single, counts, disputed.",
    labelNames: ["kind", "state"],
    samples: ({ figures }) =>
      figures.filter(isLevel).map(({ kind, state, count }) => [{ kind, state }, count]),
  },
  {
    name: "assay_market_single_hour",
    help: "Of those, figures that have rested on one source alone for an hour or more.",
    labelNames: ["kind"],
    samples: ({ figures }) =>
      figures
        .filter((figure) => isLevel(figure) && figure.state === "single")
        .map(({ kind, forAnHour }) => [{ kind }, forAnHour]),
  },
  {
    name: "assay_market_listing",
    help: "Tokens by what their issuers' lists say of them: listed, missing, migrated, halted.",
    labelNames: ["state"],
    samples: ({ figures }) =>
      figures.filter((figure) => !isLevel(figure)).map(({ state, count }) => [{ state }, count]),
  },
  {
    name: "assay_market_round_skipped_seconds",
    help: "Seconds since a round was last left out because the one before it was still running; absent where none was.",
    labelNames: ["round"],
    samples: ({ skipped }) => skipped.map(({ round, ago }) => [{ round }, ago]),
  },
  {
    name: "assay_market_round_seconds",
    help: "How long the last round took.",
    samples: ({ round }) => (round === null ? [] : [[{}, round.took]]),
  },
  {
    name: "assay_market_round_age_seconds",
    help: "Seconds since the last round ended.",
    samples: ({ round }) => (round === null ? [] : [[{}, round.endedAgo]]),
  },
  {
    name: "assay_market_unpriced_tokens",
    help: "Tokens without a price in the last hour.",
    samples: ({ unpriced }) => (unpriced === null ? [] : [[{}, unpriced.length]]),
  },
];

/** @param status null: it cannot be read at the moment, and the metrics have no values */
export function measureMarket(metrics: Metrics, status: () => Promise<MarketStatus | null>): void {
  measure(metrics, status, READINGS);
}

function isLevel({ kind }: MarketStatus["figures"][number]): boolean {
  return kind !== "listing";
}

/** Values by provider, of those that have one. */
function samplesByProvider<Row>(
  rows: readonly Row[],
  valueIn: (row: Row) => readonly [provider: string, value: number | null],
): Sample[] {
  return rows.flatMap((row) => {
    const [provider, value] = valueIn(row);
    return value === null ? [] : [[{ provider }, value] satisfies Sample];
  });
}
