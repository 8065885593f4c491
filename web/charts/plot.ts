/** One chart of hours by uPlot's own axes, cursor and legend, in the page's colours. */
import uPlot from "uplot";
import { signedBps, signedPercent } from "../../attestor/view/amounts.ts";
import type { Language } from "../../attestor/view/language.ts";
import { clockText, dayText, hourSpanText } from "../../attestor/view/times.ts";

type Figures = readonly (number | null)[];

export interface ChartProps {
  readonly language: Language;
  /** What the chart shows, for screen readers. */
  readonly label: string;
  /** Unix seconds; `to` is exclusive. */
  readonly from: number;
  readonly to: number;
  /** Names in the legend. */
  readonly time: string;
  readonly line: string;
  readonly low: string;
  readonly high: string;
  /** Those that have figures, oldest first: unix seconds, and basis points of each. */
  readonly hours: readonly number[];
  readonly values: Figures;
  readonly lows: Figures;
  readonly highs: Figures;
  /** Shaded stretches. */
  readonly sessions: readonly { readonly name: string; readonly from: number; readonly to: number }[];
  /** Another line, in percent a year, with a scale at the right. */
  readonly second?: { readonly name: string; readonly values: Figures };
}

const HOUR = 3_600;
/** All charts of a page have one cursor. */
const SYNC = "hours";
/** Below the plot, for the legend. */
const LEGEND_HEIGHT = 56;

/** @returns takes the chart away again */
export function drawPlot(root: HTMLElement, props: ChartProps): () => void {
  const data = dataOf(props);
  let plot = new uPlot(optionsOf(root, props), data, root);
  const again = () => {
    plot.destroy();
    plot = new uPlot(optionsOf(root, props), data, root);
  };
  const scheme = matchMedia("(prefers-color-scheme: dark)");
  scheme.addEventListener("change", again);
  const observer = new ResizeObserver(() => {
    const size = sizeOf(root);
    if (size.width > 0 && size.width !== plot.width) plot.setSize(size);
  });
  observer.observe(root);
  return () => {
    observer.disconnect();
    scheme.removeEventListener("change", again);
    plot.destroy();
  };
}

const sizeOf = ({ clientWidth, clientHeight }: HTMLElement) => ({
  width: clientWidth,
  height: clientHeight - LEGEND_HEIGHT,
});

/** Every hour of the span, so that hours without a figure are gaps. */
function dataOf({ from, to, hours, values, lows, highs, second }: ChartProps): uPlot.AlignedData {
  const all = Array.from({ length: (to - from) / HOUR }, (_, index) => from + index * HOUR);
  const places = new Map(hours.map((hour, index) => [hour, index]));
  const onAll = (figures: Figures) =>
    all.map((hour) => {
      const place = places.get(hour);
      return place === undefined ? null : (figures[place] ?? null);
    });
  const columns = [lows, highs, values];
  if (second !== undefined) columns.push(second.values);
  return [all, ...columns.map(onAll)];
}

/** A colour of the page's style, as the reader's scheme has it. */
function colourOf(root: HTMLElement, name: string): string {
  root.style.color = `var(--${name})`;
  const { color } = getComputedStyle(root);
  root.style.color = "";
  return color;
}

const inBps = (value: number | null) => (value === null ? "–" : `${signedBps(value)} bps`);
const inPercent = (value: number | null) => (value === null ? "–" : `${signedPercent(value)} %`);

function optionsOf(root: HTMLElement, props: ChartProps): uPlot.Options {
  const { language, time, line, low, high, second } = props;
  const colour = (name: string) => colourOf(root, name);
  const bound = { width: 0, stroke: colour("chart-bound"), points: { show: false } };
  const timeText = (seconds: number | null) =>
    seconds === null ? "–" : hourSpanText(seconds * 1_000, { language });
  const series: uPlot.Series[] = [
    { label: time, value: (_, seconds) => timeText(seconds) },
    { ...bound, label: low, value: (_, value) => inBps(value) },
    { ...bound, label: high, value: (_, value) => inBps(value) },
    { ...lineOf(colour("chart-line")), label: line, value: (_, value) => inBps(value) },
  ];
  if (second !== undefined)
    series.push({
      ...lineOf(colour("chart-second")),
      label: second.name,
      scale: "percent",
      dash: [5, 4],
      value: (_, value) => inPercent(value),
    });
  return {
    ...sizeOf(root),
    padding: [8, second === undefined ? 26 : 0, 0, 0],
    series,
    // Zero is as high at the left as at the right.
    scales: second === undefined ? {} : { y: { range: aroundZero }, percent: { range: aroundZero } },
    bands: [{ series: [2, 1], fill: colour("chart-band") }],
    axes: axesOf(props, colour),
    cursor: { sync: { key: SYNC, setSeries: false }, drag: { x: false, y: false }, y: false },
    hooks: { drawClear: [(plot) => drawSessions(plot, props, colour)] },
  };
}

const lineOf = (stroke: string): uPlot.Series => ({
  stroke,
  width: 1.6,
  spanGaps: false,
  points: { show: true, size: 4, fill: stroke, filter: lonely },
});

/** Places of hours between two gaps, which have no line: they get a point. */
function lonely(plot: uPlot, series: number): number[] {
  const values = plot.data[series] ?? [];
  const isKnown = (place: number) => (values[place] ?? null) !== null;
  const places: number[] = [];
  for (let place = 0; place < values.length; place++)
    if (isKnown(place) && !isKnown(place - 1) && !isKnown(place + 1)) places.push(place);
  return places;
}

function aroundZero(_: uPlot, low: number | null, high: number | null): [number, number] {
  const reach = Math.max(Math.abs(low ?? 0), Math.abs(high ?? 0), 1) * 1.08;
  return [-reach, reach];
}

function axesOf({ language, second }: ChartProps, colour: (name: string) => string): uPlot.Axis[] {
  const common: uPlot.Axis = {
    stroke: colour("soft"),
    font: `12px ${getComputedStyle(document.body).fontFamily}`,
    grid: { stroke: colour("line"), width: 1 },
    ticks: { show: false },
  };
  const bpsAxis: uPlot.Axis = { ...common, size: 60, values: (_, splits) => splits.map(signedBps) };
  const axes = [
    { ...common, space: 64, values: (_: uPlot, splits: number[]) => timesOf(splits, language) },
    bpsAxis,
  ];
  if (second !== undefined)
    axes.push({
      ...common,
      side: 1,
      scale: "percent",
      size: 60,
      grid: { show: false },
      values: (_: uPlot, splits: number[]) => splits.map((value) => `${signedPercent(value)}%`),
    });
  return axes;
}

/** In the reader's zone: the day where one begins, else the hour; nothing but days where they lie days apart. */
function timesOf(splits: readonly number[], language: Language): string[] {
  const apart = (splits[1] ?? 0) - (splits[0] ?? 0);
  return splits.map((seconds) => {
    const ms = seconds * 1_000;
    const text = clockText(ms, { language });
    return apart >= 86_400 || text === "00:00" ? dayText(ms, { language }) : text;
  });
}

function drawSessions(plot: uPlot, { sessions }: ChartProps, colour: (name: string) => string): void {
  const { ctx, bbox } = plot;
  const xOf = (seconds: number) =>
    Math.min(bbox.left + bbox.width, Math.max(bbox.left, plot.valToPos(seconds, "x", true)));
  ctx.save();
  for (const { name, from, to } of sessions) {
    ctx.fillStyle = colour(`chart-${name}`);
    ctx.fillRect(xOf(from), bbox.top, xOf(to) - xOf(from), bbox.height);
  }
  ctx.restore();
}
