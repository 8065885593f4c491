/** The form of one check and of what it finds. */
import * as z from "zod";
import type { Evidence } from "../evidence/evidence.ts";
import type { PolicyDefinition } from "../policies/policyDefinition.ts";
import type { GuardianSets } from "../pyth/guardianSets.ts";
import { EvidenceDecimal } from "../values/decimal.ts";

export const Finding = z
  .strictObject({
    check: z.string(),
    /** `unavailable`: a fact that the check needs is missing. It denies, as `fail` does. */
    outcome: z.enum(["pass", "fail", "unavailable"]),
    /** What was seen and what the policy allows, in the unit that the message names. */
    observed: z.string().nullable(),
    limit: z.string().nullable(),
    message: z.string(),
  })
  .meta({ id: "Finding" });
export type Finding = z.infer<typeof Finding>;

/**
 * A rule: looks at nothing but the policy and the evidence.
 * @param sets guardian sets that the reader knows, against which signatures are held
 */
export type Check = (policy: PolicyDefinition, evidence: Evidence, sets: GuardianSets) => Finding;

/** A finding whose outcome is decided by `passes`. */
export function judged(
  check: string,
  passes: boolean,
  observed: string | number | boolean,
  limit: string | number | boolean,
  message: string,
): Finding {
  return {
    check,
    outcome: passes ? "pass" : "fail",
    observed: String(observed),
    limit: String(limit),
    message,
  };
}

/** A finding for a missing fact. */
export function unavailable(check: string, limit: string | number | boolean, message: string): Finding {
  return { check, outcome: "unavailable", observed: null, limit: String(limit), message };
}

/** Whether a decimal string is at most a limit. */
export function atMost(observed: string, limit: string | number): boolean {
  return new EvidenceDecimal(observed).lessThanOrEqualTo(limit);
}
