/** What a report says, in words: English and Chinese. Names of steps and facts stay the method's. */
import { orElse } from "../values/orElse.ts";
import { cut, grouped } from "./amounts.ts";
import { findingName, listText } from "./findingWords.ts";
import { filled, type Language } from "./language.ts";
import type { JudgedView } from "./reportView.ts";
import { momentText } from "./times.ts";
import REPORT_WORDS from "./words.json" with { type: "json" };

export { REPORT_WORDS };
export type ReportWords = (typeof REPORT_WORDS)["en"];

/** Digits of an amount that a sentence shows; the table beside it has them all. */
const DIGITS = 6;

/** What was asked and what was decided, in one sentence. */
export function askedSentence(language: Language, judged: JudgedView): string {
  const words = REPORT_WORDS[language];
  const { decision, findings, passed } = judged;
  const failed = findings
    .filter(({ outcome }) => outcome !== "pass")
    .map(({ check }) => findingName(check, language));
  const decided =
    decision === "ALLOW"
      ? filled(words.allowed, { passed })
      : filled(words.denied, {
          failed: failed.length,
          all: findings.length,
          names: listText(failed, language),
        });
  return `${askedWords(language, judged)}${decided}`;
}

/** What was asked, without its decision: for a reader who does not know yet whose word that is. */
export function askedWords(language: Language, { trade, certificate }: JudgedView): string {
  const words = REPORT_WORDS[language];
  const amount = grouped(trade.amountIn);
  const least = trade.minAmountOut === null ? "" : grouped(cut(trade.minAmountOut, DIGITS));
  const { symbol, settlementSymbol: settlement } = trade;
  const sentence =
    trade.side === "buy"
      ? words[least === "" ? "buy" : "buyAtLeast"]
      : words[least === "" ? "sell" : "sellAtLeast"];
  const asked = filled(sentence, { least, symbol, amount, settlement });
  const until = certificate?.holds
    ? filled(words.until, { time: utcText(certificate.expiresAt, language) })
    : "";
  return `${asked}${until}`;
}

/** What was asked, and the decision as its service states it: for a page that judges nothing. */
export function statedSentence(language: Language, judged: JudgedView): string {
  const words = REPORT_WORDS[language];
  return `${askedWords(language, judged)}${filled(words.stated, { decision: words.decisions[judged.decision] })}`;
}

/** `22 Nov 2026, 14:05 UTC`; `?` where it is no time. @param seconds unix */
const utcText = (seconds: number, language: Language): string =>
  orElse(() => momentText(seconds * 1_000, { language, zone: "UTC" }), "?");

/** What a step looks at; nothing for a name that these words do not know. */
export function stepExplained(words: ReportWords, name: string): string {
  return Object.hasOwn(words.steps, name) ? words.steps[name as keyof ReportWords["steps"]] : "";
}

export function figureName(words: ReportWords, name: string): string {
  return Object.hasOwn(words.figures, name) ? words.figures[name as keyof ReportWords["figures"]] : name;
}
