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

/** @param series oldest day first @param now unix seconds; the newest day that has ended is its day before */
export function marketTotals({ series }: Overview, now: number, language: Language): Html {
  const words = WORDS[language];
  const days = series.filter(({ scope }) => scope === "all");
  if (days.length < 2) return html``;
  const chart = (name: string, figureOf: (day: Day) => string) => {
    const highest = days.reduce((one, other) =>
      Number(figureOf(other)) > Number(figureOf(one)) ? other : one,
    );
    const last = days.at(-1)!;
    const dayOf = ({ day }: Day) => dayText(Date.parse(day), { language, zone: "UTC" });
    const tell = (day: Day) => ({ amount: dollars(Number(figureOf(day)), language), day: day.day });
    const label = filled(words.totalsLabel, {
      name,
      days: TOTAL_DAYS,
      last: tell(last).amount,
      lastDay: dayOf(last),
      high: tell(highest).amount,
      highDay: dayOf(highest),
    });
    return html`<figure><figcaption>${label}</figcaption>${bars(days, figureOf, Number(figureOf(highest)), now, label)}</figure>`;
  };
  const hasPartial = days.some(({ complete }) => complete === false);
  return html`<div class="totals">${join([
    chart(words.volume, ({ vol }) => vol),
    chart(words.liquidity, ({ liq }) => liq),
  ])}${hasPartial ? html`<p class="soft">${words.partial}</p>` : ""}</div>`;
}

/** A bar a day; a day without a snapshot is a gap. */
function bars(
  days: readonly Day[],
  figureOf: (day: Day) => string,
  highest: number,
  now: number,
  label: string,
): Html {
  const today = Math.floor(now / 86_400);
  const path = (some: readonly Day[]) =>
    some
      .map((day) => {
        const place = TOTAL_DAYS - (today - Date.parse(`${day.day}T00:00:00Z`) / 86_400_000);
        const height = Math.max(1, Math.round((Number(figureOf(day)) / (highest || 1)) * (HEIGHT - 2)));
        return place < 0 ? "" : `M${place * STEP + STEP / 2} ${HEIGHT}v-${height}`;
      })
      .join("");
  const whole = days.filter(({ complete }) => complete !== false);
  const partial = days.filter(({ complete }) => complete === false);
  return html`<svg viewBox="0 0 ${TOTAL_DAYS * STEP} ${HEIGHT}" preserveAspectRatio="none" role="img" aria-label="${label}"><path d="${path(whole)}"/><path class="partial" d="${path(partial)}"/></svg>`;
}
