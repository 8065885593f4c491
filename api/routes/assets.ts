/** GET /v1/assets: what can be verified. */
import { z } from "zod";
import { Bytes32 } from "../../attestor/primitives.ts";
import { Asset, type Registry, registryHash } from "../../attestor/registry.ts";
import { defineRoute, type Route } from "../route.ts";

const AssetsAnswer = z
  .object({
    registryVersion: z.string(),
    registryHash: Bytes32.meta({ description: "keccak256 of the registry's canonical JSON" }),
    assets: z.array(Asset),
  })
  .meta({ id: "Assets" });

export function assetRoutes({ registry }: { registry: Registry }): Route[] {
  const answer: z.infer<typeof AssetsAnswer> = {
    registryVersion: registry.version,
    registryHash: registryHash(registry),
    assets: registry.assets,
  };
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
