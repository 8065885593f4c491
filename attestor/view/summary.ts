/**
 * A verdict that a person can read: about twelve lines, the same on a terminal and on a page. Of a document that is INVALID
 * nothing is told but what is wrong with it.
 */
import type { Fact } from "../factKinds.ts";
import type { UnixSeconds } from "../values/time.ts";
import { wholeUnits } from "../values/wholeUnits.ts";
import type { ExecutedTrade } from "../verify/chain.ts";
import { type Flag, type Reservation, restsOn, type Verification } from "../verify/verification.ts";
import { cut, grouped } from "./amounts.ts";
import { filled } from "./language.ts";
import { printable } from "./printable.ts";
import { faultText, issuerText, reservationText } from "./stepWords.ts";
import WORDS from "./summary.json" with { type: "json" };

export interface SummaryLine {
  /** What the line is about; empty: it goes on with the one before. */
  readonly label: string;
  readonly text: string;
}

export interface SummaryOptions {
  /** The reader's clock: a certificate that it lies behind is told as expired. */
  readonly now: UnixSeconds;
  /** The trade as the guard executed it, where a node was asked. */
  readonly executed?: ExecutedTrade | null | undefined;
}

/** The verdict in one sentence, for the one who has to decide what to do. */
export function sentenceOf(verification: Verification, now: UnixSeconds): string {
  const { verdict, steps, report } = verification;
  const first = (outcome: "wrong" | "unknown") =>
    steps.filter((step) => step.outcome === outcome).flatMap(({ faults }) => faults)[0];
  if (verdict === "INVALID") {
    const names = steps.filter(({ outcome }) => outcome === "wrong").map(({ name }) => name);
    const why = first("wrong");
    return filled(WORDS.invalid, { steps: names.join(", "), why: why === undefined ? "" : faultText(why) });
  }
  const trade = report === null ? "" : ` ${tradeSentence(verification, now)}`;
  if (verdict === "VALID") return `${verdict}${expiredMark(verification, now)}.${trade}`;
  const missing = first("unknown");
  return `${verdict}. ${missing === undefined ? WORDS.nothingChecked : faultText(missing)}`;
}

/** All that a reader should know, most important first. */
export function summaryOf(verification: Verification, { now, executed }: SummaryOptions): SummaryLine[] {
  const { verdict, report, steps } = verification;
  const lines: SummaryLine[] = [{ label: "", text: sentenceOf(verification, now) }];
  const others = steps.flatMap(({ faults }) => faults).slice(1);
  lines.push(...labelled(WORDS.labels.also, others.map(faultText)));
  if (verdict === "INVALID" || report === null) return lines;
  const { evidence } = report;
  if (verdict !== "VALID") lines.push({ label: WORDS.labels.claims, text: tradeSentence(verification, now) });
  lines.push(
    { label: WORDS.labels.owner, text: ownerText(evidence.intent) },
    { label: WORDS.labels.policy, text: policyText(verification) },
    { label: WORDS.labels.price, text: priceText(evidence) },
  );
  const { issuedBy, logged } = verification;
  if (issuedBy !== null)
    lines.push({
      label: WORDS.labels.issued,
      text: filled(WORDS.issued, {
        by: issuerText(issuedBy),
        guard: evidence.guard.address,
        chainId: evidence.chain.chainId,
      }),
    });
  if (logged !== null) lines.push({ label: WORDS.labels.log, text: filled(WORDS.logged, { ...logged }) });
  if (executed) lines.push({ label: WORDS.labels.executed, text: executedText(executed, verification) });
  return [...lines, ...factLines(verification), ...reservationLines(verification)];
}

/** Whether certificate or deadline are over by the reader's clock. */
const isExpired = ({ executableUntil }: Verification, now: UnixSeconds): boolean =>
  executableUntil !== null && executableUntil < now;

const expiredMark = (verification: Verification, now: UnixSeconds): string =>
  isExpired(verification, now) ? `, ${WORDS.expired}` : "";

/** Digits of an amount that a sentence shows; `--json` has them all. */
const DIGITS = 6;

