/** Words of the islands, in the language that the page is in. */
import type { Language } from "../attestor/view/language.ts";

export type { Language } from "../attestor/view/language.ts";

export function pageLanguage(): Language {
  return document.documentElement.lang.startsWith("zh") ? "zh" : "en";
}
