/** What keeps a reader from signing, in the page's words. */
import { filled } from "../../attestor/view/language.ts";
import { pageLanguage } from "../words.ts";
import WORDS from "./words.json" with { type: "json" };

export type FaultCode = keyof (typeof WORDS)["en"]["faults"];

export class SignFault extends Error {
  constructor(code: FaultCode, gaps: Readonly<Record<string, string>> = {}) {
    super(filled(WORDS[pageLanguage()].faults[code], gaps));
  }
}
