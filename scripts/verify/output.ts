/** What `assay verify` prints: the verdict first, then what it rests on; with `--verbose` every step and fact too. */
import { FACT_KINDS } from "../../attestor/factKinds.ts";
import type { Outcome, Verdict, Verification } from "../../attestor/verify/verification.ts";
import { printable, printableAll } from "../../attestor/view/printable.ts";
import { faultText, stepQuestion } from "../../attestor/view/stepWords.ts";
import { sentenceOf, summaryOf } from "../../attestor/view/summary.ts";
import type { World } from "../console.ts";
import type { CheckedDocument } from "./checkDocument.ts";
import type { TradeVerification } from "./transaction.ts";

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
  const { issuedBy, logged, executableUntil } = verification;
  const { jobId = null, version = null, decision = null } = report ?? {};
  return printableAll({
    verdict,
    conclusion: sentenceOf(verification, { now, executed }),
    jobId,
    version,
    decision,
    evidenceHash,
    issuedBy,
    logged,
    executableUntil,
    executed,
    steps,
    reservations,
    facts: facts.map(({ name, kind, by }) => ({ name, kind, by })),
  });
}

function printVerification(
  { verification, executed }: CheckedDocument,
  { now, verbose }: OutputOptions,
  world: World,
): void {
  const [first, ...more] = summaryOf(verification, { now, executed });
  if (first !== undefined) printRow([], first.text, world);
  const width = Math.max(...more.map(({ label }) => label.length));
  for (const { label, text } of more) printRow([label.padEnd(width)], text, world);
  if (!verbose) return;
  world.out("");
  printSteps(verification, world);
  world.out("");
  printFacts(verification, world);
}

const MARKS: Record<Outcome, string> = {
  ok: "ok",
  wrong: "WRONG",
  unknown: "unknown",
  "not asked": "not asked",
};

function printSteps({ steps }: Verification, world: World): void {
  for (const { name, outcome, faults } of steps) {
    printRow([MARKS[outcome].padEnd(9), name.padEnd(11)], stepQuestion(name), world);
    for (const fault of faults) printRow([" ".repeat(9), " ".repeat(11)], faultText(fault), world);
  }
}

/** Each fact by what it rests on, strongest first. */
function printFacts({ facts }: Verification, world: World): void {
  for (const kind of FACT_KINDS)
    for (const { name, by } of facts.filter((fact) => fact.kind === kind))
      printRow([kind.padEnd(9)], printable(`${JSON.stringify(name)}, by ${JSON.stringify(by)}`), world);
}

/** Wider lines are hard to read. */
const WIDEST = 110;

/** A text beside its labels: on a terminal its further lines begin where the first does. */
function printRow(labels: readonly string[], text: string, world: World): void {
  const margin = labels.map((label) => `  ${label}`).join("");
  const start = labels.length === 0 ? "" : `${margin}  `;
  const columns = world.columns();
  const width = columns === null ? Number.POSITIVE_INFINITY : Math.min(columns, WIDEST) - start.length;
  for (const [index, line] of wrapped(text, width).entries())
    world.out((index === 0 ? start : " ".repeat(start.length)) + line);
}

/** A word that is longer than a line, such as a hash, is a line of its own. */
function wrapped(text: string, width: number): string[] {
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(" ")) {
    const longer = line === "" ? word : `${line} ${word}`;
    if (line !== "" && longer.length > width) {
      lines.push(line);
      line = word;
    } else line = longer;
  }
  return [...lines, line];
}
