/** Ninety days of checks as bars. */
import type { PartHistory } from "../status/history.ts";
import { type Html, html } from "./html.ts";
import { filled, type Language } from "./language.ts";
import STATUS_WORDS from "./words/status.json" with { type: "json" };

const WIDTH = 4;
const HEIGHT = 28;
const DAY_SECONDS = 86_400;

/** Full height: all checks of the day found it working; what is missing is what did not. @param now unix seconds */
export function historyBars({ days }: PartHistory, name: string, now: number, language: Language): Html {
  const words = STATUS_WORDS[language];
  const checked = days.filter((day) => day !== null).length;
  const label = filled(words.bar, { part: name, days: checked, share: shareOf(days) });
  let good = "";
  const bad: Html[] = [];
  for (const [index, day] of days.entries()) {
    if (day === null) continue;
    const all = day.good + day.bad;
    const missing = day.bad === 0 ? 0 : Math.max(2, Math.round((day.bad / all) * HEIGHT));
    good += column(index, missing, HEIGHT - missing);
    if (missing === 0) continue;
    const date = new Date((now - (days.length - 1 - index) * DAY_SECONDS) * 1_000).toISOString().slice(0, 10);
    bad.push(
      html`<path class="bad" d="${column(index, 0, missing)}"><title>${filled(words.day, { day: date, good: day.good, all })}</title></path>`,
    );
  }
  return html`<svg class="bars" viewBox="0 0 ${days.length * WIDTH} ${HEIGHT}" preserveAspectRatio="none" role="img" aria-label="${label}"><path class="base" d="M0 ${HEIGHT - 0.5}H${days.length * WIDTH}"/><path d="${good}"/>${bad}</svg>`;
}

/** All full days are one path: a bar of its own for each would make the page many times as long. */
const column = (index: number, top: number, height: number): string =>
  `M${index * WIDTH} ${top}h${WIDTH - 1}v${height}h-${WIDTH - 1}z`;

/** `99.98%` of all checks in ninety days, never rounded up to 100; `–` without any. */
export function shareOf(days: PartHistory["days"]): string {
  const { good, bad } = sumOf(days);
  if (good + bad === 0) return "–";
  return bad === 0 ? "100%" : `${(Math.floor((good / (good + bad)) * 10_000) / 100).toFixed(2)}%`;
}

export function sumOf(days: PartHistory["days"]): { good: number; bad: number } {
  let [good, bad] = [0, 0];
  for (const day of days) {
    good += day?.good ?? 0;
    bad += day?.bad ?? 0;
  }
  return { good, bad };
}
