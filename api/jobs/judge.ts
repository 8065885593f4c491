/** From an intent to the facts and the report on it; and which intents can be judged at all. */
import { attest, tradeOf } from "../../attestor/attest.ts";
import { toHex } from "../../attestor/evm/hash.ts";
import type { Intent } from "../../attestor/intent.ts";
import { SALT_LENGTH } from "../../attestor/log/entry.ts";
import { newestPolicies, type Policy, policyById } from "../../attestor/policies/policy.ts";
import { type Asset, findAsset, type Registry } from "../../attestor/registry.ts";
import type { Report } from "../../attestor/report.ts";
import { Problem } from "../http/problems.ts";
import { type JobDeps, seconds } from "./deps.ts";
import type { GatheredFacts } from "./gatheredFacts.ts";

type JudgeableDeps = Pick<JobDeps, "chain" | "policies">;

/**
 * The policy of an intent that this service can judge.
 * @param version the one that the job was created with; without it the one that new jobs are judged by
 * @throws Problem `unsupported_asset`, `unknown_policy`
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
  const policy = known(policies, intent.policyId);
  return version === undefined ? policy : policyById(intent.policyId, version, policies);
}

/**
 * The same for what stands in a question about the price.
 * @throws Problem `unsupported_asset`, `unknown_policy`
 */
export function assertKnown(
  { chain, policies }: JudgeableDeps,
  policyId: string,
  inputAssetKey: string | undefined,
): void {
  known(policies, policyId);
  if (inputAssetKey !== undefined) supported("inputAssetKey", inputAssetKey, chain.deployment.registry);
}

function known(policies: readonly Policy[], policyId: string): Policy {
  const newest = newestPolicies(policies);
  const policy = newest.get(policyId);
  if (policy !== undefined) return policy;
  throw new Problem("unknown_policy", "The policy is unknown; see GET /v1/policies.", {
    errors: [{ path: "policyId", message: `must be one of ${[...newest.keys()].join(", ")}` }],
  });
}

function supported(field: string, assetKey: string, registry: Registry): Asset {
  const asset = findAsset(registry, assetKey);
  if (asset !== undefined) return asset;
  throw new Problem("unsupported_asset", `${field} is not a supported asset; see GET /v1/assets.`, {
    errors: [{ path: field, message: "is not a supported asset" }],
  });
}

/**
 * Everything that the checks may look at, now.
 * @throws UpstreamUnavailable
 */
export function gather(deps: JobDeps, intent: Intent): Promise<GatheredFacts> {
  return deps.tracer.step("gather facts", "inside", {}, () => gathered(deps, intent));
}

async function gathered(deps: JobDeps, intent: Intent): Promise<GatheredFacts> {
  const now = seconds(deps);
  const { stockAssetKey } = tradeOf(intent, deps.chain.deployment.registry);
  const [{ facts, proofs }, liquidity] = await Promise.all([
    deps.chain.facts(intent, now),
    deps.liquidityOf(stockAssetKey, now),
  ]);
  await deps.rawAnswers.ready(facts);
  // The moment of judgement is when the facts are there: reading them takes time too.
  return { facts: { ...facts, liquidity }, proofs, capturedAt: seconds(deps) };
}

/** The report on gathered facts, with the salt that its entry in the decision log is made with. */
export function judge(
  deps: JobDeps,
  job: { id: string; intent: Intent },
  policy: Policy,
  { facts, proofs, capturedAt }: GatheredFacts,
  reportVersion: number,
): Report {
  const { registry } = deps.chain.deployment;
  const report = deps.tracer.moment("judge", { "assay.policy": job.intent.policyId }, () =>
    attest({
      jobId: job.id,
      reportVersion,
      capturedAt,
      intent: job.intent,
      policy,
      registry,
      facts,
      proofs,
      hash: deps.hashText,
    }),
  );
  return { ...report, log: { salt: toHex(deps.random(SALT_LENGTH)), proof: null } };
}
