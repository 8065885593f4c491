/**
 * Metrics for `/metrics`, by prom-client. Each is made where it is measured, in the registry of its service: nothing is
 * global. Names and units are Prometheus': seconds, `_total` for counters, and no label that outsiders could fill freely.
 */
import { Gauge, Registry } from "prom-client";

export type Metrics = Registry;

export const CONTENT_TYPE = Registry.PROMETHEUS_CONTENT_TYPE;

export const createMetrics = (): Metrics => new Registry();

/** Figures of one name, that follow from a state. */
export interface Reading<State> {
  readonly name: string;
  readonly help: string;
  readonly labelNames?: readonly string[];
  readonly samples: (state: State) => readonly Sample[];
}

/** A value with its labels, all of them. */
export type Sample = readonly [labels: Readonly<Record<string, string>>, value: number];

/**
 * Gauges that are read at the moment of an answer.
 * @param read once an answer for all of them; null: it is not known, and they have no values
 */
export function measure<State>(
  metrics: Metrics,
  read: () => Promise<State | null>,
  readings: readonly Reading<State>[],
): void {
  // All gauges of an answer are collected at once, so that the first one's reading serves the others.
  let reading: Promise<State | null> | null = null;
  const state = () => {
    reading ??= read().finally(() => {
      reading = null;
    });
    return reading;
  };
  for (const { name, help, labelNames = [], samples } of readings)
    new Gauge({
      name,
      help,
      labelNames: [...labelNames],
      registers: [metrics],
      async collect() {
        const found = await state();
        this.reset();
        // Without labels it would be 0, which nobody measured.
        if (labelNames.length === 0) this.remove();
        for (const [labels, value] of found === null ? [] : samples(found)) this.set(labels, value);
      },
    });
}
