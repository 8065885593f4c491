/** What the page says, and what keeps a reader from signing, in its words. */
import { filled } from "../../attestor/view/language.ts";
import { pageLanguage } from "../words.ts";
import WORDS from "./words.json" with { type: "json" };

export const signWords = () => WORDS[pageLanguage()];

type FaultCode = keyof (typeof WORDS)["en"]["faults"];

export class SignFault extends Error {
  readonly code: FaultCode;
  constructor(code: FaultCode, gaps: Readonly<Record<string, string | number>> = {}) {
    super(filled(signWords().faults[code], gaps));
    this.code = code;
  }
}

/** The text of any thrown error. */
export const faultText = (error: unknown): string =>
  error instanceof SignFault ? error.message : signWords().faults.unexpected;
