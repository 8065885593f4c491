/** What would let a check pass that did not: words and figures that follow from evidence and policy alone. */
import type { Judged, Remedy } from "../checks/check.ts";
import { amountWords } from "../evidence/amounts.ts";
import type { Evidence } from "../evidence/evidence.ts";
import { atAmount, underPolicy } from "../evidence/otherwise.ts";
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
  const passesAt = (amountInRaw: string) =>
    check.judge(definition, atAmount(definition, evidence, amountInRaw), keys).outcome === "pass";
  const amountInRaw = check.isOfSize ? largestAmount(evidence, passesAt) : null;
  const others = POLICY_VERSIONS.filter(
    (other) =>
      other.definition.version === definition.version &&
      other.definition.policyId !== definition.policyId &&
      (other.definition.checks as readonly string[]).includes(check.name) &&
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
    message: `${message}${others.length === 0 ? "" : ` ${others.join(" and ")} would pass this check.`}`,
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
 * The largest amount below the intent's that passes, by halving. Some amount passes wherever the tiny trade does, whose
 * price is what the size is measured by.
 * @returns raw units of the input token; null where none is found
 */
function largestAmount(
  { intent, quote }: Evidence,
  passesAt: (amountInRaw: string) => boolean,
): string | null {
  let fails = BigInt(intent.amountInRaw);
  let passes = BigInt(quote?.referenceAmountInRaw ?? 1);
  if (passes >= fails || !passesAt(passes.toString())) passes = 1n;
  if (passes >= fails || !passesAt(passes.toString())) return null;
  while (fails - passes > 1n) {
    const middle = (passes + fails) / 2n;
    if (passesAt(middle.toString())) passes = middle;
    else fails = middle;
  }
  return passes.toString();
}
