/** What a report says, in words: English and Chinese. Names of checks, steps and facts stay the method's. */

import { cut, grouped } from "./amounts.ts";
import type { Language, Same } from "./language.ts";
import type { JudgedView } from "./reportView.ts";
import { EN } from "./words.en.ts";
import { ZH } from "./words.zh.ts";

export type ReportWords = Same<typeof EN>;

export const REPORT_WORDS: Readonly<Record<Language, ReportWords>> = { en: EN, zh: ZH };

/** Digits of an amount that a sentence shows; the table beside it has them all. */
const DIGITS = 6;

/** What was asked and what was decided, in one sentence. */
export function askedSentence(
  words: ReportWords,
  { trade, decision, findings, passed, certificate }: JudgedView,
): string {
  const amount = grouped(trade.amountIn);
  const least = trade.minAmountOut === null ? "" : grouped(cut(trade.minAmountOut, DIGITS));
  const settlement = trade.settlementSymbol ?? words.settlementToken;
  const asked =
    trade.side === "buy"
      ? words.buy(least, trade.symbol, amount, settlement)
      : words.sell(amount, trade.symbol, least, settlement);
  const until = certificate?.holds ? words.until(utcMinute(certificate.expiresAt)) : "";
  const failed = findings.filter(({ outcome }) => outcome !== "pass").map(({ check }) => check);
  const decided =
    decision === "ALLOW"
      ? words.allowed(`${passed}`)
      : words.denied(`${failed.length}`, `${findings.length}`, failed.join(", "));
  return `${asked}${until}${decided}`;
}

/** `2026-11-22 14:05 UTC`; nothing where it is no time. @param seconds unix */
function utcMinute(seconds: number): string {
  const time = new Date(seconds * 1000);
  return Number.isNaN(time.getTime()) ? "?" : `${time.toISOString().slice(0, 16).replace("T", " ")} UTC`;
}

/** What a step looks at; nothing for a name that these words do not know. */
export function stepExplained(words: ReportWords, name: string): string {
  return Object.hasOwn(words.steps, name) ? words.steps[name as keyof ReportWords["steps"]] : "";
}

export function figureName(words: ReportWords, name: string): string {
  return Object.hasOwn(words.figures, name) ? words.figures[name as keyof ReportWords["figures"]] : name;
}
