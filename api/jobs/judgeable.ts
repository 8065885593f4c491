/** Which intents this service can judge, and by which policy. */
import type { Intent } from "../../attestor/intent.ts";
import { newestPolicies, type Policy, policyById } from "../../attestor/policies/policy.ts";
import { widerLimits } from "../../attestor/policies/tighten.ts";
import { type Asset, findAsset, type Registry } from "../../attestor/registry.ts";
import { Problem } from "../http/problems.ts";
import type { JobDeps } from "./deps.ts";

type JudgeableDeps = Pick<JobDeps, "chain" | "policies">;

/**
 * The policy of an intent that this service can judge.
 * @param version the one that the job was created with; without it the one that new jobs are judged by
 * @throws Problem `unsupported_asset`, `unknown_policy`, `limit_too_wide`
 */
export function judgeable({ chain, policies }: JudgeableDeps, intent: Intent, version?: number): Policy {
  const { registry } = chain.deployment;
  const kinds = (["inputAssetKey", "outputAssetKey"] as const).map(
    (field) => supported(field, intent[field], registry).kind,
  );
  if (kinds[0] === kinds[1])
    throw new Problem("unsupported_asset", "A trade is one stock against one settlement token.", {
      errors: [{ path: "outputAssetKey", message: `is a ${kinds[1]} token, like the input` }],
    });
  const newest = requiredPolicy(policies, intent.policyId);
  const policy = version === undefined ? newest : policyById(intent.policyId, version, policies);
  assertWithin(policy, intent.limits);
  return policy;
}

function assertWithin({ definition }: Policy, limits: Intent["limits"]): void {
  const { policyId } = definition;
  const wider = widerLimits(definition, limits);
  if (wider.length === 0) return;
  throw new Problem("limit_too_wide", `A limit is wider than the policy ${policyId} allows; see errors.`, {
    errors: wider.map(({ name, bound }) => ({
      path: `limits.${name}`,
      message: `must be at most ${bound}, the bound of ${policyId}`,
    })),
    members: { policyId, bounds: Object.fromEntries(wider.map(({ name, bound }) => [name, bound])) },
  });
}

/** The same for a price request. @throws Problem `unknown_policy` */
export function assertKnown({ policies }: Pick<JudgeableDeps, "policies">, policyId: string): void {
  requiredPolicy(policies, policyId);
}

function requiredPolicy(policies: readonly Policy[], policyId: string): Policy {
  const newest = newestPolicies(policies);
  const policy = newest.get(policyId);
  if (policy !== undefined) return policy;
  throw new Problem("unknown_policy", "The policy is unknown; see GET /a2mcp/policies.", {
    errors: [{ path: "policyId", message: `must be one of ${[...newest.keys()].join(", ")}` }],
  });
}

function supported(field: string, assetKey: string, registry: Registry): Asset {
  const asset = findAsset(registry, assetKey);
  if (asset !== undefined) return asset;
  throw new Problem("unsupported_asset", `${field} is not a supported asset; see GET /a2mcp/assets.`, {
    errors: [{ path: field, message: "is not a supported asset" }],
  });
}
