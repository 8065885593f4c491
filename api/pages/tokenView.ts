/** What a token's page shows: its head, and the part that changes with the days. */
import type { MarketAsset } from "../../market/queries.ts";
import { count } from "./format.ts";
import { type Html, html, join, raw } from "./html.ts";
import { filled, pathFor, type Reader } from "./language.ts";
import { chainName, issuerName, named } from "./names.ts";
import { keyFigures } from "./tokenFigures.ts";
import { seriesBlock, type TokenSeries } from "./tokenSeries.ts";
import { basisTable, premiumTable, type Section, type TokenWords } from "./tokenTables.ts";
import STATE_WORDS from "./words/states.json" with { type: "json" };
import TOKEN_WORDS from "./words/token.json" with { type: "json" };

const DAYS = [1, 7, 30] as const;

/** Which token it is. @param unpriced why it has no premium; null: it has one */
export function tokenHead(asset: MarketAsset, { language }: Reader, unpriced: string | null): Html {
  const words = TOKEN_WORDS[language];
  const facts = [
    [words.stock, html`${asset.underlying}`],
    [words.issuer, html`${issuerName(asset.issuer, language)}`],
    [words.chain, html`${chainName(asset.chain, language)}`],
    [words.address, html`<code>${asset.address}</code>`],
  ] as const;
  return html`<div class="token-head">
<h1>${asset.symbol} <span class="soft">${language === "zh" ? asset.nameCn : asset.nameEn}</span></h1>
<dl class="token-facts">${join(facts.map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`))}</dl>
${unpriced === null ? "" : html`<p class="remark">${filled(words.unpriced, { reason: unpriced })}</p>`}
</div>`;
}

interface Shown {
  readonly asset: MarketAsset;
  readonly reader: Reader;
  /** null: the database does not answer. */
  readonly series: TokenSeries | null;
}

/** Script puts another one in its place when the reader chooses other days. */
export function tokenPart({ asset, reader, series }: Shown): Html {
  const words = TOKEN_WORDS[reader.language];
  const labels = JSON.stringify({
    language: reader.language,
    states: STATE_WORDS[reader.language],
    ...chartWords(words),
  });
  const path = `/tokens/${asset.chain}/${asset.address}`;
  return html`<div id="token" class="token" data-island="token" data-path="${path}" data-lang="${reader.explicit ? reader.language : ""}" data-props="${labels}">
${series === null ? html`<p class="remark">${words.degraded}</p>` : sections(series, words, reader, path)}
<p class="token-status" role="status"></p>
</div>`;
}

function sections(series: TokenSeries, words: TokenWords, reader: Reader, path: string): Html {
  const { language } = reader;
  const shown = { series, words, language };
  return html`${keyFigures(shown)}
${rangeNav(series, words, reader, path)}
${premiumSection(shown)}
${basisSection(shown)}
${dataSection(series, words)}
<script type="application/json" id="series">${raw(seriesBlock(series).replaceAll("<", "\\u003c"))}</script>`;
}

function rangeNav({ days }: TokenSeries, words: TokenWords, reader: Reader, path: string): Html {
  const link = (each: (typeof DAYS)[number]) =>
    html`<a href="${pathFor(reader, `${path}?days=${each}`)}" data-days="${String(each)}"${each === days ? raw(' aria-current="true"') : ""}>${words.days[each]}</a>`;
  return html`<nav class="range" aria-label="${words.range}">${join(DAYS.map(link))}</nav>`;
}

type Key = readonly [name: string, kind: string];

/** @param keys names of colours of the style, and what they stand for */
function chart(name: string, label: string, words: TokenWords, keys: readonly Key[]): Html {
  return html`<p class="legend">${join(keys.map(([text, kind]) => html`<span><i class="key-${kind}"></i>${text}</span>`))}</p>
<div class="chart" data-chart="${name}" data-label="${label}" data-help="${words.chartHelp}"></div>
<p class="readout" data-readout="${name}" aria-hidden="true"></p>`;
}

function premiumSection(section: Section): Html {
  const { series, words, language } = section;
  const { premium, range } = series;
  const hours = (range.to - range.from) / 3_600;
  const without = hours - premium.filter(({ premiumBps }) => premiumBps !== null).length;
  const all = count(hours, language);
  const sessions = [...new Set(premium.map(({ session }) => session))].filter((name) => name !== "regular");
  const gaps =
    without === 0
      ? filled(words.noGaps, { all })
      : filled(words.gaps, { without: count(without, language), all });
  return html`<section aria-labelledby="premium"><h2 id="premium">${words.premium.title}</h2>
<p class="about">${words.premium.about}</p>
${chart("premium", words.premium.chart, words, [
  [words.legend.line, "line"],
  [words.legend.band, "band"],
  ...sessions.map((name): Key => [named(words.sessions, name), `session-${name}`]),
])}
${premium.length === 0 ? "" : premiumTable(section)}
<p class="remark">${premium.length === 0 ? words.empty : gaps}</p></section>`;
}

function basisSection(section: Section): Html {
  const { series, words } = section;
  const { venue, points } = series.basis;
  const title = html`<h2 id="basis">${words.basis.title}</h2>`;
  if (venue === null)
    return html`<section aria-labelledby="basis">${title}<p class="remark">${words.basis.none}</p></section>`;
  return html`<section aria-labelledby="basis">${title}
<p class="about">${filled(words.basis.about, { venue })}</p>
${chart("basis", words.basis.chart, words, [
  [words.legend.basis, "line"],
  [words.legend.band, "band"],
  [words.legend.funding, "second"],
])}
${points.length === 0 ? html`<p class="remark">${words.empty}</p>` : basisTable(section)}</section>`;
}

function dataSection({ asset, days, basis }: TokenSeries, words: TokenWords): Html {
  const links = [
    `/api/premium/history?address=${asset.address}&days=${days}`,
    `/api/basis/history?address=${asset.address}&days=${days}${basis.venue === null ? "" : `&venue=${basis.venue}`}`,
  ];
  return html`<section aria-labelledby="data"><h2 id="data">${words.data}</h2>
<p class="scripted"><button type="button" data-csv>${words.csv}</button> <span class="soft">${words.csvAbout}</span></p>
<p>${words.json}:</p>
<ul class="links">${join(links.map((href) => html`<li><a href="${href}"><code>${href}</code></a></li>`))}</ul></section>`;
}

/** What the charts say. */
function chartWords({ columns, readout, sessions, loading, failed }: TokenWords) {
  return { columns, readout, sessions, loading, failed };
}
