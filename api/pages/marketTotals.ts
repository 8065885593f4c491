/** The totals of 90 days as two small charts, drawn by the server so that they need no script. */
import { dayText } from "../../attestor/view/times.ts";
import { dollars } from "./format.ts";
import { type Html, html, join } from "./html.ts";
import { filled, type Language } from "./language.ts";
import { type Overview, TOTAL_DAYS } from "./marketReading.ts";
import WORDS from "./words/market.json" with { type: "json" };

const STEP = 4;
const HEIGHT = 60;

type Day = Overview["series"][number];

type FigureOf = (day: Day) => string | null;

/** @param series oldest day first @param now unix seconds; the newest day that has ended is its day before */
export function marketTotals({ series }: Overview, now: number, language: Language): Html {
  const words = WORDS[language];
  const days = series.filter(({ scope }) => scope === "all");
  // A day on which a token has no figure has no sum.
  const known = days.filter(({ complete }) => complete);
  if (known.length < 2) return html``;
  const chart = (name: string, figureOf: FigureOf) => {
    const amountOf = (day: Day) => Number(figureOf(day));
    const highest = known.reduce((one, other) => (amountOf(other) > amountOf(one) ? other : one));
    const last = known.at(-1)!;
    const dayOf = ({ day }: Day) => dayText(Date.parse(day), { language, zone: "UTC" });
    const label = filled(words.totalsLabel, {
      name,
      days: TOTAL_DAYS,
      last: dollars(amountOf(last), language),
      lastDay: dayOf(last),
      high: dollars(amountOf(highest), language),
      highDay: dayOf(highest),
    });
    return html`<figure><figcaption>${label}</figcaption>${bars(known, amountOf, amountOf(highest), now, label)}</figure>`;
  };
  const hasGaps = known.length < days.length;
  return html`<div class="totals">${join([
    chart(words.volume, ({ vol }) => vol),
    chart(words.liquidity, ({ liq }) => liq),
  ])}${hasGaps ? html`<p class="soft">${words.gaps}</p>` : ""}</div>`;
}

/** A bar a day; a day without totals is a gap. */
function bars(
  days: readonly Day[],
  amountOf: (day: Day) => number,
  highest: number,
  now: number,
  label: string,
): Html {
  const today = Math.floor(now / 86_400);
  const path = days
    .map((day) => {
      const place = TOTAL_DAYS - (today - Date.parse(`${day.day}T00:00:00Z`) / 86_400_000);
      const height = Math.max(1, Math.round((amountOf(day) / (highest || 1)) * (HEIGHT - 2)));
      return place < 0 ? "" : `M${place * STEP + STEP / 2} ${HEIGHT}v-${height}`;
    })
    .join("");
  return html`<svg viewBox="0 0 ${TOTAL_DAYS * STEP} ${HEIGHT}" preserveAspectRatio="none" role="img" aria-label="${label}"><path d="${path}"/></svg>`;
}
