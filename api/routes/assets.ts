/** GET /v1/assets: what can be verified. */
import type { Registry } from "../../attestor/registry.ts";
import { defineRoute, type Route } from "../http/route.ts";
import { AssetsAnswer } from "../jobs/catalog.ts";
import { assetsAnswer } from "../jobs/operations.ts";

export function assetRoutes({ registry }: { registry: Registry }): Route[] {
  const answer = assetsAnswer(registry);
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
      handle: async () => ({ status: 200, body: answer }),
    }),
  ];
}
