/** The charts of a token's page: what each shows of the model, and how it is walked through. */

import { signedBps, signedPercent } from "../../attestor/view/amounts.ts";
import type { Language } from "../../attestor/view/language.ts";
import { type Chart, type ChartSpec, drawChart, type Shade } from "./chart.ts";
import { placeAfterKey } from "./keys.ts";
import type { TokenModel } from "./model.ts";
import { readoutOf } from "./readout.ts";
import type { ChartWords } from "./words.ts";

const SHADED: Readonly<Record<string, Shade["colour"]>> = {
  "pre-market": "--chart-pre-market",
  "post-market": "--chart-post-market",
  overnight: "--chart-overnight",
  closed: "--chart-closed",
};

/**
 * Draws every chart that the page has a place for.
 * @param root the token's part of the page
 * @returns takes them away again
 */
export function drawTokenCharts(root: HTMLElement, model: TokenModel, words: ChartWords): () => void {
  const specs = specsOf(model, words.language);
  const charts: Chart[] = [];
  const moveAll = (place: number) => {
    for (const chart of charts) chart.moveTo(place);
  };
  for (const place of root.querySelectorAll<HTMLElement>("[data-chart]")) {
    const name = place.dataset.chart ?? "";
    const spec = specs[name];
    if (spec) charts.push(live(place, name, spec, { model, words, moveAll }));
  }
  return () => {
    for (const chart of charts) chart.destroy();
  };
}

function specsOf(model: TokenModel, language: Language): Readonly<Record<string, ChartSpec | undefined>> {
  const { hours, premium, basis, sessions } = model;
  const shades = sessions.flatMap(({ from, to, session }): Shade[] => {
    const colour = SHADED[session];
    return colour ? [{ from, to, colour }] : [];
  });
  const common = { hours, language, shades, value: signedBps };
  return {
    premium: {
      ...common,
      band: { lo: premium.lo, hi: premium.hi, colour: "--chart-band" },
      lines: [{ values: premium.close, colour: "--chart-line" }],
    },
    basis: {
      ...common,
      rightValue: (value) => `${signedPercent(value)}%`,
      band: { lo: basis.lo, hi: basis.hi, colour: "--chart-band" },
      lines: [
        { values: basis.close, colour: "--chart-line" },
        { values: basis.funding, colour: "--chart-second", dashed: true, right: true },
      ],
    },
  };
}

interface Page {
  readonly model: TokenModel;
  readonly words: ChartWords;
  readonly moveAll: (place: number) => void;
}

/** A chart that keys and mouse walk through, and whose words screen readers hear. */
function live(root: HTMLElement, name: string, spec: ChartSpec, { model, words, moveAll }: Page): Chart {
  const readout = root.parentElement?.querySelector<HTMLElement>(`[data-readout="${name}"]`);
  const columns = spec.lines.map(({ values }) => values);
  let place: number | null = null;
  const tell = (at: number | null) => {
    place = at;
    // Without a cursor the readout shows the newest hour.
    const told = at ?? placeAfterKey("End", columns, null);
    const parts = told === undefined ? [] : readoutOf(name, model, told, words);
    readout?.replaceChildren(...parts.map(part));
    root.setAttribute("aria-valuenow", String(told ?? 0));
    root.setAttribute("aria-valuetext", parts.join(", "));
  };
  root.tabIndex = 0;
  root.setAttribute("role", "slider");
  root.setAttribute("aria-label", `${root.dataset.label}. ${root.dataset.help}`);
  root.setAttribute("aria-valuemin", "0");
  root.setAttribute("aria-valuemax", String(Math.max(0, spec.hours.length - 1)));
  tell(null);
  const chart = drawChart(root, spec, tell);
  const onKey = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const next = placeAfterKey(event.key, columns, place);
    if (next === undefined) return;
    event.preventDefault();
    moveAll(next);
  };
  root.addEventListener("keydown", onKey);
  return {
    ...chart,
    destroy() {
      root.removeEventListener("keydown", onKey);
      chart.destroy();
    },
  };
}

function part(text: string): HTMLElement {
  const span = document.createElement("span");
  span.textContent = text;
  return span;
}
