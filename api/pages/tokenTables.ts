/** The tables of a token's page. */

import { signedPercent } from "../../attestor/view/amounts.ts";
import type { BasisPoint, PremiumPoint } from "../../market/queries.ts";
import type { GradePoint, ImpactPoint, PricePoint } from "../../market/tokenHistory.ts";
import { ago, bps, count, NONE } from "./format.ts";
import { type Column, hourTable, MAX_ROWS } from "./hourTable.ts";
import type { Html } from "./html.ts";
import { filled, type Language } from "./language.ts";
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
const newest = <T>(points: readonly T[]): T[] => points.slice(-MAX_ROWS).reverse();

export function premiumTable({ premium }: TokenSeries, words: TokenWords, language: Language): Html {
  const { columns } = words;
  const rows = newest(premium);
  return hourTable(
    `${words.premium.title}: ${filled(words.table, { shown: count(rows.length, language) })}`,
    { ...columns, language, of: ({ hour }) => hour },
    [
      { head: columns.premium, figure: true, cell: ({ premiumBps }) => figure(premiumBps) },
      { head: columns.low, figure: true, cell: ({ loBps }) => figure(loBps) },
      { head: columns.high, figure: true, cell: ({ hiBps }) => figure(hiBps) },
      { head: columns.edge, figure: true, cell: ({ netEdgeBps }) => figure(netEdgeBps) },
      ...provenance(words, language),
    ],
    rows,
  );
}

export function basisTable({ basis }: TokenSeries, words: TokenWords, language: Language): Html {
  const { columns } = words;
  const rows = newest(basis.points);
  return hourTable(
    `${words.basis.title}: ${filled(words.table, { shown: count(rows.length, language) })}`,
    { ...columns, language, of: ({ hour }) => hour },
    [
      { head: columns.basis, figure: true, cell: ({ basisBps }) => figure(basisBps) },
      { head: columns.low, figure: true, cell: ({ loBps }) => figure(loBps) },
      { head: columns.high, figure: true, cell: ({ hiBps }) => figure(hiBps) },
      { head: columns.funding, figure: true, cell: ({ fundingAnnualBps }) => percent(fundingAnnualBps) },
      ...provenance(words, language),
    ],
    rows,
  );
}

/** Where the hour's last sample came from. */
function provenance(words: TokenWords, language: Language): Column<PremiumPoint | BasisPoint>[] {
  const { columns } = words;
  return [
    { head: columns.session, cell: ({ session }) => sessionName(session, words) },
    { head: columns.source, cell: ({ source }) => source },
    {
      head: columns.reference,
      cell: ({ referenceSource }) => referenceSource?.replaceAll(",", ", ") ?? NONE,
    },
    {
      head: columns.age,
      figure: true,
      cell: ({ referenceAgeSeconds }) => ago(referenceAgeSeconds, language),
    },
    { head: columns.samples, figure: true, cell: ({ samples }) => count(samples, language) },
    { head: columns.state, cell: (point) => standing(point, language) || NONE },
    { head: columns.spread, figure: true, cell: ({ spreadBps }) => bare(spreadBps) },
  ];
}

const sessionName = (session: string, { sessions }: TokenWords): string =>
  (sessions as Readonly<Record<string, string>>)[session] ?? session;

export function impactTable(impact: readonly ImpactPoint[], words: TokenWords, language: Language): Html {
  const { columns } = words;
  const rows = newest(impact);
  return hourTable(
    `${words.impact.title}: ${filled(words.table, { shown: rows.length })}`,
    { ...columns, language, of: ({ hour }) => hour },
    [
      { head: columns.small, figure: true, cell: ({ impact1kBps }) => route(impact1kBps, words) },
      { head: columns.large, figure: true, cell: ({ impact10kBps }) => route(impact10kBps, words) },
      { head: columns.session, cell: ({ session }) => sessionName(session, words) },
      { head: columns.source, cell: ({ source }) => source },
    ],
    rows,
  );
}

const route = (text: string | null, words: TokenWords): string =>
  text === null ? words.readout.noRoute : figure(text);

export function gradeTable(grades: readonly GradePoint[], words: TokenWords, language: Language): Html {
  const { columns } = words;
  return hourTable(
    words.grades,
    { ...columns, time: `${columns.day}, ${columns.time}`, language, of: ({ at }) => at },
    [
      { head: columns.grade, cell: ({ grade }) => grade ?? NONE },
      { head: columns.medianSmall, figure: true, cell: ({ impact1kBps }) => route(impact1kBps, words) },
      { head: columns.medianLarge, figure: true, cell: ({ impact10kBps }) => route(impact10kBps, words) },
      { head: columns.samples, figure: true, cell: ({ sampleN }) => count(sampleN, language) },
    ],
    newest(grades),
  );
}

export function priceTable(prices: readonly PricePoint[], words: TokenWords, language: Language): Html {
  const { columns } = words;
  const rows = newest(prices);
  const dollars = new Intl.NumberFormat("en-US", {
    style: "currency",
    currency: "USD",
    maximumFractionDigits: 4,
  });
  const shares = new Intl.NumberFormat("en-US", { maximumFractionDigits: 8 });
  const price = (text: string | null) => (text === null ? NONE : dollars.format(Number(text)));
  return hourTable(
    `${words.prices.title}: ${filled(words.table, { shown: count(rows.length, language) })}`,
    { ...columns, language, of: ({ hour }) => hour },
    [
      { head: columns.token, figure: true, cell: ({ tokenUsd }) => price(tokenUsd) },
      {
        head: columns.shares,
        figure: true,
        cell: ({ sharesPerToken }) => shares.format(Number(sharesPerToken)),
      },
      { head: columns.perShare, figure: true, cell: ({ perShareUsd }) => price(perShareUsd) },
      { head: columns.stock, figure: true, cell: ({ referenceUsd }) => price(referenceUsd) },
    ],
    rows,
  );
}
