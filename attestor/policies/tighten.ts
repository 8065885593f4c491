/** The limits of an intent, which tighten its policy: figures and findings are made with the tighter of both. */
import type { Limits } from "../intent.ts";
import type { PolicyDefinition } from "./policy.ts";

/**
 * The policy with the tighter of its own bound and the intent's limit. The policy's hash stays that of the policy as it
 * was published. `minAmountOutRaw` has no bound in a policy; it is part of the figure of that name.
 */
export function tighten(policy: PolicyDefinition, limits: Limits | undefined): PolicyDefinition {
  if (limits === undefined) return policy;
  const { maxAdversePremiumBps, maxImpactBps, reference } = policy;
  const maxAgeSeconds = Math.min(
    reference.maxAgeSeconds,
    limits.maxReferenceAgeSeconds ?? reference.maxAgeSeconds,
  );
  return {
    ...policy,
    reference: { ...reference, maxAgeSeconds },
    maxAdversePremiumBps: Math.min(maxAdversePremiumBps, limits.maxPremiumBps ?? maxAdversePremiumBps),
    maxImpactBps: Math.min(maxImpactBps, limits.maxImpactBps ?? maxImpactBps),
  };
}

/** Limits that are wider than the policy's bound, with that bound: they would tighten nothing. */
export function widerLimits(policy: PolicyDefinition, limits: Limits | undefined) {
  const bounds = [
    ["maxPremiumBps", policy.maxAdversePremiumBps],
    ["maxImpactBps", policy.maxImpactBps],
    ["maxReferenceAgeSeconds", policy.reference.maxAgeSeconds],
  ] as const;
  return bounds
    .filter(([name, bound]) => (limits?.[name] ?? bound) > bound)
    .map(([name, bound]) => ({ name, bound }));
}
