/**
 * What would let a check pass that did not: computed when a report is read, and said beside it. The report does not
 * contain it. An amount, a time or a policy is named only after a judgement of the same facts by which the check passes.
 */
import { CALENDAR_SOURCE, type Session, sessionAt } from "../../attestor/calendar.ts";
import type { Check, Finding, Judged } from "../../attestor/checks/check.ts";
import { CHECKS } from "../../attestor/checks/checks.ts";
import { amountWords } from "../../attestor/evidence/amounts.ts";
import type { Evidence } from "../../attestor/evidence/evidence.ts";
import { figuresOf } from "../../attestor/evidence/figures.ts";
import type { Policy, PolicyDefinition } from "../../attestor/policies/policy.ts";
import { tighten, widerLimits } from "../../attestor/policies/tighten.ts";
import type { Report } from "../../attestor/report.ts";
import type { MarketSession } from "../../attestor/values/market.ts";
import { LAST_SECOND } from "../../attestor/values/primitives.ts";
import type { JobDeps } from "./deps.ts";
import { largestAmount } from "./largestAmount.ts";
import type { Hint } from "./schemas.ts";

/** What is said of a check that fails, and of one that lacks a fact, by the check's name. */
const WORDS: Readonly<Record<string, { readonly fail: string; readonly unavailable?: string }>> = {
  session: {
    fail: "Wait for a session that the policy allows: {limit}.",
    unavailable: "Ask again once the market session is known.",
  },
  "trading-halt": {
    fail: "Ask again once trading of {symbol} is no longer halted. No source says when that is.",
    unavailable: "Ask again once every listed source says whether {symbol} is halted.",
  },
  "corporate-action": {
    fail: "Ask again: the shares per token were read before the change.",
    unavailable: "Ask again once a source says what is announced for {symbol}.",
  },
  "settlement-peg": {
    fail: "Wait until {settlement} is at most {limit} bps off one US dollar.",
    unavailable: "Ask again once enough sources state a fresh price of {settlement}.",
  },
  "reference-sources": {
    fail: "Ask again once {limit} sources state a price of the stock.",
  },
  "reference-age": {
    fail: "Wait for a reference price that is at most {limit} s old.",
  },
  "reference-agreement": {
    fail: "Wait until the reference prices are at most {limit} bps apart.",
    unavailable: "Ask again once a source states a price of the stock.",
  },
  "reference-confidence": {
    fail: "Wait until the sources state intervals of at most {limit} bps.",
    unavailable: "Ask again once a source states a price of the stock.",
  },
  premium: {
    fail: "Wait until the premium against the trader is at most {limit} bps.",
    unavailable:
      "Ask again once there are a route, prices of stock and {settlement}, and the shares per token.",
  },
  route: {
    fail: "The guard's administrators have to allow this route.",
    unavailable: "Ask again later or for another amount: no route trades this one.",
  },
  impact: {
    fail: "Ask for a smaller amount.",
    unavailable: "Ask again later or for another amount: no route trades this one.",
  },
  "minimum-output": {
    fail: "Wait until the quote pays at least {limit} raw units, or ask for a larger amount, with less slippage, or with another minAmountOutRaw.",
    unavailable: "Ask again later or for another amount: no route trades this one.",
  },
  slippage: {
    fail: "Ask with a maxSlippageBps of at most {limit}.",
  },
  notional: {
    fail: "Ask for a smaller amount.",
    unavailable: "Ask again once there are a route and a price of {settlement}.",
  },
  "liquidity-grade": {
    fail: "Wait until the token's grade is {limit} or better: it follows the samples of seven days.",
    unavailable: "Ask again once enough samples give the token a grade.",
  },
  "liquidity-samples": {
    fail: "Ask again once there are {limit} samples of the token's liquidity within seven days.",
  },
  "quote-age": {
    fail: "Ask again once the chain has a block that is at most {limit} s old.",
  },
  recipient: {
    fail: "Name the owner as the recipient, or the guard's administrators have to allow {recipient}.",
  },
  "guard-active": {
    fail: "The guard's administrators have to unpause it; nothing trades until then.",
  },
  "guard-signer": {
    fail: "The service has to sign with the key that the guard names, or the guard's administrators have to name the service's.",
  },
  "signed-references": {
    fail: "Ask again once {limit} of the reference prices are signed by their publishers.",
  },
  "failed-sources": {
    fail: "Ask again once at most {limit} of the listed sources fail to answer.",
  },
  "quote-proof": {
    fail: "Ask again once the node proves the state of the pools.",
    unavailable: "Ask again later or for another amount: no route trades this one.",
  },
};

/** A check that did not pass, with what it looked at. */
interface Failed {
  readonly found: Judged;
  /** As the intent's limits tighten it. */
  readonly policy: PolicyDefinition;
  readonly evidence: Evidence;
  /** The check's outcome with other evidence. */
  judge(evidence: Evidence): Judged;
}

