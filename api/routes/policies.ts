/** GET /v1/policies: what a trade can be judged by. */
import { z } from "zod";
import { POLICIES, PolicyDefinition } from "../../attestor/policy.ts";
import { Bytes32 } from "../../attestor/primitives.ts";
import { defineRoute, type Route } from "../route.ts";

const PoliciesAnswer = z
  .object({
    policies: z.array(
      z
        .object({
          policyId: z.string(),
          version: z.int().min(1),
          description: z.string(),
          definition: PolicyDefinition,
          definitionHash: Bytes32.meta({ description: "keccak256 of the definition's canonical JSON" }),
        })
        .meta({ id: "Policy" }),
    ),
  })
  .meta({ id: "Policies" });

export function policyRoutes(): Route[] {
  const answer: z.infer<typeof PoliciesAnswer> = {
    policies: [...POLICIES.values()].map(({ description, definition, definitionHash }) => ({
      policyId: definition.policyId,
      version: definition.version,
      description,
      definition,
      definitionHash,
    })),
  };
  return [
    defineRoute({
      method: "get",
      path: "/v1/policies",
      operationId: "listPolicies",
      summary: "The policies, with their definition hashes",
      tags: ["Verification"],
      auth: "key",
      responses: { 200: { description: "The policies", schema: PoliciesAnswer } },
      errors: [],
      handle: async () => ({ status: 200, body: answer }),
    }),
  ];
}
