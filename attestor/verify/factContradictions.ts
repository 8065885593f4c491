/**
 * Where facts of one piece of evidence contradict each other or public knowledge. Such evidence is false, no matter
 * who signed it. Facts that agree are not thereby true.
 */
import { CALENDAR_SOURCE, type SessionState, sessionAt } from "../calendar.ts";
import { fitsRoute } from "../certificate/routeCall.ts";
import type { Evidence } from "../evidence/evidence.ts";
import type { PriceReading, ReferencePrice } from "../evidence/facts.ts";
import { gradeOf, LIQUIDITY_WINDOW_SECONDS, SUFFICIENT_SAMPLES } from "../evidence/liquidity.ts";
import { arePoolsOfRoute } from "../evidence/quoteFaults.ts";
import type { MarketSession } from "../policies/policy.ts";
import { findAsset, type Registry } from "../registry.ts";
import { sameJson } from "../steps.ts";
import { CLOCK_SKEW_SECONDS } from "../values/time.ts";

/** Facts are read one after the other before the moment of judgement, and slow nodes are waited for. */
const GATHERING_SECONDS = 120;

/** Sentences without their full stop; none where nothing contradicts. */
export function factContradictions(evidence: Evidence): string[] {
  const { references, settlement, failures, liquidity, quote, guard, intent, capturedAt } = evidence;
  return [
    ...referenceFaults(references, capturedAt),
    ...referenceFaults(settlement, capturedAt),
    ...feedFaults(references),
    ...feedFaults(settlement),
    ...tokenFaults(evidence),
    ...failures
      .filter(({ at }) => at > capturedAt + CLOCK_SKEW_SECONDS)
      .map(({ source }) => `${source} failed after it was judged`),
    ...(liquidity === null ? [] : liquidityFaults(liquidity, capturedAt)),
    ...sessionFaults(evidence),
    ...(quote === null || fitsRoute(quote.selector, quote.path, quote.fees)
      ? []
      : ["the quote's path or fees are none that its route's function can trade"]),
    ...(intent.ownerAddress === intent.recipientAddress && !guard.recipientAllowed
      ? ["the guard allows every owner as recipient, and the evidence says otherwise"]
      : []),
  ];
}

function referenceFaults(references: readonly PriceReading[], capturedAt: number): string[] {
  const written = new Map<string, string>();
  const faults: string[] = [];
  for (const { provider, receivedAt } of references) {
    const name = folded(provider);
    const before = written.get(name) ?? provider;
    if (before !== provider) faults.push(`one provider counts as two: ${before} and ${provider}`);
    written.set(name, before);
    if (receivedAt > capturedAt + CLOCK_SKEW_SECONDS)
      faults.push(`the price of ${provider} was received after it was judged`);
  }
  return faults;
}

/** One contract's answer is one source, under any number of names. */
function feedFaults(references: readonly ReferencePrice[]): string[] {
  const named = new Map<string, string>();
  return references.flatMap(({ provider, onChain }) => {
    if (onChain === null) return [];
    const before = named.get(onChain.address) ?? provider;
    named.set(onChain.address, before);
    return before === provider ? [] : [`one contract's prices count as two: ${before} and ${provider}`];
  });
}

/** Everything that is said of the token was said before it was judged. */
function tokenFaults({ token, capturedAt }: Evidence): string[] {
  return [token.factor, token.announcement, ...token.halts]
    .filter((statement) => statement !== null)
    .filter(({ receivedAt }) => receivedAt > capturedAt + CLOCK_SKEW_SECONDS)
    .map(({ provider }) => `what ${provider} says of the token was received after it was judged`);
}

/** One name, however it is written: case, width, and what is no letter or digit at all. */
function folded(name: string): string {
  return name
    .normalize("NFKC")
    .toLowerCase()
    .replace(/[\s\p{C}\p{Z}\p{M}]+/gu, "");
}

function liquidityFaults(facts: NonNullable<Evidence["liquidity"]>, capturedAt: number): string[] {
  const { grade, sampleN, impact1kBps, impact10kBps, updatedAt } = facts;
  const faults: string[] = [];
  const follows = sampleN < SUFFICIENT_SAMPLES ? null : gradeOf(impact10kBps);
  if (grade !== follows)
    faults.push(`the liquidity grade is ${follows ?? "none"} by its figures, and not ${grade ?? "none"}`);
  if ((sampleN === 0) !== (updatedAt === null) || (sampleN === 0 && (impact1kBps ?? impact10kBps) !== null))
    faults.push("the liquidity has figures without samples, or samples without a time");
  if (updatedAt === null) return faults;
  if (updatedAt < capturedAt - LIQUIDITY_WINDOW_SECONDS - GATHERING_SECONDS)
    faults.push("the newest liquidity sample is older than the window of seven days");
  if (updatedAt > capturedAt + CLOCK_SKEW_SECONDS)
    faults.push("the newest liquidity sample was taken after it was judged");
  return faults;
}

const OPENNESS: Record<SessionState, number> = {
  closed: 0,
  overnight: 1,
  "pre-market": 2,
  "post-market": 2,
  regular: 3,
};

/** Whether the session can be compared with a calendar that is known here. */
export function isCalendarKnown(source: string): boolean {
  return folded(source) === CALENDAR_SOURCE;
}

/** More open than the calendar allows is a contradiction; less open may be a closure that no calendar foresaw. */
function sessionFaults({ session, capturedAt }: Evidence): string[] {
  if (session === null || !isCalendarKnown(session.source)) return [];
  const possible = statesBetween(capturedAt - GATHERING_SECONDS, capturedAt + CLOCK_SKEW_SECONDS);
  if (possible.some((state) => isPossible(session.state, state))) return [];
  return [
    `the session is ${session.state}, and by ${session.source} it is ${[...new Set(possible)].join(" or ")}`,
  ];
}

function isPossible(stated: MarketSession, scheduled: SessionState): boolean {
  return stated === scheduled || OPENNESS[stated] < OPENNESS[scheduled];
}

/** No session is shorter than an hour, so the two ends are enough. @param from unix seconds, as `to` */
function statesBetween(from: number, to: number): SessionState[] {
  return [sessionAt(Math.max(0, from)).state, sessionAt(to).state];
}

/** Whether quote, route and the layout of the token's multiplier are those of a registry. */
export function fitsRegistry(
  { quote, token, trade }: Pick<Evidence, "quote" | "token" | "trade">,
  registry: Registry,
): boolean {
  const { routes } = registry;
  const named = findAsset(registry, trade.stockAssetKey)?.multiplierLayout;
  if (token.layout !== null && !sameJson(token.layout, named)) return false;
  if (quote === null) return true;
  const route = routes.find(
    ({ address, selector }) => address === quote.route && selector === quote.selector,
  );
  if (route === undefined || route.name !== quote.routeName) return false;
  if (!arePoolsOfRoute(quote, route)) return false;
  return route.kind === "uniswap-v2" || quote.fees.every((fee) => route.feeTiers.includes(fee));
}
