/** The form of a check: `defineCheck` puts all that decides in one place. */
import * as z from "zod";
import type { Evidence, ReadingRules } from "../evidence/evidence.ts";
import type { PublisherKeys } from "../publishers/publisherKeys.ts";
import { EvidenceDecimal } from "../values/decimal.ts";
import type { Measure } from "./measure.ts";

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

/** The rules of every policy, which each check may use. */
export interface CommonRules extends ReadingRules {
  readonly reference: ReadingRules["reference"] & { readonly minSources: number };
  readonly certificateLifetimeSeconds: number;
}

/** Members of a policy's definition, on its top or in a group. */
export interface BoundShape {
  readonly [member: string]: z.ZodType | { readonly [member: string]: z.ZodType };
}

/** What the policy says of a bound. */
export type RulesOf<Bound> = {
  -readonly [Member in keyof Bound]: Bound[Member] extends z.ZodType
    ? z.infer<Bound[Member]>
    : RulesOf<Bound[Member]>;
};

export interface Check<Name extends string = string, Bound extends BoundShape = BoundShape> {
  readonly name: Name;
  /** What policies say of it, each member with its unit. */
  readonly bound: Bound;
  readonly measure: Measure;
  /**
   * Looks at nothing but the policy and the evidence.
   * @param keys of publishers that the reader knows, against which signatures are held
   */
  judge(policy: CommonRules & RulesOf<Bound>, evidence: Evidence, keys: PublisherKeys): Judged;
}

export function defineCheck<const Name extends string, const Bound extends BoundShape>(
  check: Check<Name, Bound>,
): Check<Name, Bound> {
  return check;
}

export const bpsBound = z.int().min(0).max(10_000);

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