/** What is said only of a changed intent or a later moment; null where the check would not pass by it. */
const JUDGED: Readonly<Record<string, (failed: Failed) => string | null>> = {
  impact: amountHint,
  notional: amountHint,
  session: sessionHint,
  "corporate-action": corporateActionHint,
};

/** @returns one for each finding that does not pass; none of a report whose policy this program does not have */
export function hintsOf(
  { policies }: Pick<JobDeps, "policies">,
  { policyHash, evidence, findings }: Pick<Report, "policyHash" | "evidence" | "findings">,
): Hint[] {
  const policy = policies.find(({ definitionHash }) => definitionHash === policyHash);
  const failed = findings.filter(({ outcome }) => outcome !== "pass");
  if (policy === undefined || failed.length === 0) return [];
  const tightened = tighten(policy.definition, evidence.intent.limits);
  const others = otherPolicies(policies, policy, evidence);
  return failed.flatMap((found) => {
    const check = CHECKS.find(({ name }) => name === found.check);
    if (check === undefined) return [];
    const judge = (asked: Evidence) => check.judge(tightened, asked);
    const way = JUDGED[check.name]?.({ found, policy: tightened, evidence, judge }) ?? null;
    const policyIds = others
      .filter(({ other, asked }) => check.judge(other, asked).outcome === "pass")
      .map(({ other }) => other.policyId);
    const under = policyIds.length === 0 ? "" : ` This check would pass under ${policyIds.join(" or ")}.`;
    return { check: check.name, text: `${way ?? sentenceFor(check, found, evidence)}${under}` };
  });
}

/** Policies of the same version that the intent's limits fit, tightened, each with the evidence of an intent that names it. */
function otherPolicies(policies: readonly Policy[], { definition }: Policy, evidence: Evidence) {
  return policies
    .filter(
      ({ definition: other }) =>
        other.version === definition.version &&
        other.policyId !== definition.policyId &&
        widerLimits(other, evidence.intent.limits).length === 0,
    )
    .map(({ definition: published, definitionHash }) => {
      const other = tighten(published, evidence.intent.limits);
      const { policyId, version } = other;
      const asked: Evidence = {
        ...evidence,
        intent: { ...evidence.intent, policyId },
        policy: { policyId, version, definitionHash },
        figures: figuresOf(other, evidence),
      };
      return { other, asked };
    });
}

function sentenceFor({ name }: Check, { outcome, limit }: Finding, { trade, intent }: Evidence): string {
  const { fail = "", unavailable = fail } = WORDS[name] ?? {};
  const places = {
    limit,
    symbol: trade.symbol,
    settlement: trade.settlementSymbol,
    recipient: intent.recipientAddress,
  };
  return Object.entries(places).reduce(
    (text, [place, value]) => text.replaceAll(`{${place}}`, value ?? ""),
    outcome === "unavailable" ? unavailable : fail,
  );
}

function amountHint({ evidence, found, policy, judge }: Failed): string | null {
  const amountInRaw = largestAmount(evidence, found, policy, judge);
  if (amountInRaw === null) return null;
  return `At most ${amountWords(evidence.trade, "input", amountInRaw)} passes this check with the report's facts.`;
}

function sessionHint({ evidence, policy: { allowedSessions }, judge }: Failed): string | null {
  const { session, capturedAt } = evidence;
  if (session === null) return null;
  if (allowedSessions.includes(session.state))
    return "Ask again once the calendar and signed prices name the same session.";
  // Another source's sessions do not follow the calendar, so when they open is not known.
  if (session.source !== CALENDAR_SOURCE) return null;
  const { state, opensAt } = nextOf(allowedSessions, capturedAt);
  const { outcome } = judge({ ...evidence, capturedAt: opensAt, session: { ...session, state } });
  return outcome === "pass" ? `The ${state} session opens at ${isoTime(opensAt)}.` : null;
}

/** The first session of these states that begins after a moment. @param after unix seconds */
function nextOf(states: readonly MarketSession[], after: number): Session {
  const next = sessionAt(sessionAt(after).closesAt);
  return states.includes(next.state) ? next : nextOf(states, next.opensAt);
}

function corporateActionHint({ evidence, policy, judge }: Failed): string | null {
  const { token, chain, capturedAt } = evidence;
  const change = token.announcement?.change;
  if (!change) return null;
  const from = change.effectiveAt + policy.corporateAction.marginSeconds + 1;
  if (from <= capturedAt || from > LAST_SECOND) return null;
  const { outcome } = judge({
    ...evidence,
    capturedAt: from,
    chain: { ...chain, blockTimestamp: from },
    token: { ...token, factor: token.factor && { ...token.factor, receivedAt: from } },
  });
  if (outcome !== "pass") return null;
  return `Ask again from ${isoTime(from)} on, when the change is long enough past.`;
}

const isoTime = (seconds: number): string => new Date(seconds * 1000).toISOString().replace(".000Z", "Z");
