/** Words of the islands, in the language that the page is in. */
import { filled, type Language } from "../attestor/view/language.ts";

export type { Language } from "../attestor/view/language.ts";

export function pageLanguage(): Language {
  return document.documentElement.lang.startsWith("zh") ? "zh" : "en";
}

/** Why the service refuses: in English its own words, where it has some. @param sentence with a gap for the status */
export const refusalText = (
  { message, status }: { readonly message: string; readonly status: number },
  sentence: string,
): string => (pageLanguage() === "en" && message !== "" ? message : filled(sentence, { status }));
