/** Figures and times as the pages print them; script says times in the reader's zone. */
import { signedBps } from "../../attestor/view/amounts.ts";
import { agoText, momentText, newYorkText } from "../../attestor/view/times.ts";
import { type Html, html } from "./html.ts";
import type { Language } from "./language.ts";

const LOCALES: Readonly<Record<Language, string>> = { en: "en-US", zh: "zh-CN" };
/** A figure that is not known. */
export const NONE = "–";

const numbers = new Map<string, Intl.NumberFormat>();
function numberFormat(language: Language, options: Intl.NumberFormatOptions): Intl.NumberFormat {
  const key = language + JSON.stringify(options);
  const known = numbers.get(key) ?? new Intl.NumberFormat(LOCALES[language], options);
  numbers.set(key, known);
  return known;
}

/** Basis points with a sign and one place: `+12.3`. */
export function bps(value: number | null | undefined): string {
  if (value === null || value === undefined || !Number.isFinite(value)) return NONE;
  return signedBps(value);
}

/** Whole numbers with thousands: `12,345`. */
export function count(value: number, language: Language): string {
  return numberFormat(language, { maximumFractionDigits: 0 }).format(value);
}

/** US dollars, short: `$1.2M`, 中文 `US$120万`. */
export function dollars(value: number | null | undefined, language: Language): string {
  if (value === null || value === undefined || !Number.isFinite(value)) return NONE;
  return numberFormat(language, {
    style: "currency",
    currency: "USD",
    notation: "compact",
    minimumFractionDigits: 0,
    maximumFractionDigits: value < 1_000 ? 0 : 1,
  }).format(value);
}

/** How long ago: `12 s`, `4 min`, `3 h`, `2 d`. @param seconds null: not known */
export const ago = (seconds: number | null, language: Language): string =>
  seconds === null || !Number.isFinite(seconds) ? NONE : agoText(seconds, language);

/** `15:30` in UTC, which script turns into the reader's. @param seconds unix */
export function clock(seconds: number): Html {
  const iso = new Date(seconds * 1_000).toISOString();
  return html`<time datetime="${iso}" data-clock>${iso.slice(11, 16)} UTC</time>`;
}

/**
 * A moment in UTC and New York; script puts the reader's zone in the place of UTC.
 * @param seconds unix
 */
export function moment(seconds: number, language: Language): Html {
  const ms = seconds * 1_000;
  return html`<time datetime="${new Date(ms).toISOString()}" data-moment><span>${momentText(ms, { language, zone: "UTC" })}</span> <span>· ${newYorkText(ms, language)}</span></time>`;
}
