/** What a policy says: a few rules of its own, and the bound of every check, which stands with the check. */
import * as z from "zod";
import type { BoundShape, Check, Judged, RulesOf } from "../checks/check.ts";
import { LIMIT_CHECKS } from "../checks/limits.ts";
import type { Evidence } from "../evidence/evidence.ts";
import type { Intent } from "../intent.ts";
import type { PublisherKeys } from "../publishers/publisherKeys.ts";
import { Text } from "../values/primitives.ts";
import { CHECK_BOUNDS_3 } from "./policies.ts";

/** Every check that policies can name, in the order of the report. */
export const CHECKS = CHECK_BOUNDS_3.map(({ check }) => check);
export type CheckName = (typeof CHECKS)[number]["name"];
export const CHECK_NAMES: readonly CheckName[] = CHECKS.map(({ name }) => name);

/** What a check of a limit that an intent names is called. No policy can name it. */
export type LimitName = (typeof LIMIT_CHECKS)[number]["name"];
export const LIMIT_NAMES: readonly LimitName[] = LIMIT_CHECKS.map(({ name }) => name);

/** A check as one of all that judge by a whole policy. */
export type PolicyCheck = Omit<Check<CheckName | LimitName>, "judge"> & {
  judge(policy: PolicyDefinition, evidence: Evidence, keys: PublisherKeys): Judged;
};

const BY_NAME = new Map<string, PolicyCheck>(
  [...CHECKS, ...LIMIT_CHECKS].map((check): [string, PolicyCheck] => [check.name, check]),
);

/** All checks of an intent under a policy, in the order of the report: the policy's, then those of the intent's limits. */
export function checksOf({ checks }: Pick<PolicyDefinition, "checks">, { limits }: Intent): PolicyCheck[] {
  const ofLimits = LIMIT_CHECKS.filter(({ of }) => limits?.[of] !== undefined);
  return [...checks.map((name) => checkNamed(name)), ...ofLimits];
}

/** @returns undefined for a name that this program does not know */
export function checkNamed(name: CheckName): PolicyCheck;
export function checkNamed(name: string): PolicyCheck | undefined;
export function checkNamed(name: string): PolicyCheck | undefined {
  return BY_NAME.get(name);
}

const ownRules = {
  schema: z.literal("assay.policy/2"),
  policyId: Text.min(1).max(40),
  version: z.int().min(1).describe("Version of the policy, from 1"),
  /** What is checked, in the order of the report. A check that is not named here is not made. */
  checks: z
    .array(z.enum(CHECK_NAMES))
    .min(1)
    .refine((names) => new Set(names).size === names.length, "names a check twice"),
  reference: {
    /** `live`: the running price; `close`: the last official close. */
    kind: z.enum(["live", "close"]),
  },
  certificateLifetimeSeconds: z.int().min(1).max(300).describe("How long a certificate holds, seconds"),
};

type Together<Each> = (Each extends unknown ? (each: Each) => void : never) extends (all: infer All) => void
  ? All
  : never;

export type PolicyDefinition = RulesOf<typeof ownRules> & Together<RulesOf<(typeof CHECKS)[number]["bound"]>>;

export const PolicyDefinition = objectOf([ownRules, ...CHECKS.map(({ bound }) => bound)]).meta({
  id: "PolicyDefinition",
}) as unknown as z.ZodType<PolicyDefinition, PolicyDefinition>;

/** Merges the shapes into one object; groups of the same name are merged too. */
function objectOf(shapes: readonly BoundShape[]) {
  const members: Record<string, z.ZodType> = {};
  const groups: Record<string, Record<string, z.ZodType>> = {};
  for (const [name, member] of shapes.flatMap((shape) => Object.entries(shape)))
    if (member instanceof z.ZodType) members[name] = member;
    else groups[name] = { ...groups[name], ...member };
  for (const [name, group] of Object.entries(groups)) members[name] = z.strictObject(group);
  return z.strictObject(members);
}
