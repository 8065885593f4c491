/** What the page says, and what keeps a reader from signing, in its words. */
import { filled } from "../../attestor/view/language.ts";
import { pageLanguage } from "../words.ts";
import WORDS from "./words.json" with { type: "json" };

export const signWords = () => WORDS[pageLanguage()];

export class SignFault extends Error {
  constructor(
    code: keyof (typeof WORDS)["en"]["faults"],
    gaps: Readonly<Record<string, string | number>> = {},
  ) {
    super(filled(signWords().faults[code], gaps));
  }
}
