/** What would let a check pass that did not: words and figures that follow from evidence and policy alone. */
import type { Judged, Remedy } from "../checks/check.ts";
import { widerLimits } from "../checks/limits.ts";
import { amountWords } from "../evidence/amounts.ts";
import type { Evidence } from "../evidence/evidence.ts";
import { atAmounts, underPolicy } from "../evidence/otherwise.ts";
import { quoteFaults } from "../evidence/quoteFaults.ts";
import type { PublisherKeys } from "../publishers/publisherKeys.ts";
import { POLICY_VERSIONS, type Policy } from "./policy.ts";
import type { PolicyCheck } from "./policyDefinition.ts";
import SENTENCES from "./remedies.json" with { type: "json" };

type Sentences = Readonly<
  Record<PolicyCheck["name"], { readonly fail: string; readonly unavailable?: string }>
>;
const WORDS: Sentences = SENTENCES;

/**
 * The way forward for a check that did not pass.
 * @param found of the check, not a pass
 */
export function remedyOf(
  check: PolicyCheck,
  found: Judged,
  { definition }: Policy,
  evidence: Evidence,
  keys: PublisherKeys,
): Remedy {
  const amountInRaw = check.isOfSize ? largestAmount(check, definition, evidence, keys) : null;
  const others = POLICY_VERSIONS.filter(
    (other) =>
      other.definition.version === definition.version &&
      other.definition.policyId !== definition.policyId &&
      (other.definition.checks as readonly string[]).includes(check.name) &&
      widerLimits(other.definition, evidence.intent.limits).length === 0 &&
      passesUnder(check, other, evidence, keys),
  ).map((other) => other.definition.policyId);
  const { message = sentenceFor(check, found, evidence), ...said } =
    amountInRaw === null
      ? (check.remedy?.(definition, evidence) ?? {})
      : {
          amountInRaw,
          message: `At most ${amountWords(evidence.trade, "input", amountInRaw)} passes this check now.`,
        };
  return {
    ...said,
    ...(others.length === 0 ? {} : { policyIds: others }),
    message: `${message}${others.length === 0 ? "" : ` This check would pass under ${others.join(" or ")}.`}`,
  };
}

function passesUnder(check: PolicyCheck, other: Policy, evidence: Evidence, keys: PublisherKeys): boolean {
  const asked = underPolicy(other.definition, other.definitionHash, evidence);
  return check.judge(other.definition, asked, keys).outcome === "pass";
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

/**
 * The largest amount below the intent's by which the check passes, found by halving. The tiny trade is where it begins: its
 * price is what the size is measured by.
 * @returns raw units of the input token; null where none is found
 */
function largestAmount(
  check: PolicyCheck,
  definition: Policy["definition"],
  evidence: Evidence,
  keys: PublisherKeys,
): string | null {
  const at = atAmounts(definition, computable(evidence));
  const passesAt = (amount: bigint) => check.judge(definition, at(amount), keys).outcome === "pass";
  let fails = BigInt(evidence.intent.amountInRaw);
  const first = [BigInt(evidence.quote?.referenceAmountInRaw ?? 1), 1n];
  let passes = first.find((amount) => amount > 0n && amount < fails && passesAt(amount));
  if (passes === undefined) return null;
  while (fails - passes > 1n) {
    const middle: bigint = (passes + fails) / 2n;
    if (passesAt(middle)) passes = middle;
    else fails = middle;
  }
  return passes.toString();
}

/** Pools that the quote does not follow from say nothing of another amount. */
function computable(evidence: Evidence): Evidence {
  const { quote, trade } = evidence;
  if (quote === null || quoteFaults(quote, trade).length === 0) return evidence;
  return { ...evidence, quote: { ...quote, pools: null } };
}
