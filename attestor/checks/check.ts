/** The form of a check and of what it finds. */
import * as z from "zod";
import type { Evidence } from "../evidence/evidence.ts";
import type { PolicyDefinition } from "../policies/policy.ts";
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

export interface Check {
  readonly name: string;
  /**
   * Looks at nothing but the policy and the evidence.
   * @param policy as the intent's limits tighten it
   */
  judge(policy: PolicyDefinition, evidence: Evidence): Judged;
}

/** A finding but for the check's name. */
export type Judged = Omit<Finding, "check">;

/** A finding whose outcome is decided by `passes`. */
export function judged(
  passes: boolean,
  observed: string | number | boolean,
  limit: string | number | boolean,
  message: string,
): Judged {
  return { outcome: passes ? "pass" : "fail", observed: String(observed), limit: String(limit), message };
}

/** A finding for a missing fact. */
export function unavailable(limit: string | number | boolean, message: string): Judged {
  return { outcome: "unavailable", observed: null, limit: String(limit), message };
}

/** Whether a decimal string is at most a limit. */
export function atMost(observed: string, limit: string | number): boolean {
  return new EvidenceDecimal(observed).lessThanOrEqualTo(limit);
}
