/** The tokens of a page as a table: premium now, its week, and where it comes from. */
import type { LiveVolume } from "../../market/queries.ts";
import { bps, clock, dollars } from "./format.ts";
import { type Html, html, join, raw } from "./html.ts";
import { filled, type Language, pathFor, type Reader } from "./language.ts";
import {
  type Choice,
  choicePath,
  newestOf,
  type PremiumPoints,
  type Sort,
  type TokenWeek,
} from "./marketChoice.ts";
import type { MarketReading } from "./marketReading.ts";
import { chainName, issuerName, sessionName } from "./names.ts";
import { standing } from "./session.ts";
import { sparkline } from "./spark.ts";
import WORDS from "./words/market.json" with { type: "json" };

/** @param now unix seconds */
export function marketTable(reading: MarketReading, choice: Choice, now: number, reader: Reader): Html {
  const words = WORDS[reader.language];
  const { tokens, volumes } = reading;
  if (tokens.length === 0) return html`<p>${choicePath(choice) === "/" ? words.empty : words.noMatch}</p>`;
  const head = (sort: Sort, name: string, kind: string, help = html``) =>
    sortHead(choice, sort, { name, kind, help }, reader);
  return html`<div class="scroll"><table class="market">
<thead><tr>
${head("symbol", words.token, "")}
${head("premium", words.premium, "number", html`<small>${words.premiumHelp}</small>`)}
<th scope="col">${words.week}</th>
<th scope="col" class="number wide range">${words.range}</th>
${head("liquidity", words.liquidity, "number")}
${head("volume", words.volume, "number")}
<th scope="col" class="wide">${words.measured}</th>
</tr></thead>
<tbody>
${join(tokens.map((token) => row(token, volumes.get(token.asset.assetKey), now, reader)))}
</tbody>
</table></div>`;
}

/** A column's name, which sorts by it; a second time the other way round. */
function sortHead(
  choice: Choice,
  sort: Sort,
  { name, kind, help }: { name: string; kind: string; help: Html },
  reader: Reader,
): Html {
  const isSorted = choice.sort === sort;
  const ascending = isSorted ? !choice.ascending : sort === "symbol";
  const to = pathFor(reader, choicePath({ ...choice, sort, ascending, page: 1 }));
  const now = isSorted ? raw(` aria-sort="${choice.ascending ? "ascending" : "descending"}"`) : "";
  const title = filled(WORDS[reader.language].sortBy, { name });
  return html`<th scope="col"${kind === "" ? "" : raw(` class="${kind}"`)}${now}><a href="${to}" title="${title}">${name}${isSorted ? (choice.ascending ? " ↑" : " ↓") : ""}</a>${help}</th>`;
}

function row(token: TokenWeek, volume: LiveVolume | undefined, now: number, reader: Reader): Html {
  const { asset, points: known } = token;
  const { language } = reader;
  const words = WORDS[language];
  const points = known ?? [];
  const last = newestOf(token);
  const { low, high } = rangeOf(points);
  const line = sparkline(
    points.map(({ t, premium }) => ({ t, value: premium })),
    now,
    filled(words.spark, { symbol: asset.symbol, low: bps(low), high: bps(high) }),
  );
  const path = `/tokens/${asset.chain}/${asset.address}`;
  const issued = `${issuerName(asset.issuer, language)} · ${chainName(asset.chain, language)}`;
  const usd = (text: string | null | undefined) => dollars(text == null ? null : Number(text), language);
  return html`<tr>
<th scope="row"><a href="${pathFor(reader, path)}">${asset.symbol}</a><small>${nameOf(asset, language)} · ${issued}</small></th>
<td class="number premium ${toneOf(last?.premium)}">${bps(last?.premium)}${last === undefined ? "" : html`<small>${stateOf(last, language)}</small>`}</td>
<td>${line ?? html`<span class="soft">${known === null ? words.away : words.none}</span>`}</td>
<td class="number wide range soft">${low === null ? "" : `${bps(low)} … ${bps(high)}`}</td>
<td class="number">${usd(volume?.liquidityUsd)}</td>
<td class="number">${usd(volume?.volume24hUsd)}</td>
<td class="wide soft">${last === undefined ? "" : measured(last, language)}</td>
</tr>
`;
}

type Point = PremiumPoints[number];

/** How its sources stand to each other, and how far apart those that agree are. */
function stateOf(point: Point, language: Language): string {
  const { spread_bps: spread, state } = point;
  // One source alone is apart from nobody.
  const apart =
    spread === null || state === "single"
      ? []
      : [filled(WORDS[language].apart, { spread: spread.toFixed(1) })];
  return [standing(point, language), ...apart].filter((text) => text !== "").join(", ");
}

function measured({ source, session, samples, witnesses, t }: Point, language: Language): Html {
  const words = WORDS[language];
  const title = filled(witnesses === null ? words.samples : words.samplesAgree, {
    samples,
    sources: witnesses ?? 0,
  });
  return html`<span title="${title}">${source}</span><small>${sessionName(session, language)}, ${words.hourOf} ${clock(t)}</small>`;
}

function rangeOf(points: PremiumPoints): { low: number | null; high: number | null } {
  let low: number | null = null;
  let high: number | null = null;
  for (const { lo, hi } of points) {
    if (lo !== null && (low === null || lo < low)) low = lo;
    if (hi !== null && (high === null || hi > high)) high = hi;
  }
  return { low, high };
}

const toneOf = (premium: number | null | undefined): string =>
  premium === null || premium === undefined ? "" : premium < 0 ? "down" : "up";

function nameOf(
  { nameEn, nameCn }: { readonly nameEn: string; readonly nameCn: string },
  language: Language,
): string {
  return language === "zh" ? nameCn : nameEn;
}