function tradeSentence(verification: Verification, now: UnixSeconds): string {
  const { report, executableUntil } = verification;
  if (report === null) return "";
  const { intent, trade, figures, policy } = report.evidence;
  const amount = grouped(wholeUnits(intent.amountInRaw, trade.inputDecimals));
  const least =
    figures.minAmountOutRaw === null
      ? null
      : grouped(cut(wholeUnits(figures.minAmountOutRaw, trade.outputDecimals), DIGITS));
  const isBuy = trade.side === "buy";
  const sentence =
    least === null ? WORDS.trade[isBuy ? "buy" : "sell"] : WORDS.trade[isBuy ? "buyAtLeast" : "sellAtLeast"];
  const { symbol, underlying, settlementSymbol } = trade;
  const asked = filled(sentence, { amount, least: least ?? "", symbol, underlying, settlementSymbol });
  const decided = filled(WORDS.decided[report.decision], { policyId: policy.policyId });
  return `${asked}: ${decided}${untilText(executableUntil, now)}.`;
}

function untilText(until: UnixSeconds | null, now: UnixSeconds): string {
  if (until === null) return "";
  return filled(until < now ? WORDS.ended : WORDS.until, { time: utc(until) });
}

function ownerText({ ownerAddress, recipientAddress }: { ownerAddress: string; recipientAddress: string }) {
  return recipientAddress === ownerAddress
    ? filled(WORDS.ownerPaid, { owner: ownerAddress })
    : filled(WORDS.otherPaid, { owner: ownerAddress, recipient: recipientAddress });
}

function policyText(verification: Verification): string {
  const { policyId, version } = verification.report?.evidence.policy ?? { policyId: "", version: 0 };
  const isServices = restsOn(verification, "policy_of_service");
  return filled(isServices ? WORDS.policyOfService : WORDS.policyKnown, { policyId, version });
}

function priceText({ figures, trade }: NonNullable<Verification["report"]>["evidence"]): string {
  const { premiumBps, tokenPricePerShareUsd, referencePriceUsd } = figures;
  if (premiumBps === null || tokenPricePerShareUsd === null || referencePriceUsd === null)
    return WORDS.priceUnknown;
  const side = premiumBps.startsWith("-") ? WORDS.below : WORDS.above;
  return filled(WORDS.price, {
    bps: premiumBps.replace("-", ""),
    side,
    underlying: trade.underlying,
    token: tokenPricePerShareUsd,
    reference: referencePriceUsd,
  });
}

function executedText(executed: ExecutedTrade, { report }: Verification): string {
  const trade = report?.evidence.trade;
  if (trade === undefined) return "";
  const { transactionHash, blockNumber, amountSpent, amountOut } = executed;
  const isBuy = trade.side === "buy";
  const [input, output] = isBuy
    ? [trade.settlementSymbol, trade.symbol]
    : [trade.symbol, trade.settlementSymbol];
  return filled(WORDS.executed, {
    transactionHash,
    blockNumber,
    spent: `${grouped(wholeUnits(amountSpent, trade.inputDecimals))} ${input}`,
    received: `${grouped(cut(wholeUnits(amountOut, trade.outputDecimals), DIGITS))} ${output}`,
  });
}

/** What is proved, and by whose signatures the rest is. */
function factLines(verification: Verification): SummaryLine[] {
  const of = (kind: Fact["kind"]) => verification.facts.filter((fact) => fact.kind === kind);
  const isConditional = restsOn(verification, "block_of_proof");
  const ending = isConditional ? `; ${WORDS.provedIf}${flagText("header")}` : "";
  const proved = names(of("proved"));
  // In quotes, since a service may call a price whatever it likes.
  const signed = of("signed").map(({ name, by }) => `${JSON.stringify(name)} (${by})`);
  return [
    ...labelled(WORDS.labels.proved, proved === "" ? [] : [`${proved}${ending}`]),
    ...labelled(WORDS.labels.signed, signed.length === 0 ? [] : [[...new Set(signed)].join(", ")]),
  ];
}

function reservationLines({ reservations }: Verification): SummaryLine[] {
  const of = (kind: Reservation["kind"]) =>
    reservations
      .filter((one) => one.kind === kind && one.code !== "block_of_proof")
      .map((one) => `${reservationText(one)}${flagText(one.flag)}`);
  return [
    ...labelled(WORDS.labels.trusted, of("trusted")),
    ...labelled(WORDS.labels.unchecked, of("unchecked")),
  ];
}

const flagText = (flag: Flag | null): string => (flag === null ? "" : ` (--${flag} ${WORDS.wouldCheck})`);

const names = (facts: readonly Fact[]): string => [...new Set(facts.map(({ name }) => name))].join(", ");

const labelled = (label: string, texts: readonly string[]): SummaryLine[] =>
  texts.map((text, index) => ({ label: index === 0 ? label : "", text: printable(text) }));

const utc = (seconds: UnixSeconds): string => new Date(seconds * 1000).toISOString().replace(".000Z", "Z");
