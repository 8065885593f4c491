/** The words of a verification: one place turns its codes into sentences, for the command, the package and the pages. */
import type { Fault } from "../values/fault.ts";
import type { IssuerReason, Reservation, StepName } from "../verify/verification.ts";
import { filled } from "./language.ts";
import { printable } from "./printable.ts";
import WORDS from "./stepWords.json" with { type: "json" };

/** A hostile document may put anything of any length where a sentence quotes it. */
const LONGEST_SENTENCE = 600;

/** What a step looks at, as a question. */
export const stepQuestion = (name: StepName): string => WORDS.questions[name];

/** What is wrong, or not known, in a sentence; a code without words stands for itself. */
export const faultText = (fault: Fault): string => sentenceOf(WORDS.faults, fault);

/** What rests on somebody's word, or was not looked at. */
export const reservationText = (reservation: Reservation): string =>
  sentenceOf(WORDS.reservations, reservation);

/** `by 0x…, the key that you trust`: ends no sentence. */
export function issuerText({ code, params }: IssuerReason): string {
  const [, base = code, ending = ""] = /^(issued_by_\w+?)(?:_(today|executed))?$/.exec(code) ?? [];
  const sentences: Readonly<Record<string, string>> = WORDS.issuers;
  return clipped(filled(sentences[base] ?? base, params)) + (sentences[ending] ?? "");
}

function sentenceOf(words: Readonly<Record<string, string>>, { code, params }: Fault): string {
  const sentence = words[code];
  if (sentence !== undefined) return clipped(filled(sentence, params));
  const values = Object.entries(params).map(([name, value]) => `${name} ${value}`);
  return clipped([code, ...values].join(", "));
}

function clipped(text: string): string {
  const safe = printable(text);
  return safe.length > LONGEST_SENTENCE ? `${safe.slice(0, LONGEST_SENTENCE)}…` : safe;
}
