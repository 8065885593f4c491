/** The method speaks English. Here its sentences, and the names of facts, are read into the reader's language. */
import DETAILS from "./details.json" with { type: "json" };
import { filled, type Language } from "./language.ts";

interface Form {
  readonly pattern: RegExp;
  readonly said: string;
}

/** Gaps that take a list even in a part of a sentence, which else ends where the list goes on. */
const WHOLE = ["why", "key", "more", "reason"];
/** In the order of the file: of two that fit, the first is meant. */
const FORMS: readonly Form[] = Object.entries(DETAILS.zh).map(([english, said]) => {
  const isSentence = english.endsWith(".");
  const gap = (_: string, name: string) =>
    isSentence || WHOLE.includes(name) ? `(?<${name}>[^]+?)` : `(?<${name}>(?:(?!, |; )[^])+?)`;
  const literal = english.replace(/[.*+?^$()|[\]\\]/g, "\\$&");
  return { pattern: new RegExp(`^${literal.replace(/\{(\w+)\}/g, gap)}$`), said };
});
/** Commas of lists, and none within parentheses. */
const SEPARATORS = [
  [/; /, "；"],
  [/, (?![^()]*\))/, "、"],
  [/ and of /, "、"],
  [/ and /, "、"],
] as const;
/** Details quote documents, which anyone may have written: the depth is bounded. */
const DEEPEST = 4;

/** @param text a step's detail, the reason of a verdict, what a fact is called; null: this program cannot say it otherwise */
export function detailText(text: string, language: Language): string | null {
  return language === "en" ? text : sentences(text, 0);
}

/** Some details are two sentences. */
function sentences(text: string, depth: number): string | null {
  const end = text.indexOf(". ") + 1;
  if (end > 0) {
    const [one, more] = [said(text.slice(0, end), depth), sentences(text.slice(end + 1), depth)];
    if (one !== null && more !== null) return `${one}${more}`;
  }
  return said(text, depth);
}

function said(text: string, depth: number): string | null {
  for (const { pattern, said } of FORMS) {
    const groups = pattern.exec(text)?.groups;
    if (groups !== undefined)
      return filled(
        said,
        Object.fromEntries(Object.entries(groups).map(([name, part]) => [name, partText(part, depth + 1)])),
      );
    if (pattern.test(text)) return said;
  }
  return null;
}

/** What a sentence is about: another of these forms, a list of them, or what is the same in every language. */
function partText(part: string, depth: number): string {
  if (depth > DEEPEST) return part;
  const whole = said(part, depth);
  if (whole !== null) return whole;
  for (const [separator, comma] of SEPARATORS) {
    const parts = part.split(separator);
    if (parts.length > 1) return parts.map((each) => partText(each, depth + 1)).join(comma);
  }
  return part;
}
