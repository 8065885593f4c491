/** What would let a check pass that did not: words and figures that follow from evidence and policy alone. */
import type { Judged, Remedy } from "../checks/check.ts";
import { widerLimits } from "../checks/limits.ts";
import { amountWords } from "../evidence/amounts.ts";
import type { Evidence } from "../evidence/evidence.ts";
import { atAmounts, underPolicy } from "../evidence/otherwise.ts";
import { quoteFaults } from "../evidence/quoteFaults.ts";
import type { PublisherKeys } from "../publishers/publisherKeys.ts";
import { exactOf, powerOfTen } from "../values/fraction.ts";
import { POLICY_VERSIONS, type Policy } from "./policy.ts";
import type { PolicyCheck } from "./policyDefinition.ts";
import SENTENCES from "./remedies.json" with { type: "json" };

type Sentences = Readonly<
  Record<PolicyCheck["name"], { readonly fail: string; readonly unavailable?: string }>
>;
const WORDS: Sentences = SENTENCES;

/**
 * The ways forward for checks that did not pass. What several of them look into is read once.
 * @returns of a check and what it found, which is not a pass
 */
export function remediesOf(
  { definition }: Policy,
  evidence: Evidence,
  keys: PublisherKeys,
): (check: PolicyCheck, found: Judged) => Remedy {
  const at = once(() => atAmounts(definition, computable(evidence)));
  const others = once(() =>
    POLICY_VERSIONS.filter(
      (other) =>
        other.definition.version === definition.version &&
        other.definition.policyId !== definition.policyId &&
        widerLimits(other.definition, evidence.intent.limits).length === 0,
    ).map((other) => ({ other, asked: underPolicy(other.definition, other.definitionHash, evidence) })),
  );
  return (check, found) => {
    const amountInRaw = check.isOfSize ? largestAmount(check, found, definition, evidence, at(), keys) : null;
    const policyIds = others()
      .filter(
        ({ other, asked }) =>
          (other.definition.checks as readonly string[]).includes(check.name) &&
          check.judge(other.definition, asked, keys).outcome === "pass",
      )
      .map(({ other }) => other.definition.policyId);
    const { message = sentenceFor(check, found, evidence), ...said } =
      amountInRaw === null
        ? (check.remedy?.(definition, evidence) ?? {})
        : {
            amountInRaw,
            message: `At most ${amountWords(evidence.trade, "input", amountInRaw)} passes this check now.`,
          };
    return {
      ...said,
      ...(policyIds.length === 0 ? {} : { policyIds }),
      message: `${message}${policyIds.length === 0 ? "" : ` This check would pass under ${policyIds.join(" or ")}.`}`,
    };
  };
}

function sentenceFor({ name }: PolicyCheck, { outcome, limit }: Judged, { trade, intent }: Evidence): string {
  const { fail, unavailable = fail } = WORDS[name];
  const said = {
    limit,
    symbol: trade.symbol,
    settlement: trade.settlementSymbol,
    recipient: intent.recipientAddress,
  };
  return Object.entries(said).reduce(
    (text, [place, value]) => text.replaceAll(`{${place}}`, value ?? ""),
    outcome === "unavailable" ? unavailable : fail,
  );
}

/** The search stops where an amount that fails is at most this part above one that passes. */
const PRECISION = 1_000_000n;
/** Decimals of distances to a limit: no figure has more. */
const PLACES = 8;
/** After so many turns the search halves, so that forged pools cannot make it long. */
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
 * @returns raw units of the input token; null where none is found
 */
function largestAmount(
  check: PolicyCheck,
  found: Judged,
  definition: Policy["definition"],
  evidence: Evidence,
  at: (amount: bigint) => Evidence,
  keys: PublisherKeys,
): string | null {
  const tried = (amount: bigint) => triedAt(amount, check.judge(definition, at(amount), keys));
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
  return { amount, passes, distance: away === 0n ? 1n : away < 0n ? -away : away };
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
  const [least, most] = [from + step, to - step];
  return guess > most ? (most > least ? most : least) : guess > least ? guess : least;
}

const middle = (passes: Tried, fails: Tried): bigint => (passes.amount + fails.amount) / 2n;

const nearer = (tried: Tried): Tried => ({
  ...tried,
  distance: tried.distance && (tried.distance + 1n) / 2n,
});

/** Pools that the quote does not follow from say nothing of another amount. */
function computable(evidence: Evidence): Evidence {
  const { quote, trade } = evidence;
  if (quote === null || quoteFaults(quote, trade).length === 0) return evidence;
  return { ...evidence, quote: { ...quote, pools: null } };
}

function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
