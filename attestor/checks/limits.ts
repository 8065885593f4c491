/** Checks of the limits that an intent names beside its policy's: each is made only where the intent names it. */
import { amountWords } from "../evidence/amounts.ts";
import type { Evidence } from "../evidence/evidence.ts";
import { ageSeconds, countedReferences } from "../evidence/figures.ts";
import type { Limits } from "../intent.ts";
import {
  atMost,
  type Check,
  type CommonRules,
  defineCheck,
  type Judged,
  judged,
  unavailable,
} from "./check.ts";
import { least, type Measure, most } from "./measure.ts";
import { adversePremium } from "./quote.ts";

type Limit = keyof Limits;
type Judge<Of extends Limit> = (
  limit: NonNullable<Limits[Of]>,
  evidence: Evidence,
  policy: CommonRules,
) => Judged;

function limit<const Name extends string, Of extends Limit>(
  check: { readonly name: Name; readonly of: Of; readonly measure: Measure },
  judge: Judge<Of>,
): Check<Name, Record<never, never>> & { readonly of: Of } {
  const made = defineCheck({
    ...check,
    bound: {},
    judge: (policy, evidence) => {
      const named = evidence.intent.limits?.[check.of];
      if (named !== undefined) return judge(named as NonNullable<Limits[Of]>, evidence, policy);
      return { outcome: "pass", observed: null, limit: null, message: "The intent names no such limit." };
    },
  });
  return { ...made, of: check.of };
}

/** The token does not stand farther from the stock than the intent lets it. */
const limitPremium = limit(
  { name: "limit-premium", of: "maxPremiumBps", measure: most("bps") },
  (limit, evidence) => {
    const adverse = adversePremium(evidence);
    if (adverse === null)
      return unavailable(limit, "The premium is not known: a price or the shares per token are missing.");
    return judged(
      atMost(adverse, limit),
      adverse,
      limit,
      `The premium against the trader is ${adverse} bps; at most ${limit} accepted by the intent.`,
    );
  },
);

/** This size does not move the price farther than the intent lets it. */
const limitImpact = limit(
  { name: "limit-impact", of: "maxImpactBps", measure: most("bps") },
  (limit, { figures, trade, intent }) => {
    if (figures.impactBps === null) return unavailable(limit, "The price impact is not known: no route.");
    const size = amountWords(trade, "input", intent.amountInRaw);
    return judged(
      atMost(figures.impactBps, limit),
      figures.impactBps,
      limit,
      `${size} cost ${figures.impactBps} bps more than a tiny trade; at most ${limit} accepted by the intent.`,
    );
  },
);

/** The quote pays what the intent demands. The guard then sees to it: the limit is a minimum of the trade. */
const limitOutput = limit(
  { name: "limit-output", of: "minAmountOutRaw", measure: least("raw") },
  (limit, { quote, trade }) => {
    if (quote === null) return unavailable(limit, "What the trade pays is not known: no route.");
    const [pays, demanded] = [quote.amountOutRaw, limit].map((raw) => amountWords(trade, "output", raw));
    return judged(
      BigInt(quote.amountOutRaw) >= BigInt(limit),
      quote.amountOutRaw,
      limit,
      `The quote pays ${pays}; at least ${demanded} demanded by the intent.`,
    );
  },
);

/** No reference price that counts is older than the intent lets it be. */
const limitReferenceAge = limit(
  { name: "limit-reference-age", of: "maxReferenceAgeSeconds", measure: most("s") },
  (limit, { references, capturedAt }, policy) => {
    const oldest = countedReferences(policy, references, capturedAt).at(-1);
    if (oldest === undefined) return unavailable(limit, "There is no reference price.");
    return judged(
      ageSeconds(oldest.publishedAt, capturedAt) <= limit,
      capturedAt - oldest.publishedAt,
      limit,
      `The oldest reference price that counts, of ${oldest.provider}, is ${capturedAt - oldest.publishedAt} s old; at most ${limit} s accepted by the intent.`,
    );
  },
);

/** In the order of the report. */
export const LIMIT_CHECKS = [limitPremium, limitImpact, limitOutput, limitReferenceAge] as const;

interface Bounds {
  readonly maxAdversePremiumBps: number;
  readonly maxImpactBps: number;
  readonly reference: { readonly maxAgeSeconds: number };
}

/** Limits that are wider than the policy's bound, with that bound. No policy bounds `minAmountOutRaw`. */
export function widerLimits(policy: Bounds, limits: Limits | undefined) {
  const bounds = [
    ["maxPremiumBps", policy.maxAdversePremiumBps],
    ["maxImpactBps", policy.maxImpactBps],
    ["maxReferenceAgeSeconds", policy.reference.maxAgeSeconds],
  ] as const;
  return bounds
    .filter(([name, bound]) => (limits?.[name] ?? bound) > bound)
    .map(([name, bound]) => ({ name, bound }));
}
