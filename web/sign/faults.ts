/** What keeps a reader from signing, in the page's words. */
import { filled } from "../../attestor/view/language.ts";
import words from "../words/sign.json" with { type: "json" };

type FaultCode = keyof typeof words.faults;

export class SignFault extends Error {
  readonly code: FaultCode;
  constructor(code: FaultCode, gaps: Readonly<Record<string, string | number>> = {}) {
    super(filled(words.faults[code], gaps));
    this.code = code;
  }
}

/** The text of any thrown error. */
export const faultText = (error: unknown): string =>
  error instanceof SignFault ? error.message : words.faults.unexpected;
