/** What `assay verify` prints: each step, and the verdict in its last line. */
import { countsOf, countsText, FACT_KINDS, type FactCounts } from "../../attestor/factKinds.ts";
import { type Outcome, type Step, sentenceOf, type Verdict } from "../../attestor/steps.ts";
import { PROVED } from "../../attestor/verify/stateStep.ts";
import type { Verification } from "../../attestor/verify/verify.ts";
import { printable } from "../../attestor/view/printable.ts";
import type { World } from "../console.ts";
import type { TradeVerification } from "./verifyTransaction.ts";

const MARKS: Record<Outcome, string> = { ok: "ok", wrong: "WRONG", unknown: "unknown", absent: "absent" };

export function print(result: Verification, json: boolean, world: World): void {
  if (json) {
    world.out(JSON.stringify(summaryOf(result), null, 2));
    return;
  }
  printVerification(result, world);
  world.out(printable(sentenceOf(result)));
}

/** @returns the verdict on all of them: the worst */
export function printTransaction(
  hash: string,
  trades: readonly TradeVerification[],
  json: boolean,
  world: World,
): Verdict {
  const order: readonly Verdict[] = ["INVALID", "UNVERIFIABLE", "VALID"];
  const worst = order
    .map((verdict) => trades.findIndex(({ verification }) => verification.verdict === verdict))
    .find((index) => index >= 0) as number;
  const { verification, evidenceHash } = trades[worst] as TradeVerification;
  const { verdict } = verification;
  const sentence = printable(sentenceOf(verification));
  const conclusion =
    trades.length === 1
      ? sentence
      : verdict === "VALID"
        ? `VALID: all ${trades.length} trades of the transaction. The first: ${sentence.slice("VALID: ".length)}`
        : `${verdict}: trade ${worst + 1} of ${trades.length}, evidence ${evidenceHash}: ${sentence.slice(verdict.length + 2)}`;
  if (json) {
    const each = trades.map((trade) => ({ ...summaryOf(trade.verification), ofEvent: trade.evidenceHash }));
    world.out(JSON.stringify({ verdict, conclusion, transactionHash: hash, trades: each }, null, 2));
    return verdict;
  }
  for (const [index, trade] of trades.entries()) {
    if (trades.length > 1)
      world.out(`Trade ${index + 1} of ${trades.length}, evidence ${trade.evidenceHash}:`);
    printVerification(trade.verification, world);
  }
  world.out(conclusion);
  return verdict;
}

function summaryOf(result: Verification) {
  const { verdict, steps, facts, evidenceHash, report } = result;
  const { jobId = null, version = null, decision = null } = report ?? {};
  return {
    verdict,
    conclusion: printable(sentenceOf(result)),
    jobId,
    version,
    decision,
    evidenceHash,
    counts: countsOf(facts),
    facts: facts.map(({ name, kind, by }) => ({ name, kind, by })),
    steps,
  };
}

function printVerification(result: Verification, world: World): void {
  printSteps(result.steps, world);
  if (result.facts.length > 0) printFacts(result, countsOf(result.facts), world);
}

/** Each fact by what it rests on, strongest first, and how many there are of each kind. */
function printFacts({ facts, steps, report }: Verification, counts: FactCounts, world: World): void {
  const kindWidth = Math.max(...FACT_KINDS.map((kind) => kind.length));
  for (const kind of FACT_KINDS)
    for (const { name, by } of facts.filter((fact) => fact.kind === kind))
      world.out(printable(`fact     ${kind.padEnd(kindWidth)}  ${name}, by ${by}`, false));
  const proved = steps.find(({ name }) => name === PROVED);
  const condition =
    proved === undefined
      ? report?.evidence.proofs
        ? " (proofs are named, and missing or do not hold)"
        : ""
      : proved.outcome === "ok"
        ? " (what is proved: of a block that is the chain's)"
        : " (what is proved: if its block is the chain's, which was not checked)";
  world.out(`${countsText(counts)}${condition}`);
}

function printSteps(steps: readonly Step[], world: World): void {
  const width = Math.max(...steps.map(({ name }) => name.length));
  for (const { name, outcome, detail } of steps)
    world.out(`${MARKS[outcome].padEnd(7)}  ${name.padEnd(width)}  ${printable(detail)}`);
}
