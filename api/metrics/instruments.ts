/** Counters, histograms and readings for `/metrics`, by prom-client. Nothing is global: who makes one keeps it. */
import { Counter, Gauge, Histogram, Registry } from "prom-client";
import { type CounterName, type GaugeName, type HistogramName, type LabelsOf, METRICS } from "./catalog.ts";

export const CONTENT_TYPE = Registry.PROMETHEUS_CONTENT_TYPE;

/** One metric with its values, ready for the answer. */
export type Family = Counter | Gauge | Histogram;

/** A counter of the list. */
export function counterFor(name: CounterName): Counter {
  const { help, labels } = METRICS[name];
  return new Counter({ name, help, labelNames: [...labels], registers: [] });
}

/** A histogram of the list; what is above its buckets counts in `+Inf`. */
export function histogramFor(name: HistogramName): Histogram {
  const { help, labels, buckets } = METRICS[name];
  return new Histogram({ name, help, labelNames: [...labels], buckets: [...buckets], registers: [] });
}

/** A gauge of the list, read at the moment of the answer; without samples it has no value. */
export function gaugeFor<Name extends GaugeName>(
  name: Name,
  samples: readonly (readonly [LabelsOf<Name>, number])[],
): Gauge {
  const { help, labels } = METRICS[name];
  const gauge = new Gauge({ name, help, labelNames: [...labels], registers: [] });
  // Without labels it starts at 0, which nobody measured.
  if (labels.length === 0) gauge.remove();
  for (const [own, value] of samples) gauge.set(own, value);
  return gauge;
}

/** The text format of Prometheus, version 0.0.4. */
export function expositionOf(families: readonly Family[]): Promise<string> {
  const registry = new Registry();
  for (const family of families) registry.registerMetric(family);
  return registry.metrics();
}
