/** What anybody may read by its hash, for who verifies a trade without being a client: it never changes. */
import { z } from "zod";
import { SampleBatch } from "../../attestor/evidence/samples.ts";
import { PolicyDefinition } from "../../attestor/policies/policy.ts";
import { Registry } from "../../attestor/registry.ts";
import { Bytes32 } from "../../attestor/values/primitives.ts";
import { named } from "../docs/operations.ts";
import { replyWith } from "../http/cacheReply.ts";
import { type AnswerDoc, defineRoute, type Route } from "../http/route.ts";
import { StoredReport } from "../jobs/schemas.ts";
import { type Artifact, type ArtifactDeps, createArtifacts } from "../published/artifacts.ts";

/** Of the general limit per address: one trade takes its evidence and what that names. */
const TIMES_ADDRESS_LIMIT = 6;
/** Content addressed by its hash never changes. */
const IMMUTABLE = "public, max-age=31536000, immutable";
/** Evidence whose proof of the decision log is still to come. */
const UNFINISHED = "public, max-age=2";

const Params = z.object({ hash: Bytes32.describe("Hash by which evidence, or the guard's event, names it") });

export function publishedRoutes(deps: ArtifactDeps): Route[] {
  const artifacts = createArtifacts(deps);
  return [
    published({
      path: "/evidence/:hash",
      ...named("getPublicEvidence"),
      answer: "The report, with its execution",
      schema: StoredReport,
      find: artifacts.evidence,
    }),
    published({
      path: "/registry/:hash",
      ...named("getRegistry"),
      answer: "The registry",
      schema: Registry,
      find: artifacts.registry,
    }),
    published({
      path: "/policies/:hash",
      ...named("getPolicyDefinition"),
      answer: "The definition",
      schema: PolicyDefinition,
      find: artifacts.policy,
    }),
    published({
      path: "/samples/:hash",
      ...named("getLiquiditySamples"),
      answer: "The batch of samples",
      schema: SampleBatch,
      find: artifacts.samples,
    }),
  ];
}

interface Published extends ReturnType<typeof named> {
  readonly path: string;
  /** What the answer is, in words. */
  readonly answer: string;
  readonly schema: z.ZodType;
  readonly find: (hash: string) => Promise<Artifact>;
}

function published({ answer, schema, find, ...words }: Published): Route {
  return defineRoute({
    ...words,
    tags: ["Public artefacts"],
    auth: "public",
    addressLimit: { bucket: "published", times: TIMES_ADDRESS_LIMIT },
    params: Params,
    responses: immutableResponses(answer, schema),
    errors: ["not_found", "unavailable"],
    handle: async ({ params, headers }) => {
      const { finished, isFinal } = await find(params.hash);
      return replyWith(finished, headers, isFinal ? IMMUTABLE : UNFINISHED);
    },
  });
}

function immutableResponses(description: string, schema: z.ZodType): Record<number, AnswerDoc> {
  const headers = {
    ETag: { description: "Send it as If-None-Match" },
    "Cache-Control": {
      description: `\`${IMMUTABLE}\`: it never changes; \`${UNFINISHED}\` for evidence whose \`log.proof\` is still null`,
    },
  };
  return {
    200: { description, schema, headers },
    304: { description: "The client already has this answer", headers },
  };
}
