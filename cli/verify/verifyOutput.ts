/** What `assay verify` prints: the verdict first, then what it rests on; with `--verbose` every step and fact too. */
import { FACT_KINDS } from "../../attestor/factKinds.ts";
import type { Outcome, Verdict, Verification } from "../../attestor/verify/verification.ts";
import { printable } from "../../attestor/view/printable.ts";
import { faultText, stepQuestion } from "../../attestor/view/stepWords.ts";
import { type SummaryLine, sentenceOf, summaryOf } from "../../attestor/view/summary.ts";
import type { World } from "../console.ts";
import type { CheckedDocument } from "./verifyOnChain.ts";
import type { TradeVerification } from "./verifyTransaction.ts";

export interface OutputOptions {
  readonly json: boolean;
  readonly verbose: boolean;
  /** Unix seconds, by the reader's clock. */
  readonly now: number;
}

export function print(checked: CheckedDocument, options: OutputOptions, world: World): void {
  if (options.json) world.out(JSON.stringify(jsonOf(checked, options), null, 2));
  else printVerification(checked, options, world);
}

/** @returns the verdict on all of them: the worst */
export function printTransaction(
  hash: string,
  trades: readonly TradeVerification[],
  options: OutputOptions,
  world: World,
): Verdict {
  const verdict = worstOf(trades);
  if (options.json) {
    const each = trades.map((trade) => ({ ...jsonOf(trade, options), ofEvent: trade.evidenceHash }));
    world.out(JSON.stringify({ verdict, transactionHash: hash, trades: each }, null, 2));
    return verdict;
  }
  if (trades.length > 1) world.out(`${verdict}: the transaction executed ${trades.length} trades.`);
  for (const [index, trade] of trades.entries()) {
    if (trades.length > 1)
      world.out(`\nTrade ${index + 1} of ${trades.length}, evidence ${trade.evidenceHash}:`);
    printVerification(trade, options, world);
  }
  return verdict;
}

function worstOf(trades: readonly TradeVerification[]): Verdict {
  const order: readonly Verdict[] = ["INVALID", "UNVERIFIABLE", "VALID"];
  const verdicts = trades.map(({ verification }) => verification.verdict);
  return order.find((verdict) => verdicts.includes(verdict)) ?? "UNVERIFIABLE";
}

function jsonOf({ verification, executed }: CheckedDocument, { now }: OutputOptions) {
  const { verdict, steps, reservations, facts, evidenceHash, report } = verification;
  const { jobId = null, version = null, decision = null } = report ?? {};
  return {
    verdict,
    conclusion: sentenceOf(verification, now),
    jobId,
    version,
    decision,
    evidenceHash,
    executed,
    steps,
    reservations,
    facts: facts.map(({ name, kind, by }) => ({ name, kind, by })),
  };
}

function printVerification(
  { verification, executed }: CheckedDocument,
  { now, verbose }: OutputOptions,
  world: World,
): void {
  printLines(summaryOf(verification, { now, executed }), world);
  if (!verbose) return;
  world.out("");
  printSteps(verification, world);
  printFacts(verification, world);
}

function printLines(lines: readonly SummaryLine[], world: World): void {
  const width = Math.max(...lines.map(({ label }) => label.length));
  for (const [index, { label, text }] of lines.entries())
    world.out(index === 0 ? text : `  ${label.padEnd(width)}  ${text}`);
}

const MARKS: Record<Outcome, string> = {
  ok: "ok",
  wrong: "WRONG",
  unknown: "unknown",
  "not asked": "not asked",
};

function printSteps({ steps }: Verification, world: World): void {
  for (const { name, outcome, faults } of steps) {
    world.out(`${MARKS[outcome].padEnd(9)}  ${name.padEnd(11)}  ${stepQuestion(name)}`);
    for (const fault of faults) world.out(`${" ".repeat(24)}${faultText(fault)}`);
  }
}

/** Each fact by what it rests on, strongest first. */
function printFacts({ facts }: Verification, world: World): void {
  for (const kind of FACT_KINDS)
    for (const { name, by } of facts.filter((fact) => fact.kind === kind))
      world.out(printable(`${kind.padEnd(9)}  ${name}, by ${by}`, false));
}
