/** The tokens of a page as a table: premium now, its week, and where it comes from. */
import { bps, clock } from "./format.ts";
import { type Html, html, join } from "./html.ts";
import { filled, type Language, pathFor, type Reader } from "./language.ts";
import type { PremiumPoints, TokenWeek } from "./marketReading.ts";
import { sessionName, standing } from "./session.ts";
import { sparkline } from "./spark.ts";
import WORDS from "./words/market.json" with { type: "json" };

/** @param now unix seconds */
export function marketTable(tokens: readonly TokenWeek[], now: number, reader: Reader): Html {
  const words = WORDS[reader.language];
  if (tokens.length === 0) return html`<p>${words.empty}</p>`;
  return html`<div class="scroll"><table class="market" data-island="market">
<thead><tr>
<th scope="col">${words.token}</th>
<th scope="col" class="number">${words.premium}<small>${words.premiumHelp}</small></th>
<th scope="col">${words.week}</th>
<th scope="col" class="number wide">${words.range}</th>
<th scope="col" class="keyed" hidden>${words.grade}</th>
<th scope="col" class="number keyed" hidden>${words.impact}</th>
<th scope="col" class="wide">${words.measured}</th>
</tr></thead>
<tbody>
${join(tokens.map((token) => row(token, now, reader)))}
</tbody>
</table></div>`;
}

function row({ asset, points: known }: TokenWeek, now: number, reader: Reader): Html {
  const { language } = reader;
  const words = WORDS[language];
  const points = known ?? [];
  const last = points.findLast(({ premium }) => premium !== null);
  const { low, high } = rangeOf(points);
  const line = sparkline(
    points.map(({ t, premium }) => ({ t, value: premium })),
    now,
    filled(words.spark, { symbol: asset.symbol, low: bps(low), high: bps(high) }),
  );
  const path = `/tokens/${asset.chain}/${asset.address}`;
  return html`<tr data-token="${asset.chain}:${asset.address}">
<th scope="row"><a href="${pathFor(reader, path)}">${asset.symbol}</a><small>${nameOf(asset, language)} · ${asset.issuer} · ${asset.chain}</small></th>
<td class="number premium ${toneOf(last?.premium)}">${bps(last?.premium)}</td>
<td>${line ?? html`<span class="soft">${known === null ? words.away : words.none}</span>`}</td>
<td class="number wide soft">${low === null ? "" : `${bps(low)} … ${bps(high)}`}</td>
<td class="keyed" data-grade hidden></td>
<td class="number keyed" data-impact hidden></td>
<td class="wide soft">${
    last === undefined
      ? ""
      : html`<span title="${filled(last.witnesses === null ? words.samples : words.samplesAgree, { samples: last.samples, sources: last.witnesses ?? 0 })}">${last.source}</span><small>${sessionName(last.session, language)}, ${words.hourOf} ${clock(last.t)} ${standing(last, language)}</small>`
  }</td>
</tr>
`;
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

/** The stock's name in the reader's language. */
export function nameOf(
  { nameEn, nameCn }: { readonly nameEn: string; readonly nameCn: string },
  language: Language,
): string {
  return language === "zh" ? nameCn : nameEn;
}
