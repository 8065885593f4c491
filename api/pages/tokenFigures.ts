/** The figures at the head of a token's page: the newest of each series. */
import { signedPercent } from "../../attestor/view/amounts.ts";
import type { BasisPoint, PremiumPoint } from "../../market/queries.ts";
import { bps, NONE } from "./format.ts";
import { hourSpan } from "./hourTable.ts";
import { type Html, html, join } from "./html.ts";
import { filled } from "./language.ts";
import { standing } from "./session.ts";
import type { Section } from "./tokenTables.ts";

export function keyFigures({ series, words, language }: Section): Html {
  const { premium, basis } = series;
  const of = <T extends PremiumPoint | BasisPoint>(
    points: readonly T[],
    figureOf: (point: T) => string | null,
    stateOf: (point: T) => T["state"] = ({ state }) => state,
    shownAs: (value: number) => { value: string; unit?: string } = inBps,
  ) => {
    const point = points.findLast((each) => figureOf(each) !== null);
    return point === undefined
      ? { value: NONE, note: html`${words.now.none}` }
      : {
          ...shownAs(Number(figureOf(point))),
          note: html`${hourSpan(point.hour, language)} · ${standing({ ...point, state: stateOf(point) }, language)}`,
        };
  };
  const figures = [
    { name: words.now.premium, ...of(premium, ({ premiumBps }) => premiumBps) },
    { name: words.now.edge, ...of(premium, ({ netEdgeBps }) => netEdgeBps) },
    { name: words.now.basis, ...of(basis.points, ({ basisBps }) => basisBps) },
    {
      name: words.now.funding,
      ...of(
        basis.points,
        ({ fundingAnnualBps }) => fundingAnnualBps,
        ({ fundingState }) => fundingState,
        (value) => ({ value: filled(words.now.perYear, { percent: signedPercent(value) }) }),
      ),
    },
  ];
  return html`<dl class="key-figures">${join(figures.map(figure))}</dl>`;
}

const inBps = (value: number) => ({ value: bps(value), unit: "bps" });

function figure({
  name,
  value,
  unit,
  note,
}: {
  readonly name: string;
  readonly value: string;
  readonly unit?: string;
  readonly note: Html;
}): Html {
  return html`<div><dt>${name}</dt><dd><b>${value}</b>${unit ? html` <small>${unit}</small>` : ""}<span class="note">${note}</span></dd></div>`;
}
