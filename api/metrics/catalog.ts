/**
 * Every metric of the service: the table in docs/run/monitoring.md, the dashboard and the tests of the alerts are checked
 * against this list. `metrics.json` has a line each, by group: the name with its labels, and the meaning. Names and units
 * are Prometheus': seconds, `_total` for counters, and no label that outsiders could fill freely. A metric with buckets
 * is a histogram, any other a gauge.
 */
import TABLE from "./metrics.json" with { type: "json" };

type Table = typeof TABLE;
type MetricGroup = keyof Table;

export interface MetricSpec {
  readonly type: "counter" | "gauge" | "histogram";
  readonly help: string;
  readonly labels: readonly string[];
  /** What its values count; null: a number without one. */
  readonly unit: "seconds" | null;
  /** Of a histogram: upper ends of its buckets, ascending. */
  readonly buckets?: readonly number[];
}

const BUCKETS: Readonly<Record<string, readonly number[]>> = {
  answer: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
  statement: [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5],
  request: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20],
  facilitator: [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20],
  step: [0.1, 0.5, 1, 5, 15, 30, 60, 120, 300, 600, 1_800],
  /** The table counts in whole seconds. */
  settlement: [1, 2, 5, 10, 30, 60, 120, 300, 900],
};

/** Of all groups: each line by its name with labels, such as `assay_log_entries{log}`. */
type Lines = { [Group in MetricGroup]: (row: Table[Group]) => void }[MetricGroup] extends (
  row: infer All,
) => void
  ? All
  : never;
type Line = keyof Lines & string;
type Bare<Shown extends string> = Shown extends `${infer Name}{${string}` ? Name : Shown;
type Split<Labels extends string> = Labels extends `${infer First},${infer Rest}`
  ? First | Split<Rest>
  : Labels;
type LineOf<Name extends string> = Extract<Line, Name | `${Name}{${string}}`>;

export type MetricName = Bare<Line>;
export type HistogramName = Bare<{ [L in Line]: Lines[L] extends string ? never : L }[Line]>;
export type CounterName = Extract<MetricName, `${string}_total`>;
export type GaugeName = Exclude<MetricName, HistogramName | CounterName>;
/** The labels that a sample of it has, all of them. */
export type LabelsOf<Name extends MetricName> = Readonly<
  Record<LineOf<Name> extends `${string}{${infer Labels}}` ? Split<Labels> : never, string>
>;

function specOf(shown: string, line: string | { help: string; buckets: string }) {
  const [name = "", labels] = shown.replace("}", "").split("{");
  const isHistogram = typeof line !== "string";
  const spec: MetricSpec = {
    type: isHistogram ? "histogram" : name.endsWith("_total") ? "counter" : "gauge",
    help: isHistogram ? line.help : line,
    labels: labels?.split(",") ?? [],
    unit: name.endsWith("_seconds") ? "seconds" : null,
    ...(isHistogram ? { buckets: BUCKETS[line.buckets]! } : {}),
  };
  return [name, spec] as const;
}

export const METRICS = Object.fromEntries(
  Object.values(TABLE).flatMap((group) => Object.entries(group).map(([shown, line]) => specOf(shown, line))),
) as Readonly<Record<Exclude<MetricName, HistogramName>, MetricSpec>> &
  Readonly<Record<HistogramName, MetricSpec & { readonly buckets: readonly number[] }>>;
