/** Words of the islands, in the language that the page is in. */

export type Language = "en" | "zh";

type Same<Words> = {
  readonly [Name in keyof Words]: Words[Name] extends (...args: infer Args) => string
    ? (...args: Args) => string
    : string;
};

/** Words of the same names in both languages: one that lacks any is a type error. */
export function translated<const Words>(en: Words, zh: Same<Words>): Readonly<Record<Language, Same<Words>>> {
  return { en: en as Same<Words>, zh };
}

export function pageLanguage(): Language {
  return document.documentElement.lang.startsWith("zh") ? "zh" : "en";
}
