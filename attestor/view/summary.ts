/**
 * A verdict that a person can read: about twelve lines, the same on a terminal and on a page. Of a document that is INVALID
 * nothing is told but what is wrong with it.
 */
import type { Fact } from "../factKinds.ts";
import { POLICY_VERSIONS } from "../policies/policy.ts";
import type { Report } from "../report.ts";
import type { Fault } from "../values/fault.ts";
import type { UnixSeconds } from "../values/time.ts";
import { wholeUnits } from "../values/wholeUnits.ts";
import type { ExecutedTrade } from "../verify/trust.ts";
import {
  type Flag,
  type Reservation,
  restsOn,
  type Verdict,
  type Verification,
} from "../verify/verification.ts";
import { cut, grouped } from "./amounts.ts";
import { findingName, shortAmount, tokensOf } from "./findingWords.ts";
import { filled } from "./language.ts";
import { printable } from "./printable.ts";
import { faultText, issuerText, reservationText } from "./stepWords.ts";
import WORDS from "./summary.json" with { type: "json" };
import { tradeSentence } from "./words.ts";

export interface SummaryLine {
  /** What the line is about; empty: it goes on with the one before. */
  readonly label: string;
  readonly text: string;
}

export interface SummaryOptions {
  /** The reader's clock: a trade that can no longer be executed is told as expired. */
  readonly now: UnixSeconds;
  /** The trade as the guard executed it, where a node was asked. */
  readonly executed?: ExecutedTrade | null | undefined;
}

type Evidence = Report["evidence"];

export interface Headline {
  readonly verdict: Verdict;
  /** What a reader must not miss beside the verdict, such as EXPIRED. */
  readonly marks: readonly string[];
  /** The trade, or why the document is not VALID. */
  readonly text: string;
}

export function headlineOf(verification: Verification, options: SummaryOptions): Headline {
  const { verdict, report, steps } = verification;
  const why = faultsOf(verification, verdict === "INVALID" ? "wrong" : "unknown").map(faultText)[0] ?? "";
  if (verdict === "INVALID") return headline(verdict, [], filled(WORDS.invalid, { why }));
  const marks = marksOf(verification, options);
  if (verdict === "VALID" && report !== null)
    return headline(verdict, marks, tradeText(report, verification, options));
  const isAnyAsked = steps.some(({ outcome }) => outcome !== "not asked");
  return headline(verdict, marks, isAnyAsked ? why : WORDS.nothingChecked);
}

const headline = (verdict: Verdict, marks: readonly string[], text: string): Headline => ({
  verdict,
  marks,
  text: printable(text),
});

/** The headline as one text: `VALID, EXPIRED. Buy …`. */
export function sentenceOf(verification: Verification, options: SummaryOptions): string {
  const { verdict, marks, text } = headlineOf(verification, options);
  return `${[verdict, ...marks].join(", ")}. ${text}`;
}

/** All that a reader should know, most important first. */
export function summaryOf(verification: Verification, options: SummaryOptions): SummaryLine[] {
  const { verdict, report } = verification;
  // Of a document that is wrong, what is missing is of no use to anybody.
  const others = faultsOf(verification, verdict === "INVALID" ? "wrong" : "unknown").slice(1);
  const lines = [
    line("", sentenceOf(verification, options)),
    ...labelled(WORDS.labels.also, others.map(faultText)),
  ];
  if (verdict === "INVALID" || report === null) return lines;
  if (verdict !== "VALID") lines.push(line(WORDS.labels.claims, tradeText(report, verification, options)));
  return [
    ...lines,
    ...deniedLines(report),
    line(WORDS.labels.owner, ownerText(report.evidence)),
    line(WORDS.labels.policy, policyText(report.evidence, verification)),
    line(WORDS.labels.price, priceText(report.evidence)),
    ...issuerLines(report.evidence, verification),
    ...executedLines(report.evidence, options),
    ...factLines(report.evidence, verification),
    ...reservationLines(verification),
  ];
}

function faultsOf({ steps }: Verification, outcome: "wrong" | "unknown"): Fault[] {
  return steps.filter((step) => step.outcome === outcome).flatMap(({ faults }) => faults);
}

/** By how much a reader's clock may be slow. */
const SLOW_CLOCK_SECONDS = 300;

