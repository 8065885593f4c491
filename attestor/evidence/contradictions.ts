/**
 * Where facts of one piece of evidence contradict its intent, each other or public knowledge. Such evidence is false, no
 * matter who signed it. Facts that agree are not thereby true.
 */
import { CALENDAR_SOURCE, type SessionState, sessionAt } from "../calendar.ts";
import { fitsRoute } from "../pools/routeCall.ts";
import { type Fault, fault, type Params } from "../values/fault.ts";
import { addressOf } from "../values/primitives.ts";
import { CLOCK_SKEW_SECONDS } from "../values/time.ts";
import type { Evidence } from "./evidence.ts";
import type { ReferencePrice } from "./facts.ts";
import {
  GATHERING_SECONDS,
  gradeOf,
  LIQUIDITY_WINDOW_SECONDS,
  MOST_IMPACT_BPS,
  SUFFICIENT_SAMPLES,
} from "./liquidity.ts";
import { quoteContradictions } from "./quoteContradictions.ts";

/** Answers serve several judgements for up to half a minute, and waiting comes on top. No fact is as old as this. */
const RECEIVED_WITHIN_SECONDS = 600;
/** Ten samples a minute for a week are as many. */
const MOST_SAMPLES = 100_000;
/** A trade that gives infinitely much more than a tiny one has this impact. */
const LEAST_IMPACT_BPS = -10_000;

/** Everything that contradicts; none where nothing does. */
export function contradictionsIn(evidence: Evidence): Fault[] {
  const { references, settlement, quote, trade } = evidence;
  return [
    ...tradeContradictions(evidence),
    ...(quote === null ? [] : quoteContradictions(quote, trade)),
    ...sameSourceTwice(references),
    ...sameSourceTwice(settlement),
    ...timeContradictions(evidence),
    ...liquidityContradictions(evidence),
    ...sessionContradictions(evidence),
    ...guardContradictions(evidence),
  ];
}

/** Whether the parts speak of one trade and one block: what the service itself decides, and attests nothing without. */
export function tradeContradictions(evidence: Evidence): Fault[] {
  const { intent, policy, chain, trade, quote, references, settlement } = evidence;
  const { inputAssetKey, outputAssetKey } = intent;
  const [stock, dollar] =
    trade.side === "buy" ? [outputAssetKey, inputAssetKey] : [inputAssetKey, outputAssetKey];
  const found: Fault[] = [];
  const check = (holds: boolean, code: string, params: Params = {}) => {
    if (!holds) found.push(fault(code, params));
  };
  check(intent.policyId === policy.policyId, "policy_not_of_intent");
  for (const key of [inputAssetKey, outputAssetKey])
    check(key.startsWith(`eip155:${chain.chainId}:`), "asset_of_another_chain", { assetKey: key });
  check(inputAssetKey !== outputAssetKey, "token_traded_for_itself");
  check(trade.stockAssetKey === stock, "stock_not_of_intent");
  check(trade.settlementAssetKey === dollar, "settlement_token_not_of_intent");
  if (quote !== null) {
    check(quote.amountInRaw === intent.amountInRaw, "quote_of_another_amount");
    const isOfTokens =
      quote.path[0] === addressOf(inputAssetKey) && quote.path.at(-1) === addressOf(outputAssetKey);
    check(isOfTokens, "quote_of_other_tokens");
  }
  for (const { provider, proof, signer } of [...references, ...settlement])
    check((proof === null) === (signer === null), "signer_without_proof", { provider });
  return [...found, ...tokenContradictions(evidence)];
}

/** Facts of the token that were read from the chain are of the evidence's block and of the token's own contract. */
function tokenContradictions({ chain, trade, token, proofs }: Evidence): Fault[] {
  const found: Fault[] = [];
  for (const { provider, blockNumber, address } of tokenStatements(token)) {
    if (blockNumber !== null && blockNumber !== chain.blockNumber)
      found.push(fault("token_fact_of_another_block", { provider, blockNumber }));
    if ((blockNumber === null) !== (address === null))
      found.push(fault("token_fact_without_place", { provider }));
    // An oracle is asked about the token; everything else is asked of the token itself.
    const isOfToken = provider === "ondo-oracle" || address === addressOf(trade.stockAssetKey);
    if (address !== null && !isOfToken)
      found.push(fault("token_fact_of_another_contract", { provider, address }));
  }
  const isOfContract = [token.factor, token.announcement].every(
    (stated) => stated?.provider === "erc-8056" && stated.blockNumber !== null,
  );
  // The layout says that the proofs prove factor and announcement.
  if (token.layout !== null && !(isOfContract && proofs !== null)) found.push(fault("layout_without_proofs"));
  return found;
}

function tokenStatements({ factor, announcement, halts }: Evidence["token"]) {
  return [factor, announcement, ...halts].filter((stated) => stated !== null);
}

