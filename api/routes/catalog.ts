/** What can be verified, and what a trade can be judged by: under /v1 with a key, under /a2mcp for everybody. */
import { AssetsAnswer, PoliciesAnswer } from "../jobs/catalog.ts";
import { assetsAnswer, policiesAnswer } from "../jobs/operations.ts";
import { once, route } from "../route.ts";

const bytesOf = (answer: object) => Buffer.from(JSON.stringify(answer));
const assets = once(({ deployment }) => bytesOf(assetsAnswer(deployment.registry)));
const policies = once(() => bytesOf(policiesAnswer()));

const listing = {
  tags: ["Verification"],
  responses: { 200: { description: "The assets", schema: AssetsAnswer } },
} as const;
const describing = {
  tags: ["Verification"],
  responses: { 200: { description: "The policies", schema: PoliciesAnswer } },
} as const;

export const catalogRoutes = [
  route({
    ...listing,
    path: "/v1/assets",
    operationId: "listAssets",
    summary: "Supported assets, with version and hash of the registry",
    description:
      "The keys that trades name their tokens by, with decimals and the sources of prices and token facts. The hash is the one that evidence names.",
    auth: "key",
    handle: async (_call, service) => ({ status: 200, body: assets(service) }),
  }),
  route({
    ...describing,
    path: "/v1/policies",
    operationId: "listPolicies",
    summary: "The policies, with their definition hashes",
    description: "Each policy's definition is what reports are judged by; evidence names it by its hash.",
    auth: "key",
    handle: async (_call, service) => ({ status: 200, body: policies(service) }),
  }),
  route({
    ...listing,
    path: "/a2mcp/assets",
    operationId: "listOpenAssets",
    summary: "Supported assets, for callers without a key",
    description: "The answer of GET /v1/assets.",
    auth: "public",
    handle: async (_call, service) => ({ status: 200, body: assets(service) }),
  }),
  route({
    ...describing,
    path: "/a2mcp/policies",
    operationId: "listOpenPolicies",
    summary: "The policies, for callers without a key",
    description: "The answer of GET /v1/policies.",
    auth: "public",
    handle: async (_call, service) => ({ status: 200, body: policies(service) }),
  }),
];
