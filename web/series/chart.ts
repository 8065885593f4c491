/** One chart of hours: lines, a band and shaded stretches, in the page's own colours, for mouse and keyboard. */

import uPlot from "uplot";
import type { Language } from "../../attestor/view/language.ts";
import type { Figure } from "./model.ts";
import { sharedZero } from "./ranges.ts";
import { axisTimes } from "./times.ts";

/** The name of a custom property of the page's style: `--chart-line`. */
type Colour = `--${string}`;

export interface ChartLine {
  readonly values: readonly Figure[];
  readonly colour: Colour;
  readonly dashed?: boolean;
  /** Has a scale of its own, at the right. */
  readonly right?: boolean;
}

/** A stretch of time behind the lines. Unix seconds; `to` is exclusive. */
export interface Shade {
  readonly from: number;
  readonly to: number;
  readonly colour: Colour;
}

export interface ChartSpec {
  /** Unix seconds, each hour once. */
  readonly hours: readonly number[];
  readonly lines: readonly ChartLine[];
  readonly band?: { readonly lo: readonly Figure[]; readonly hi: readonly Figure[]; readonly colour: Colour };
  /** Over the whole height. */
  readonly shades?: readonly Shade[];
  readonly language: Language;
  readonly value: (value: number) => string;
  readonly rightValue?: (value: number) => string;
}

export interface Chart {
  /** Puts the cursor on an hour, here alone: only a mouse moves it in all charts of the page. */
  moveTo(place: number): void;
  destroy(): void;
}

const SYNC = "hours";
/** Half of the last time on the axis reaches beyond its end. */
const LAST_LABEL = 26;

/**
 * @param root has its height from the style; the chart takes its width, and follows it
 * @param onPlace told where the cursor is, here or in another chart of the page; null: nowhere
 */
export function drawChart(
  root: HTMLElement,
  spec: ChartSpec,
  onPlace: (place: number | null) => void,
): Chart {
  const colours = colourReader(root);
  // A pixel may be more than an hour: where the cursor was put is known, and not found out from where it stands.
  let put: number | null = null;
  const plot = new uPlot(
    optionsOf(root, spec, colours.of, (place) => onPlace(put ?? place)),
    dataOf(spec),
    root,
  );
  const redraw = () => {
    colours.forget();
    plot.redraw(false);
  };
  const scheme = matchMedia("(prefers-color-scheme: dark)");
  scheme.addEventListener("change", redraw);
  const observer = new ResizeObserver(() => {
    const { clientWidth: width, clientHeight: height } = root;
    if (width > 0 && (width !== plot.width || height !== plot.height)) plot.setSize({ width, height });
  });
  observer.observe(root);
  return {
    moveTo(place) {
      const hour = spec.hours[place];
      if (hour === undefined) return;
      put = place;
      plot.setCursor({ left: plot.valToPos(hour, "x"), top: plot.over.clientHeight / 2 });
      put = null;
    },
    destroy() {
      observer.disconnect();
      scheme.removeEventListener("change", redraw);
      plot.destroy();
    },
  };
}

function dataOf({ hours, lines, band }: ChartSpec): uPlot.AlignedData {
  const columns = [...(band ? [band.lo, band.hi] : []), ...lines.map(({ values }) => values)];
  return [hours, ...columns] as unknown as uPlot.AlignedData;
}

/** Custom properties are looked up once, and again when the scheme changed. */
function colourReader(root: HTMLElement) {
  let known = new Map<string, string>();
  return {
    of(name: Colour): string {
      const colour = known.get(name) ?? shownColour(root, name);
      known.set(name, colour);
      return colour;
    },
    forget() {
      known = new Map();
    },
  };
}

/** As the reader's scheme has it: the property itself holds the colours of both. */
function shownColour(root: HTMLElement, name: Colour): string {
  root.style.color = `var(${name})`;
  const { color } = getComputedStyle(root);
  root.style.color = "";
  return color;
}

type ColourOf = (name: Colour) => string;

