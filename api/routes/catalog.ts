/** What can be verified, and what a trade can be judged by: under /v1 with a key, under /a2mcp for everybody. */
import type { Registry } from "../../attestor/registry.ts";
import { named } from "../docs/operations.ts";
import { defineRoute, type Route } from "../http/route.ts";
import { AssetsAnswer, PoliciesAnswer } from "../jobs/catalog.ts";
import { assetsAnswer, policiesAnswer } from "../jobs/operations.ts";

const PLACES = [
  { at: "/v1", auth: "key", assets: named("listAssets"), policies: named("listPolicies") },
  { at: "/a2mcp", auth: "public", assets: named("listOpenAssets"), policies: named("listOpenPolicies") },
] as const;

export function catalogRoutes({ registry }: { registry: Registry }): Route[] {
  // They stay the same while this runs.
  const [assets, policies] = [assetsAnswer(registry), policiesAnswer()].map((answer) =>
    Buffer.from(JSON.stringify(answer)),
  );
  return PLACES.flatMap(({ at, auth, ...words }) => [
    defineRoute({
      path: `${at}/assets`,
      ...words.assets,
      tags: ["Verification"],
      auth,
      responses: { 200: { description: "The assets", schema: AssetsAnswer } },
      handle: async () => ({ status: 200, body: assets }),
    }),
    defineRoute({
      path: `${at}/policies`,
      ...words.policies,
      tags: ["Verification"],
      auth,
      responses: { 200: { description: "The policies", schema: PoliciesAnswer } },
      handle: async () => ({ status: 200, body: policies }),
    }),
  ]);
}
