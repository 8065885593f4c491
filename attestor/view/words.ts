/** What a report says, in words: English and Chinese. Names of checks, steps and facts stay the method's. */
import { cut, grouped } from "./amounts.ts";
import { filled } from "./language.ts";
import type { JudgedView } from "./reportView.ts";
import REPORT_WORDS from "./words.json" with { type: "json" };

export { REPORT_WORDS };
export type ReportWords = (typeof REPORT_WORDS)["en"];

/** Digits of an amount that a sentence shows; the table beside it has them all. */
const DIGITS = 6;

/** What was asked and what was decided, in one sentence. */
export function askedSentence(words: ReportWords, judged: JudgedView): string {
  const { decision, findings, passed } = judged;
  const failed = findings.filter(({ outcome }) => outcome !== "pass").map(({ check }) => check);
  const decided =
    decision === "ALLOW"
      ? filled(words.allowed, { passed })
      : filled(words.denied, { failed: failed.length, all: findings.length, names: failed.join(", ") });
  return `${askedWords(words, judged)}${decided}`;
}

/** What was asked, without its decision: for a reader who does not know yet whose word that is. */
export function askedWords(words: ReportWords, { trade, certificate }: JudgedView): string {
  const amount = grouped(trade.amountIn);
  const least = trade.minAmountOut === null ? "" : grouped(cut(trade.minAmountOut, DIGITS));
  const { symbol, settlementSymbol: settlement } = trade;
  const sentence =
    trade.side === "buy"
      ? words[least === "" ? "buy" : "buyAtLeast"]
      : words[least === "" ? "sell" : "sellAtLeast"];
  const asked = filled(sentence, { least, symbol, amount, settlement });
  const until = certificate?.holds ? filled(words.until, { time: utcMinute(certificate.expiresAt) }) : "";
  return `${asked}${until}`;
}

/** What was asked, and the decision as its service states it: for a page that judges nothing. */
export function statedSentence(words: ReportWords, judged: JudgedView): string {
  return `${askedWords(words, judged)}${filled(words.stated, { decision: words.decisions[judged.decision] })}`;
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
