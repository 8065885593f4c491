/** What can be traded, and what a trade can be judged by. */
import { z } from "zod";
import type { Asset } from "../../attestor/registry.ts";
import { Text } from "../../attestor/values/primitives.ts";
import { policiesAnswer } from "../jobs/operations.ts";
import { ToolFailure } from "./failure.ts";
import { MAX_NAME_LENGTH, next } from "./inputs.ts";
import { POLICIES_LINK } from "./resources.ts";
import { always, defineTool, READING } from "./tool.ts";

/** How many assets one answer lists; the rest is found by a query, or in the resource. */
const LISTED = 10;

export const AssetList = z.object({
  assets: z.array(
    z.object({
      symbol: z.string(),
      assetKey: z.string(),
      kind: z.enum(["stock", "settlement"]),
      underlying: z.string().nullable(),
      decimals: z.number(),
    }),
  ),
  next,
});

/** @param query part of a symbol, ticker or name; all without it, tokens that trades are paid in first */
export function assetList(assets: readonly Asset[], query = ""): z.infer<typeof AssetList> {
  const part = query.toLowerCase();
  const found = assets
    .filter(({ symbol, underlying, name }) =>
      [symbol, underlying ?? "", name].some((text) => text.toLowerCase().includes(part)),
    )
    .sort((one, other) => Number(one.kind === "stock") - Number(other.kind === "stock"));
  return { assets: found.slice(0, LISTED), next: afterList(found.length) };
}

function afterList(count: number): string {
  if (count === 0) return "No asset matches: ask for another part, or without query.";
  const rest = count > LISTED ? `${count - LISTED} more: narrow by query. ` : "";
  return `${rest}Choose an input and an output. Next: get_verification_policy, or prepare_verification.`;
}

export const listSupportedAssets = defineTool({
  name: "list_supported_assets",
  title: "List supported assets",
  description:
    "Lists the tokenized stocks and settlement tokens that can be traded under verification. Call it to find symbols: every tool takes a symbol or an asset key. The resource assay://assets has the whole registry. Next: get_verification_policy.",
  hints: always(READING),
  isConstant: true,
  input: z.strictObject({
    query: Text.min(1)
      .max(MAX_NAME_LENGTH)
      .optional()
      .describe("Part of a symbol, ticker or name, such as AAPL or Apple"),
  }),
  output: AssetList,
  run: async ({ query }, { service }) => ({
    content: assetList(service.deployment.registry.assets, query),
  }),
});

const bps = z.number();

export const getVerificationPolicy = defineTool({
  name: "get_verification_policy",
  title: "Get verification policies",
  description:
    "Shows the policies that a trade can be judged by, with the limits that most often decide; the resource assay://policies has all of each. STRICT_LIVE is the strictest and the usual choice in regular trading hours. Next: prepare_verification.",
  hints: always(READING),
  isConstant: true,
  input: z.strictObject({
    policyId: Text.min(1).max(64).optional().describe("Only this policy"),
  }),
  output: z.object({
    policies: z.array(
      z.object({
        policyId: z.string(),
        sessions: z.array(z.string()),
        reference: z.string(),
        maxReferenceAgeSeconds: z.number(),
        maxPremiumBps: bps,
        maxImpactBps: bps,
        maxSlippageBps: bps,
        maxNotionalUsd: z.string(),
      }),
    ),
    next,
  }),
  async run({ policyId }) {
    const { policies } = policiesAnswer();
    const chosen = policies.filter((policy) => policyId === undefined || policy.policyId === policyId);
    if (chosen.length === 0)
      throw new ToolFailure({ code: "unknown_policy", detail: "There is no policy with that name." });
    const content = {
      policies: chosen.map(({ policyId: name, definition }) => ({
        policyId: name,
        sessions: definition.allowedSessions,
        reference: definition.reference.kind,
        maxReferenceAgeSeconds: definition.reference.maxAgeSeconds,
        maxPremiumBps: definition.maxAdversePremiumBps,
        maxImpactBps: definition.maxImpactBps,
        maxSlippageBps: definition.maxSlippageBps,
        maxNotionalUsd: definition.notionalCapUsd,
      })),
      next: "Choose a policyId. Next: prepare_verification.",
    };
    return { content, links: [POLICIES_LINK] };
  },
});
