/**
 * The policies. A definition is data, and its hash is in every report and certificate. A changed limit is thus a
 * changed policy, and everyone can see which one judged a trade. A published version stays known: a job is judged to
 * its end by the version that it was created with.
 */
import * as z from "zod";
import { AttestorError } from "../values/attestorErrors.ts";
import { canonicalHash } from "../values/canonical.ts";
import { Text } from "../values/primitives.ts";
import { CHECK_BOUNDS_3, POLICIES_3 } from "./policies.ts";
import { PolicyDefinition } from "./policyDefinition.ts";

export { GRADES, Grade, MarketSession, SESSIONS } from "../values/market.ts";
export { PolicyDefinition } from "./policyDefinition.ts";

export interface Policy {
  readonly description: string;
  readonly definition: PolicyDefinition;
  /** keccak256 of the definition's canonical JSON. */
  readonly definitionHash: string;
}

/** A policy with its hash. */
export function policyOf(description: string, definition: PolicyDefinition): Policy {
  return Object.freeze({
    description,
    definition: frozen(definition),
    definitionHash: canonicalHash(definition),
  });
}

/** A definition stands for its hash, so nobody may change it in place. */
function frozen<T extends PolicyDefinition>(definition: T): T {
  for (const member of Object.values(definition)) if (typeof member === "object") Object.freeze(member);
  return Object.freeze(definition);
}

/** All published versions, oldest first. */
export const POLICY_VERSIONS: readonly Policy[] = POLICIES_3.map(({ description, rules }, index) => {
  const checks = CHECK_BOUNDS_3.map(({ check }) => check.name);
  const bounds = CHECK_BOUNDS_3.map(({ three }) => three[index] ?? {});
  const definition = { schema: "assay.policy/2", ...together([rules, ...bounds]), checks };
  return policyOf(description, PolicyDefinition.parse(definition));
});

/** Merges the parts into one object; groups of the same name are merged too. */
function together(parts: readonly object[]): Record<string, unknown> {
  const whole: Record<string, unknown> = {};
  for (const [name, value] of parts.flatMap((part) => Object.entries(part)))
    whole[name] = value?.constructor === Object ? { ...(whole[name] as object), ...value } : value;
  return whole;
}

/**
 * Those that new jobs are judged by, by `policyId`: the newest of each.
 * @param versions oldest first
 */
export function newestPolicies(versions: readonly Policy[]): ReadonlyMap<string, Policy> {
  return new Map(versions.map((policy) => [policy.definition.policyId, policy]));
}

export const POLICIES = newestPolicies(POLICY_VERSIONS);

/**
 * One of the published policies.
 * @param version the one that new jobs are judged by without it
 * @param versions oldest first
 * @throws AttestorError `unknown_policy`
 */
export function policyById(policyId: string, version?: number, versions = POLICY_VERSIONS): Policy {
  const found =
    version === undefined
      ? newestPolicies(versions).get(policyId)
      : versions.find(({ definition }) => definition.policyId === policyId && definition.version === version);
  if (found) return found;
  const named = version === undefined ? "" : ` version ${version}`;
  throw new AttestorError("unknown_policy", `no policy is called ${JSON.stringify(policyId)}${named}`);
}

const PolicyEntry = z.union([
  PolicyDefinition.transform((definition) => ({ description: "", definition })),
  z.looseObject({
    description: Text.default(""),
    definition: PolicyDefinition,
    definitionHash: z.string().optional(),
  }),
]);
const PolicyList = z.union([z.array(PolicyEntry), z.looseObject({ policies: z.array(PolicyEntry) })]);

/**
 * Policies from outside: the answer of `GET /v1/policies`, or a list of such policies or of bare definitions.
 * Hashes are worked out here, never taken over.
 * @throws AttestorError `invalid_policy`
 */
export function parsePolicies(value: unknown): Policy[] {
  const parsed = PolicyList.safeParse(value);
  if (!parsed.success)
    throw new AttestorError("invalid_policy", "not a list of policies as GET /v1/policies answers it");
  const entries = Array.isArray(parsed.data) ? parsed.data : parsed.data.policies;
  return entries.map((entry) => {
    const made = policyOf(entry.description, entry.definition);
    const stated = "definitionHash" in entry ? entry.definitionHash : undefined;
    if (stated !== undefined && stated !== made.definitionHash)
      throw new AttestorError(
        "invalid_policy",
        `the definition of ${entry.definition.policyId} hashes to ${made.definitionHash}, not as stated`,
      );
    return made;
  });
}
