/** The languages of the pages, and how their sentences are filled. */

export const LANGUAGES = ["en", "zh"] as const;
export type Language = (typeof LANGUAGES)[number];

/**
 * A sentence with its gaps filled, such as `{count} {count:sample|samples}`: the second form takes the first word
 * where the value is one, else the second. Words are in JSON files, all languages of a place in one.
 * @throws Error for a gap without a value
 */
export function filled(sentence: string, gaps: Readonly<Record<string, string | number>>): string {
  return sentence.replace(
    /\{(\w+)(?::([^|{}]*)\|([^{}]*))?\}/g,
    (_, name: string, one: string | undefined, other: string | undefined) => {
      const value = gaps[name];
      if (value === undefined) throw new Error(`Nothing is given for {${name}} of: ${sentence}`);
      if (one === undefined || other === undefined) return String(value);
      return String(value) === "1" ? one : other;
    },
  );
}
