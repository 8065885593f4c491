/** What can be verified, by which rules, and with which input, as the API answers it. */
import { z } from "zod";
import { PolicyDefinition } from "../../attestor/policies/policy.ts";
import { Asset } from "../../attestor/registry.ts";
import { Bytes32 } from "../../attestor/values/primitives.ts";
import { VerifyBody } from "./requests.ts";

export const AssetsAnswer = z
  .object({
    registryVersion: z.string(),
    registryHash: Bytes32.describe("keccak256 of the registry's canonical JSON"),
    assets: z.array(Asset),
  })
  .meta({ id: "Assets" });
export type AssetsAnswer = z.infer<typeof AssetsAnswer>;

export const PoliciesAnswer = z
  .object({
    policies: z.array(
      z
        .object({
          policyId: z.string(),
          version: z.int().min(1).describe("Version of the policy, from 1"),
          description: z.string(),
          definition: PolicyDefinition,
          definitionHash: Bytes32.describe("keccak256 of the definition's canonical JSON"),
        })
        .meta({ id: "Policy" }),
    ),
  })
  .meta({ id: "Policies" });
export type PoliciesAnswer = z.infer<typeof PoliciesAnswer>;

/** What GET /a2mcp/verify tells in the free phase. */
export const InputDescription = z
  .object({
    description: z.string(),
    schema: z.record(z.string(), z.unknown()).describe("JSON Schema 2020-12 of the body"),
    example: VerifyBody,
  })
  .meta({ id: "VerifyInput" });
export type InputDescription = z.infer<typeof InputDescription>;
