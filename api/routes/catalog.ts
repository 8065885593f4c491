/** GET /v1/assets and /v1/policies: what can be verified, and what a trade can be judged by. */
import type { Registry } from "../../attestor/registry.ts";
import { named } from "../docs/operations.ts";
import { defineRoute, type Route } from "../http/route.ts";
import { AssetsAnswer, PoliciesAnswer } from "../jobs/catalog.ts";
import { assetsAnswer, policiesAnswer } from "../jobs/operations.ts";

export function catalogRoutes({ registry }: { registry: Registry }): Route[] {
  const [assets, policies] = [assetsAnswer(registry), policiesAnswer()];
  return [
    defineRoute({
      path: "/v1/assets",
      ...named("listAssets"),
      tags: ["Verification"],
      auth: "key",
      responses: { 200: { description: "The assets", schema: AssetsAnswer } },
      handle: async () => ({ status: 200, body: assets }),
    }),
    defineRoute({
      path: "/v1/policies",
      ...named("listPolicies"),
      tags: ["Verification"],
      auth: "key",
      responses: { 200: { description: "The policies", schema: PoliciesAnswer } },
      handle: async () => ({ status: 200, body: policies }),
    }),
  ];
}
