/**
 * Counters and histograms in the text format of Prometheus (version 0.0.4):
 * https://prometheus.io/docs/instrumenting/exposition_formats/
 */

export type Labels = Readonly<Record<string, string>>;

export const CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8";

/** One metric with its values, ready for the answer. */
export interface Family {
  readonly name: string;
  readonly help: string;
  readonly type: "counter" | "gauge" | "histogram";
  readonly samples: readonly Sample[];
}

interface Sample {
  /** Behind the name, as `_bucket`. */
  readonly suffix?: string;
  readonly labels: Labels;
  readonly value: number;
}

export interface Counter {
  add(labels: Labels): void;
  family(): Family;
}

export function createCounter(name: string, help: string): Counter {
  const values = new Map<string, { labels: Labels; value: number }>();
  return {
    add(labels) {
      const key = JSON.stringify(labels);
      values.set(key, { labels, value: (values.get(key)?.value ?? 0) + 1 });
    },
    family: () => ({ name, help, type: "counter", samples: [...values.values()] }),
  };
}

export interface Histogram {
  /** @param seconds how long it took */
  observe(labels: Labels, seconds: number): void;
  family(): Family;
}

/** @param bounds upper ends of the buckets in seconds, ascending; what is above them counts in `+Inf` */
export function createHistogram(name: string, help: string, bounds: readonly number[]): Histogram {
  const values = new Map<string, { labels: Labels; buckets: number[]; sum: number; count: number }>();
  return {
    observe(labels, seconds) {
      const key = JSON.stringify(labels);
      const known = values.get(key) ?? { labels, buckets: bounds.map(() => 0), sum: 0, count: 0 };
      for (const [n, bound] of bounds.entries()) if (seconds <= bound) known.buckets[n]!++;
      known.sum += seconds;
      known.count++;
      values.set(key, known);
    },
    family: () => ({
      name,
      help,
      type: "histogram",
      samples: [...values.values()].flatMap(({ labels, buckets, sum, count }) => [
        ...bounds.map((bound, n) => ({
          suffix: "_bucket",
          labels: { ...labels, le: String(bound) },
          value: buckets[n] ?? 0,
        })),
        { suffix: "_bucket", labels: { ...labels, le: "+Inf" }, value: count },
        { suffix: "_sum", labels, value: sum },
        { suffix: "_count", labels, value: count },
      ]),
    }),
  };
}

export function expositionOf(families: readonly Family[]): string {
  return families.map(textOf).join("");
}

function textOf({ name, help, type, samples }: Family): string {
  const head = `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n`;
  return (
    head +
    samples.map((sample) => `${name}${sample.suffix ?? ""}${labelsOf(sample)} ${sample.value}\n`).join("")
  );
}

function labelsOf({ labels }: Sample): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${escaped(value)}"`);
  return pairs.length === 0 ? "" : `{${pairs.join(",")}}`;
}

const escaped = (value: string): string =>
  value.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n");
