/** The tables of a token's page. */
import { signedPercent } from "../../attestor/view/amounts.ts";
import type { BasisPoint, PremiumPoint } from "../../market/queries.ts";
import { ago, bps, count, NONE } from "./format.ts";
import { type Column, hourTable } from "./hourTable.ts";
import type { Html } from "./html.ts";
import { filled, type Language } from "./language.ts";
import { named } from "./names.ts";
import { standing } from "./session.ts";
import type { TokenSeries } from "./tokenSeries.ts";

export interface Section {
  readonly series: TokenSeries;
  readonly words: TokenWords;
  readonly language: Language;
}

export type TokenWords = typeof import("./words/token.json")["en"];

const figure = (text: string | null): string => bps(text === null ? null : Number(text));
const percent = (text: string | null): string => (text === null ? NONE : signedPercent(Number(text)));
/** A distance has no sign. */
const bare = (text: string | null): string => (text === null ? NONE : Number(text).toFixed(1));
/** The rows of a series, under its title. */
function seriesTable<Row extends { readonly hour: number }>(
  { words, language }: Section,
  title: string,
  points: readonly Row[],
  columns: readonly Column<Row>[],
): Html {
  return hourTable(
    `${title}: ${filled(words.table, { shown: count(points.length, language) })}`,
    { ...words.columns, language, of: ({ hour }) => hour },
    columns,
    points.toReversed(),
  );
}

const figures = <Row>(head: string, cell: (row: Row) => string): Column<Row> => ({
  head,
  figure: true,
  cell,
});

export function premiumTable(section: Section): Html {
  const { series, words } = section;
  const { columns } = words;
  return seriesTable(section, words.premium.title, series.premium, [
    figures(columns.premium, ({ premiumBps }) => figure(premiumBps)),
    figures(columns.low, ({ loBps }) => figure(loBps)),
    figures(columns.high, ({ hiBps }) => figure(hiBps)),
    figures(columns.edge, ({ netEdgeBps }) => figure(netEdgeBps)),
    ...provenance(section),
  ]);
}

export function basisTable(section: Section): Html {
  const { series, words } = section;
  const { columns } = words;
  return seriesTable(section, words.basis.title, series.basis.points, [
    figures(columns.basis, ({ basisBps }) => figure(basisBps)),
    figures(columns.low, ({ loBps }) => figure(loBps)),
    figures(columns.high, ({ hiBps }) => figure(hiBps)),
    figures(columns.funding, ({ fundingAnnualBps }) => percent(fundingAnnualBps)),
    ...provenance(section),
  ]);
}

/** Where the hour's last sample came from. */
function provenance({ words, language }: Section): Column<PremiumPoint | BasisPoint>[] {
  const { columns, sessions } = words;
  return [
    { head: columns.session, cell: ({ session }) => named(sessions, session) },
    { head: columns.source, cell: ({ source }) => source },
    {
      head: columns.reference,
      cell: ({ referenceSource }) => referenceSource?.replaceAll(",", ", ") ?? NONE,
    },
    figures(columns.age, ({ referenceAgeSeconds }) => ago(referenceAgeSeconds, language)),
    figures(columns.samples, ({ samples }) => count(samples, language)),
    { head: columns.state, cell: (point) => standing(point, language) || NONE },
    figures(columns.spread, ({ spreadBps }) => bare(spreadBps)),
  ];
}
