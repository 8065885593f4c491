/** Counters, histograms and readings for `/metrics`, by prom-client. Nothing is global: who makes one keeps it. */
import { Counter, Gauge, Histogram, Registry } from "prom-client";
import { type CounterName, type GaugeName, type HistogramName, type LabelsOf, METRICS } from "./catalog.ts";

export type Labels = Readonly<Record<string, string>>;

export const CONTENT_TYPE = Registry.PROMETHEUS_CONTENT_TYPE;

/** One metric with its values, ready for the answer. */
export type Family = Counter | Gauge | Histogram;

/** @param labelNames every label that its additions have */
export const createCounter = (name: string, help: string, labelNames: readonly string[]): Counter =>
  new Counter({ name, help, labelNames: [...labelNames], registers: [] });

/**
 * @param labelNames every label that its observations have
 * @param bounds upper ends of the buckets in seconds, ascending; what is above them counts in `+Inf`
 */
export const createHistogram = (
  name: string,
  help: string,
  labelNames: readonly string[],
  bounds: readonly number[],
): Histogram =>
  new Histogram({ name, help, labelNames: [...labelNames], buckets: [...bounds], registers: [] });

/** What is read at the moment of the answer; without samples the metric has no value. */
export function gaugeOf(
  name: string,
  help: string,
  samples: readonly (readonly [Labels, number])[],
  labelNames: readonly string[] = [...new Set(samples.flatMap(([labels]) => Object.keys(labels)))],
): Gauge {
  const gauge = new Gauge({ name, help, labelNames: [...labelNames], registers: [] });
  // Without labels it starts at 0, which nobody measured.
  if (labelNames.length === 0) gauge.remove();
  for (const [labels, value] of samples) gauge.set(labels, value);
  return gauge;
}

/** A counter of the list. */
export function counterFor(name: CounterName): Counter {
  const { help, labels } = METRICS[name];
  return createCounter(name, help, labels);
}

/** A histogram of the list. */
export function histogramFor(name: HistogramName): Histogram {
  const { help, labels, buckets } = METRICS[name];
  return createHistogram(name, help, labels, buckets);
}

/** A gauge of the list, read now. */
export function gaugeFor<Name extends GaugeName>(
  name: Name,
  samples: readonly (readonly [LabelsOf<Name>, number])[],
): Gauge {
  const { help, labels } = METRICS[name];
  return gaugeOf(name, help, samples, labels);
}

/** The text format of Prometheus, version 0.0.4. */
export function expositionOf(families: readonly Family[]): Promise<string> {
  const registry = new Registry();
  for (const family of families) registry.registerMetric(family);
  return registry.metrics();
}