function optionsOf(
  root: HTMLElement,
  spec: ChartSpec,
  colourOf: ColourOf,
  onPlace: (place: number | null) => void,
): uPlot.Options {
  const { lines, band } = spec;
  const range = (_: uPlot, low: number | null, high: number | null): [number, number] => {
    if (low === null || high === null) return [-1, 1];
    const room = (high - low || Math.abs(high) || 1) * 0.08;
    return [low - room, high + room];
  };
  const twoScales = lines.some(({ right }) => right);
  return {
    width: root.clientWidth,
    height: root.clientHeight,
    padding: [8, twoScales ? 0 : LAST_LABEL, 0, 0],
    legend: { show: false },
    scales: { x: { time: true }, ...(twoScales ? zeroedScales(spec) : { y: { range } }) },
    cursor: {
      sync: { key: SYNC, setSeries: false },
      drag: { x: false, y: false },
      y: false,
      points: { size: 7, width: 2, fill: () => colourOf("--back") },
    },
    axes: axesOf(spec, colourOf),
    series: [{}, ...(band ? [hidden(), hidden()] : []), ...lines.map((line) => seriesOf(line, colourOf))],
    ...(band ? { bands: [{ series: [2, 1] as [number, number], fill: () => colourOf(band.colour) }] } : {}),
    hooks: {
      drawClear: [(plot) => drawShades(plot, spec, colourOf)],
      draw: [(plot) => drawZero(plot, colourOf)],
      setCursor: [(plot) => onPlace(plot.cursor.idx ?? null)],
    },
  };
}

function zeroedScales({ lines, band }: ChartSpec): uPlot.Scales {
  const values = (right: boolean) =>
    lines.filter((line) => (line.right ?? false) === right).map((line) => line.values);
  const shared = sharedZero([...values(false), ...(band ? [band.lo, band.hi] : [])], values(true));
  return { y: { range: [...shared.left] }, right: { range: [...shared.right] } };
}

/** Bounds of a band: not drawn themselves. */
const hidden = (): uPlot.Series => ({ stroke: "transparent", width: 0, points: { show: false } });

function seriesOf({ colour, dashed, right }: ChartLine, colourOf: ColourOf): uPlot.Series {
  return {
    stroke: () => colourOf(colour),
    width: 1.6,
    scale: right ? "right" : "y",
    spanGaps: false,
    ...(dashed ? { dash: [5, 4] } : {}),
    points: { show: false, size: 4, fill: () => colourOf(colour), filter: lonely },
  };
}

/** An hour between two gaps has no line: it gets a point. */
function lonely(plot: uPlot, series: number): number[] | null {
  const values = (plot.data[series] ?? []) as readonly Figure[];
  const known = (place: number) => (values[place] ?? null) !== null;
  const places = values.flatMap((_, place) =>
    known(place) && !known(place - 1) && !known(place + 1) ? [place] : [],
  );
  return places.length === 0 ? null : places;
}

function axesOf({ lines, language, value, rightValue }: ChartSpec, colourOf: ColourOf): uPlot.Axis[] {
  const font = `12px ${getComputedStyle(document.body).fontFamily}`;
  const common: uPlot.Axis = {
    stroke: () => colourOf("--soft"),
    font,
    grid: { stroke: () => colourOf("--line"), width: 1 },
    ticks: { show: false },
  };
  const texts =
    (format: (value: number) => string): uPlot.Axis.Values =>
    (_, splits) => {
      const labels = splits.map(format);
      // Where no label has anything behind its point, none shows one.
      return labels.every((text) => text.endsWith(".0")) ? labels.map((text) => text.slice(0, -2)) : labels;
    };
  return [
    { ...common, grid: { show: false }, space: 64, values: (_, splits) => axisTimes(splits, language) },
    { ...common, size: 60, values: texts(value) },
    ...(lines.some(({ right }) => right)
      ? [
          {
            ...common,
            side: 1,
            scale: "right",
            size: 60,
            grid: { show: false },
            values: texts(rightValue ?? value),
          },
        ]
      : []),
  ];
}

function drawShades(plot: uPlot, { shades = [] }: ChartSpec, colourOf: ColourOf): void {
  const { ctx, bbox } = plot;
  const clamp = (at: number) =>
    Math.min(bbox.left + bbox.width, Math.max(bbox.left, plot.valToPos(at, "x", true)));
  ctx.save();
  for (const shade of shades) {
    const [from, to] = [clamp(shade.from), clamp(shade.to)];
    if (to <= from) continue;
    ctx.fillStyle = colourOf(shade.colour);
    ctx.fillRect(from, bbox.top, to - from, bbox.height);
  }
  ctx.restore();
}

/** Zero over the lines, where it is in sight. */
function drawZero(plot: uPlot, colourOf: ColourOf): void {
  const { ctx, bbox } = plot;
  const { min = 0, max = 0 } = plot.scales.y ?? {};
  if (min >= 0 || max <= 0) return;
  const zero = Math.round(plot.valToPos(0, "y", true)) + 0.5;
  ctx.save();
  ctx.lineWidth = uPlot.pxRatio;
  ctx.strokeStyle = colourOf("--faint");
  ctx.beginPath();
  ctx.moveTo(bbox.left, zero);
  ctx.lineTo(bbox.left + bbox.width, zero);
  ctx.stroke();
  ctx.restore();
}
