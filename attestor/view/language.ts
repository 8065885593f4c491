/** The languages of the pages, and how words are written down in both. */

export const LANGUAGES = ["en", "zh"] as const;
export type Language = (typeof LANGUAGES)[number];

/** Words of the same shape: a text that one language has and the other lacks is a type error. */
export type Same<Words> = {
  readonly [Name in keyof Words]: Words[Name] extends (...args: infer Args) => string
    ? (...args: Args) => string
    : Words[Name] extends string
      ? string
      : Same<Words[Name]>;
};

/** Words in each language. */
export function translated<const Words>(en: Words, zh: Same<Words>): Readonly<Record<Language, Same<Words>>> {
  return { en: en as Same<Words>, zh };
}
