/** The largest amount of a trade that passes a check: each amount is judged by the evidence that it would have had. */
import type { Judged } from "../../attestor/checks/check.ts";
import type { Evidence } from "../../attestor/evidence/evidence.ts";
import type { QuoteFacts } from "../../attestor/evidence/facts.ts";
import { figuresAt, pricesOf } from "../../attestor/evidence/figures.ts";
import type { PolicyDefinition } from "../../attestor/policies/policy.ts";
import { pathThrough, tinyAmount } from "../../attestor/pools/quote.ts";
import { exactOf, powerOfTen } from "../../attestor/values/fraction.ts";

/** The search stops where an amount that fails is at most this part above one that passes. */
const PRECISION = 1_000_000n;
/** Decimals of distances to a limit: no figure has more. */
const PLACES = 8;
/** After so many turns the search halves, so that it ends soon for every pool. */
const INTERPOLATED = 64;

/** An amount that was judged. */
interface Tried {
  readonly amount: bigint;
  readonly passes: boolean;
  /** How far from the limit it was seen, above zero; null where nothing was seen. */
  readonly distance: bigint | null;
}

/**
 * An amount below the intent's by which the check passes, at most a millionth below one by which it fails. The Illinois
 * algorithm finds it in few steps, since figures grow almost in proportion to the amount. The search begins at the tiny
 * trade: its price is what the size is measured by.
 * @param found of the intent's amount
 * @param policy as the intent's limits tighten it
 * @param judge the check
 * @returns raw units of the input token; null where none is found
 */
export function largestAmount(
  evidence: Evidence,
  found: Judged,
  policy: PolicyDefinition,
  judge: (evidence: Evidence) => Judged,
): string | null {
  const at = atAmounts(policy, evidence);
  const tried = (amount: bigint) => triedAt(amount, judge(at(amount)));
  let fails = triedAt(BigInt(evidence.intent.amountInRaw), found);
  let passes = [BigInt(evidence.quote?.referenceAmountInRaw ?? 1), 1n]
    .filter((amount) => amount > 0n && amount < fails.amount)
    .map(tried)
    .find((one) => one.passes);
  if (passes === undefined) return null;
  let last: Tried | undefined;
  for (let count = 1; ; count++) {
    const step = passes.amount / PRECISION + 1n;
    if (fails.amount - passes.amount <= step) return passes.amount.toString();
    const next = tried(count > INTERPOLATED ? middle(passes, fails) : between(passes, fails, step));
    // An end that stays while the other one moves twice is too far away: it counts half.
    const again = last?.passes === next.passes;
    if (next.passes) [passes, fails] = [next, again ? nearer(fails) : fails];
    else [passes, fails] = [again ? nearer(passes) : passes, next];
    last = next;
  }
}

function triedAt(amount: bigint, { outcome, observed, limit }: Judged): Tried {
  const passes = outcome === "pass";
  if (observed === null || limit === null) return { amount, passes, distance: null };
  const away = unitsOf(observed) - unitsOf(limit);
  if (away === 0n) return { amount, passes, distance: 1n };
  return { amount, passes, distance: away < 0n ? -away : away };
}

function unitsOf(text: string): bigint {
  const { digits, places } = exactOf(text);
  return places > PLACES ? digits / powerOfTen(places - PLACES) : digits * powerOfTen(PLACES - places);
}

/** Where a straight line through both ends meets the limit, a step away from each; the middle where no line is known. */
function between(passes: Tried, fails: Tried, step: bigint): bigint {
  const [from, to] = [passes.amount, fails.amount];
  if (passes.distance === null || fails.distance === null) return middle(passes, fails);
  const guess = from + ((to - from) * passes.distance) / (passes.distance + fails.distance);
  const least = from + step;
  const most = to - step;
  if (guess <= least || most <= least) return least;
  return guess > most ? most : guess;
}

const middle = (passes: Tried, fails: Tried): bigint => (passes.amount + fails.amount) / 2n;

const nearer = (tried: Tried): Tried => ({
  ...tried,
  distance: tried.distance && (tried.distance + 1n) / 2n,
});

/**
 * The evidence of other amounts, by the same route at the same block. It has no quote where the state of the pools is
 * missing, or they cannot trade the amount.
 * @returns of raw units of the input token
 */
function atAmounts(policy: PolicyDefinition, evidence: Evidence): (amountIn: bigint) => Evidence {
  const quoteAt = evidence.quote && quotesOf(evidence.quote, evidence.trade);
  const prices = pricesOf(policy, evidence);
  return (amountIn) => {
    const intent = { ...evidence.intent, amountInRaw: amountIn.toString() };
    const asked = { ...evidence, intent, quote: quoteAt?.(amountIn) ?? null };
    return { ...asked, figures: figuresAt(prices, asked) };
  };
}

function quotesOf(
  quote: QuoteFacts,
  trade: Evidence["trade"],
): ((amountIn: bigint) => QuoteFacts | null) | null {
  const { pools, path } = quote;
  if (pools === null) return null;
  const through = pathThrough(pools, path[0] as string);
  const pays = (amount: bigint) => {
    const traded = through(amount);
    return traded.outcome === "trades" ? traded.amountOut : null;
  };
  const decimals = trade.side === "buy" ? trade.inputDecimals : trade.outputDecimals;
  return (amountIn) => {
    const amountOut = pays(amountIn);
    if (amountOut === null) return null;
    const tinyIn = tinyAmount(trade.side, decimals, amountIn, amountOut);
    return {
      ...quote,
      amountInRaw: amountIn.toString(),
      amountOutRaw: amountOut.toString(),
      referenceAmountInRaw: tinyIn.toString(),
      referenceAmountOutRaw: (pays(tinyIn) ?? 0n).toString(),
    };
  };
}
