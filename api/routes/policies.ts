/** GET /v1/policies: what a trade can be judged by. */

import { defineRoute, type Route } from "../http/route.ts";
import { PoliciesAnswer } from "../jobs/catalog.ts";
import { policiesAnswer } from "../jobs/operations.ts";

export function policyRoutes(): Route[] {
  const answer = policiesAnswer();
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