/** One provider is one source, and so is one contract, under any number of names. */
function sameSourceTwice(readings: readonly ReferencePrice[]): Fault[] {
  const names = new Map<string, string>();
  const contracts = new Map<string, string>();
  const found: Fault[] = [];
  for (const { provider, onChain } of readings) {
    const other = names.get(folded(provider)) ?? provider;
    names.set(folded(provider), other);
    if (other !== provider) found.push(fault("provider_under_two_names", { provider, other }));
    if (onChain === null) continue;
    const before = contracts.get(onChain.address) ?? provider;
    contracts.set(onChain.address, before);
    if (before !== provider)
      found.push(fault("contract_under_two_names", { provider, other: before, address: onChain.address }));
  }
  return found;
}

/** One name, however it is written: case, width, and what is no letter or digit at all. */
function folded(name: string): string {
  return name
    .normalize("NFKC")
    .toLowerCase()
    .replace(/[\s\p{C}\p{Z}\p{M}]+/gu, "");
}

/** Everything was received shortly before the judgement, and prices after they were published. */
function timeContradictions(evidence: Evidence): Fault[] {
  const { chain, references, settlement, token, failures, capturedAt } = evidence;
  const prices = [...references, ...settlement];
  const received = [
    ...prices.map(({ provider, receivedAt }) => ({ source: provider, at: receivedAt })),
    ...tokenStatements(token).map(({ provider, receivedAt }) => ({ source: provider, at: receivedAt })),
    ...failures.map(({ source, at }) => ({ source, at })),
  ];
  const found: Fault[] = [];
  if (chain.blockTimestamp === 0) found.push(fault("block_without_time"));
  for (const { source, at } of received) {
    if (at > capturedAt + CLOCK_SKEW_SECONDS) found.push(fault("received_after_judgement", { source, at }));
    if (at < capturedAt - RECEIVED_WITHIN_SECONDS)
      found.push(fault("received_long_before_judgement", { source, at }));
  }
  for (const { provider, receivedAt, publishedAt } of prices) {
    // A price of after the judgement counts nowhere: its provider's clock is wrong.
    const isOfFuture = publishedAt > capturedAt + CLOCK_SKEW_SECONDS;
    if (!isOfFuture && receivedAt < publishedAt - CLOCK_SKEW_SECONDS - GATHERING_SECONDS)
      found.push(fault("received_before_published", { source: provider, publishedAt, receivedAt }));
  }
  return found;
}

function liquidityContradictions({ liquidity, capturedAt }: Evidence): Fault[] {
  if (liquidity === null) return [];
  const { grade, sampleN, impact1kBps, impact10kBps, updatedAt } = liquidity;
  const found: Fault[] = [];
  const follows = sampleN < SUFFICIENT_SAMPLES ? null : gradeOf(impact10kBps);
  if (grade !== follows)
    found.push(fault("grade_not_of_its_impact", { grade: grade ?? "none", follows: follows ?? "none" }));
  if (sampleN > MOST_SAMPLES) found.push(fault("too_many_samples", { sampleN }));
  for (const impact of [impact1kBps, impact10kBps])
    if (impact !== null && (Number(impact) < LEAST_IMPACT_BPS || Number(impact) > MOST_IMPACT_BPS))
      found.push(fault("impact_out_of_bounds", { impact }));
  const hasFigures = impact1kBps !== null || impact10kBps !== null;
  if ((sampleN === 0) !== (updatedAt === null) || (sampleN === 0 && hasFigures))
    found.push(fault("liquidity_without_samples"));
  if (updatedAt !== null && updatedAt < capturedAt - LIQUIDITY_WINDOW_SECONDS - GATHERING_SECONDS)
    found.push(fault("liquidity_older_than_its_window", { updatedAt }));
  if (updatedAt !== null && updatedAt > capturedAt + CLOCK_SKEW_SECONDS)
    found.push(fault("liquidity_after_judgement", { updatedAt }));
  return found;
}

const OPENNESS: Record<SessionState, number> = {
  closed: 0,
  overnight: 1,
  "pre-market": 2,
  "post-market": 2,
  regular: 3,
};

/** Whether the session can be compared with a calendar that is known here. */
function isCalendarKnown(source: string): boolean {
  return folded(source) === CALENDAR_SOURCE;
}

/** More open than the calendar allows is a contradiction; less open may be a closure that no calendar foresaw. */
function sessionContradictions({ session, capturedAt }: Evidence): Fault[] {
  if (session === null || !isCalendarKnown(session.source)) return [];
  // No session is shorter than an hour, so the two ends are enough.
  const ends = [Math.max(0, capturedAt - GATHERING_SECONDS), capturedAt + CLOCK_SKEW_SECONDS];
  const possible = [...new Set(ends.map((at) => sessionAt(at).state))];
  const { state } = session;
  if (possible.some((scheduled) => state === scheduled || OPENNESS[state] < OPENNESS[scheduled])) return [];
  return [fault("session_not_of_calendar", { state, calendar: possible.join(", ") })];
}

function guardContradictions({ intent, guard, quote }: Evidence): Fault[] {
  const found: Fault[] = [];
  if (quote !== null && !fitsRoute(quote.selector, quote.path, quote.fees))
    found.push(fault("path_not_of_its_route"));
  // The guard allows every owner as recipient.
  if (intent.ownerAddress === intent.recipientAddress && !guard.recipientAllowed)
    found.push(fault("owner_not_allowed_as_recipient"));
  return found;
}