function marksOf({ report, executableUntil }: Verification, { now, executed }: SummaryOptions): string[] {
  if (report?.decision === "DENY") return [WORDS.marks.denied];
  if (executed) return [WORDS.marks.executed];
  if (report !== null && report.evidence.capturedAt > now + SLOW_CLOCK_SECONDS) return [WORDS.marks.ahead];
  return executableUntil !== null && executableUntil < now ? [WORDS.marks.expired] : [];
}

/** Digits of a price that a line shows. */
const DIGITS = 6;

function tradeText(
  { evidence, decision }: Report,
  { executableUntil }: Verification,
  { now, executed }: SummaryOptions,
): string {
  const { intent, trade, figures, policy } = evidence;
  const leastRaw = figures.minAmountOutRaw;
  const asked = tradeSentence({
    ...trade,
    amountIn: wholeUnits(intent.amountInRaw, trade.inputDecimals),
    minAmountOut: leastRaw === null ? null : wholeUnits(leastRaw, trade.outputDecimals),
  });
  const decided = filled(WORDS.decided[decision], { policyId: policy.policyId });
  if (decision === "DENY" || executed) return `${asked} ${decided}.`;
  return `${asked} ${decided}${untilText(executableUntil, now)}.`;
}

function untilText(until: UnixSeconds | null, now: UnixSeconds): string {
  if (until === null) return WORDS.uncertified;
  return filled(until < now ? WORDS.ended : WORDS.until, { time: utc(until) });
}

/** `2026-09-21 13:13:20 UTC`. */
const utc = (seconds: UnixSeconds): string =>
  new Date(seconds * 1000).toISOString().replace("T", " ").replace(".000Z", " UTC");

function deniedLines({ decision, findings }: Report): SummaryLine[] {
  if (decision === "ALLOW") return [];
  const failed = findings.filter(({ outcome }) => outcome !== "pass");
  return labelled(
    WORDS.labels.denied,
    failed.map(({ check, message }) => `${findingName(check)}: ${message}`),
  );
}

function ownerText({ intent: { ownerAddress: owner, recipientAddress: recipient } }: Evidence): string {
  return filled(recipient === owner ? WORDS.ownerPaid : WORDS.otherPaid, { owner, recipient });
}

function policyText({ policy, capturedAt }: Evidence, verification: Verification): string {
  const isPublished = POLICY_VERSIONS.some(({ definitionHash }) => definitionHash === policy.definitionHash);
  let text = isPublished ? WORDS.policyPublished : WORDS.policyOfReader;
  if (restsOn(verification, "policy_of_service")) text = WORDS.policyOfService;
  const { policyId, version } = policy;
  return filled(WORDS.judgedAt, { policy: filled(text, { policyId, version }), time: utc(capturedAt) });
}

function priceText({ figures, trade }: Evidence): string {
  const { premiumBps, tokenPricePerShareUsd, referencePriceUsd } = figures;
  if (premiumBps === null || tokenPricePerShareUsd === null || referencePriceUsd === null)
    return WORDS.priceUnknown;
  const bps = premiumBps.replace("-", "");
  return filled(WORDS.price, {
    percent: grouped((Number(bps) / 100).toFixed(2)),
    bps: grouped(bps),
    side: premiumBps === bps ? WORDS.above : WORDS.below,
    underlying: trade.underlying,
    token: grouped(cut(tokenPricePerShareUsd, DIGITS)),
    reference: grouped(cut(referencePriceUsd, DIGITS)),
  });
}

function issuerLines({ guard, chain }: Evidence, { issuedBy, logged }: Verification): SummaryLine[] {
  const place = { guard: guard.address, chainId: chain.chainId };
  const lines = [
    issuedBy === null
      ? line(WORDS.labels.guard, filled(WORDS.guard, place))
      : line(WORDS.labels.issued, filled(WORDS.issued, { by: issuerText(issuedBy), ...place })),
  ];
  if (logged !== null) lines.push(line(WORDS.labels.log, filled(WORDS.logged, { ...logged })));
  return lines;
}

function executedLines({ trade }: Evidence, { executed }: SummaryOptions): SummaryLine[] {
  if (!executed) return [];
  const { transactionHash, blockNumber, amountSpent, amountOut } = executed;
  const { input, output } = tokensOf(trade);
  const spent = shortAmount(amountSpent, input);
  const received = shortAmount(amountOut, output);
  return [
    line(WORDS.labels.executed, filled(WORDS.executed, { transactionHash, blockNumber, spent, received })),
  ];
}

