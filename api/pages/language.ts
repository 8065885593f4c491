/** In which language a page answers. */
import { LANGUAGES, type Language } from "../../attestor/view/language.ts";
import type { Reader } from "../../web/props.ts";

/** @param asked `lang` of the query @param accepted the header `Accept-Language` */
export function readerOf(asked: unknown, accepted: string | undefined): Reader {
  const named = LANGUAGES.find((language) => language === asked);
  return named === undefined
    ? { language: preferred(accepted), explicit: false }
    : { language: named, explicit: true };
}

/** What a header accepts, each in lower case with its weight, as they stand. */
export function weighed(header: string): { readonly name: string; readonly weight: number }[] {
  return header
    .slice(0, 1_000)
    .split(",")
    .map((item) => {
      const [name = "", ...parameters] = item.toLowerCase().split(";");
      const weight = parameters.map((text) => text.trim()).find((text) => text.startsWith("q="));
      return { name: name.trim(), weight: weight === undefined ? 1 : Number(weight.slice(2)) };
    });
}

/** The first of ours by weight, then by place; English where the header names none of them. */
function preferred(header = ""): Language {
  const wanted = weighed(header)
    .filter(({ weight }) => weight > 0)
    .sort((one, other) => other.weight - one.weight);
  for (const { name } of wanted)
    for (const language of LANGUAGES)
      if (name === language || name.startsWith(`${language}-`)) return language;
  return "en";
}
