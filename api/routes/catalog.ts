/** GET /v1/assets and /v1/policies: what can be verified, and what a trade can be judged by. */
import type { Registry } from "../../attestor/registry.ts";
import { defineRoute, type Route } from "../http/route.ts";
import { AssetsAnswer, PoliciesAnswer } from "../jobs/catalog.ts";
import { assetsAnswer, policiesAnswer } from "../jobs/operations.ts";

export function catalogRoutes({ registry }: { registry: Registry }): Route[] {
  const [assets, policies] = [assetsAnswer(registry), policiesAnswer()];
  return [
    defineRoute({
      method: "get",
      path: "/v1/assets",
      operationId: "listAssets",
      summary: "Supported assets, with version and hash of the registry",
      tags: ["Verification"],
      auth: "key",
      responses: { 200: { description: "The assets", schema: AssetsAnswer } },
      errors: [],
      handle: async () => ({ status: 200, body: assets }),
    }),
    defineRoute({
      method: "get",
      path: "/v1/policies",
      operationId: "listPolicies",
      summary: "The policies, with their definition hashes",
      tags: ["Verification"],
      auth: "key",
      responses: { 200: { description: "The policies", schema: PoliciesAnswer } },
      errors: [],
      handle: async () => ({ status: 200, body: policies }),
    }),
  ];
}
