/** What a report says, in words. Names of steps and facts stay the method's. */
import { orElse } from "../values/orElse.ts";
import { cut, grouped } from "./amounts.ts";
import { findingName, listText } from "./findingWords.ts";
import { filled } from "./language.ts";
import type { JudgedView } from "./reportView.ts";
import { momentText } from "./times.ts";
import REPORT_WORDS from "./words.json" with { type: "json" };

export { REPORT_WORDS };

/** Digits of an amount that a sentence shows; the table beside it has them all. */
const DIGITS = 6;

/** What was asked and what was decided, in one sentence. */
export function askedSentence(judged: JudgedView): string {
  const { decision, findings, passed } = judged;
  const failed = findings.filter(({ outcome }) => outcome !== "pass").map(({ check }) => findingName(check));
  const decided =
    decision === "ALLOW"
      ? filled(REPORT_WORDS.allowed, { passed })
      : filled(REPORT_WORDS.denied, {
          failed: failed.length,
          all: findings.length,
          names: listText(failed),
        });
  return `${askedWords(judged)}${decided}`;
}

/** What was asked, without its decision: for a reader who does not know yet whose word that is. */
export function askedWords({ trade, certificate }: JudgedView): string {
  const amount = grouped(trade.amountIn);
  const least = trade.minAmountOut === null ? "" : grouped(cut(trade.minAmountOut, DIGITS));
  const { symbol, settlementSymbol: settlement } = trade;
  const sentence =
    trade.side === "buy"
      ? REPORT_WORDS[least === "" ? "buy" : "buyAtLeast"]
      : REPORT_WORDS[least === "" ? "sell" : "sellAtLeast"];
  const asked = filled(sentence, { least, symbol, amount, settlement });
  const until = certificate?.holds
    ? filled(REPORT_WORDS.until, { time: utcText(certificate.expiresAt) })
    : "";
  return `${asked}${until}`;
}

/** What was asked, and the decision as its service states it: for a page that judges nothing. */
export function statedSentence(judged: JudgedView): string {
  const decision = REPORT_WORDS.decisions[judged.decision];
  return `${askedWords(judged)}${filled(REPORT_WORDS.stated, { decision })}`;
}

/** `22 Nov 2026, 14:05 UTC`; `?` where it is no time. @param seconds unix */
const utcText = (seconds: number): string =>
  orElse(() => momentText(seconds * 1_000, { language: "en", zone: "UTC" }), "?");

export function figureName(name: string): string {
  const { figures } = REPORT_WORDS;
  return Object.hasOwn(figures, name) ? figures[name as keyof typeof figures] : name;
}
