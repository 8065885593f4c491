/** What a chart says of the hour under its cursor. */
import { signedBps, signedPercent } from "../../attestor/view/amounts.ts";
import { filled } from "../../attestor/view/language.ts";
import { agoText, hourSpanText, newYorkText, zoneText } from "../../attestor/view/times.ts";
import type { Figure, Line, Provenance, TokenModel } from "./model.ts";
import type { ChartWords } from "./words.ts";

/** One text for each part; those of which nothing is to say are left out. */
export function readoutOf(chart: string, model: TokenModel, place: number, words: ChartWords): string[] {
  const hour = model.hours[place];
  if (hour === undefined) return [];
  const parts = partsOf(chart, model, place, words);
  return parts.length === 0 ? [] : [timeOf(hour, words), ...parts];
}

/** `23 Nov, 02:00 to 03:00 UTC · 21:00 New York`. */
function timeOf(hour: number, { language }: ChartWords): string {
  const ms = hour * 1_000;
  return `${hourSpanText(ms, { language })} ${zoneText(ms, { language })} · ${newYorkText(ms, language)}`;
}

function partsOf(chart: string, model: TokenModel, place: number, words: ChartWords): string[] {
  const { columns, readout } = words;
  const bps = (name: string, value: Figure | undefined, unknown = readout.unknown) =>
    `${name} ${value == null ? unknown : `${signedBps(value)} bps`}`;
  const { basis, premium } = model;
  const told = { basis, premium }[chart]?.provenance[place];
  if (!told) return [];
  if (chart === "basis")
    return [
      bps(nameOf(columns.basis), basis.close[place]),
      ...bandOf(basis, place, words),
      fundingOf(basis.funding[place], words),
      ...provenanceOf(told, words),
    ];
  return [
    bps(nameOf(columns.premium), premium.close[place], readout.noReference),
    ...bandOf(premium, place, words),
    ...provenanceOf(told, words),
  ];
}

const fundingOf = (value: Figure | undefined, { readout }: ChartWords): string =>
  value == null ? readout.noFunding : filled(readout.funding, { percent: signedPercent(value) });

/** A column's name without its unit. */
const nameOf = (head: string) => head.replace(/,? ?bps.*$/, "");

function bandOf({ lo, hi }: Line, place: number, { readout }: ChartWords): string[] {
  const [low, high] = [lo[place] ?? null, hi[place] ?? null];
  return low === null || high === null ? [] : [`${readout.band} ${signedBps(low)} … ${signedBps(high)}`];
}

function provenanceOf(told: Provenance, { sessions, states, readout, language }: ChartWords): string[] {
  const age = told.age === null ? readout.unknown : agoText(told.age, language);
  const reference =
    told.reference === null
      ? readout.noReference
      : `${told.reference.replaceAll(",", ", ")}, ${readout.age} ${age}`;
  return [
    sessions[told.session] ?? told.session,
    told.source,
    reference,
    ...(told.state === null ? [] : [states[told.state]]),
    ...(told.halted ? [states.halted] : []),
  ];
}