/** What is proved, whose signatures there are, and what the reader's node said. */
function factLines({ chain }: Evidence, verification: Verification): SummaryLine[] {
  const proved = named(of("proved", verification.facts));
  const signed = bySource(of("signed", verification.facts));
  const ending = provedIf(chain.blockNumber, verification);
  const lines = proved === "" ? [] : [line(WORDS.labels.proved, `${proved}${ending}`)];
  if (signed !== "") lines.push(line(WORDS.labels.signed, signed));
  return [...lines, ...nodeLines(verification)];
}

/** On which condition the proofs prove anything; empty: on none. */
function provedIf(blockNumber: number, verification: Verification): string {
  if (!restsOn(verification, "block_of_proof")) return "";
  return `; ${filled(WORDS.provedIf, { blockNumber })}${flagText("header")}`;
}

function nodeLines(verification: Verification): SummaryLine[] {
  const { steps, facts } = verification;
  if (!steps.some(({ name, outcome }) => name === "chain" && outcome === "ok")) return [];
  const observed = bySource(of("observed", facts));
  const isAllRead = !restsOn(verification, "gone_from_node") && !restsOn(verification, "quoter_not_known");
  const isNamed = isAllRead && observed !== "";
  return [line(WORDS.labels.node, isNamed ? filled(WORDS.nodeRead, { facts: observed }) : WORDS.node)];
}

function reservationLines(verification: Verification): SummaryLine[] {
  const lines = (kind: Reservation["kind"]) =>
    verification.reservations
      .filter((one) => one.kind === kind)
      .map((one) => openText(one, verification))
      .filter((text) => text !== null);
  return [
    ...labelled(WORDS.labels.trusted, lines("trusted")),
    ...labelled(WORDS.labels.unchecked, lines("unchecked")),
  ];
}

/** null: another line says it. */
function openText(reservation: Reservation, verification: Verification): string | null {
  const { facts } = verification;
  const flag = flagText(reservation.flag);
  switch (reservation.code) {
    case "block_of_proof":
      return null;
    case "facts_observed":
      return filled(WORDS.observed, { facts: bySource(of("observed", facts)), flag });
    case "facts_stated": {
      const stated = of("stated", facts).filter((fact) => !isToldApart(fact, verification));
      return stated.length === 0 ? null : filled(WORDS.stated, { facts: bySource(stated) });
    }
    default:
      return `${reservationText(reservation)}${flag}`;
  }
}

/** Whether a line of its own says what this fact rests on. */
function isToldApart({ name }: Fact, verification: Verification): boolean {
  const lines: Readonly<Record<string, readonly string[]>> = {
    liquidity: ["liquidity_of_service", "samples_not_named"],
    "market session": ["session_of_service"],
  };
  return (lines[name] ?? []).some((code) => restsOn(verification, code));
}

const of = (kind: Fact["kind"], facts: readonly Fact[]) => facts.filter((fact) => fact.kind === kind);

const named = (facts: readonly Fact[]): string => [...new Set(facts.map(factName))].join(", ");

/** A service may call a price whatever it likes: what is not of the method stands in quotes. */
function factName({ name }: Fact): string {
  const names: Readonly<Record<string, string>> = WORDS.facts;
  if (Object.hasOwn(names, name)) return String(names[name]);
  return /^pool 0x[0-9a-fA-F]{40}$/.test(name) ? name : JSON.stringify(name);
}

/**
 * `"price of AAPL", whether trading is halted ("chainlink"); …`: each source once, without its contract's address. The
 * state of the chain has none.
 */
function bySource(facts: readonly Fact[]): string {
  const sourceOf = ({ kind, by, source }: Fact) => {
    if (kind === "signed") return by;
    return source === null ? "" : JSON.stringify(by.replace(/ \(0x[0-9a-fA-F]{40}\)$/, ""));
  };
  const sources = [...new Set(facts.map(sourceOf))];
  return sources
    .map((by) => ({ by, facts: named(facts.filter((fact) => sourceOf(fact) === by)) }))
    .map((group) => (group.by === "" ? group.facts : filled(WORDS.factsBy, group)))
    .join("; ");
}

const flagText = (flag: Flag | null): string =>
  flag === null ? "" : filled(WORDS.checkedBy, { flag: WORDS.flags[flag] });

const line = (label: string, text: string): SummaryLine => ({ label, text: printable(text) });

const labelled = (label: string, texts: readonly string[]): SummaryLine[] =>
  texts.map((text, index) => line(index === 0 ? label : "", text));
