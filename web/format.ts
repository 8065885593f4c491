/** Figures as the pages print them, and words with names for what figures are of. */
import { grouped, signedBps } from "../attestor/view/amounts.ts";
import type { Language } from "../attestor/view/language.ts";
import { agoText } from "../attestor/view/times.ts";
import NAMES from "./words/names.json" with { type: "json" };

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
export const bps = (value: number | null): string => (value === null ? NONE : signedBps(value));

/** Whole numbers with thousands: `12,345`. */
export function count(value: number, language: Language): string {
  return numberFormat(language, { maximumFractionDigits: 0 }).format(value);
}

/** US dollars, short: `$1.2M`, 中文 `US$120万`. */
export function dollars(value: number | null, language: Language): string {
  if (value === null || !Number.isFinite(value)) return NONE;
  return numberFormat(language, {
    style: "currency",
    currency: "USD",
    notation: "compact",
    minimumFractionDigits: 0,
    maximumFractionDigits: value < 1_000 ? 0 : 1,
  }).format(value);
}

/** A price with two places, or four below a dollar: `$1,234.50`. */
export function price(decimal: string | null): string {
  if (decimal === null) return NONE;
  const value = Number(decimal);
  return `$${grouped(value.toFixed(value < 1 ? 4 : 2))}`;
}

/** How long ago: `12 s`, `4 min`, `3 h`, `2 d`. @param seconds null: not known */
export const ago = (seconds: number | null, language: Language): string =>
  seconds === null ? NONE : agoText(seconds, language);

type Kind = keyof (typeof NAMES)["en"];

/** A session, state, issuer or chain as people know it. What has no name stands as it is. */
export function nameOf(kind: Kind, key: string, language: Language): string {
  const names: Readonly<Record<string, string>> = NAMES[language][kind];
  return Object.hasOwn(names, key) ? (names[key] ?? key) : key;
}

/** How the sources of a figure stand to each other, and whether its market stands still; empty: there is no figure. */
export function standing(
  { state, halted }: { readonly state: string | null; readonly halted: boolean },
  language: Language,
): string {
  const texts = state === null ? [] : [nameOf("states", state, language)];
  if (halted) texts.push(nameOf("states", "halted", language));
  return texts.join(", ");
}
