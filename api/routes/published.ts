/** What anybody may read by its hash, for who verifies a trade without being a client: it never changes. */
import { z } from "zod";
import { SampleBatch } from "../../attestor/evidence/samples.ts";
import { PolicyDefinition } from "../../attestor/policies/policy.ts";
import { Registry } from "../../attestor/registry.ts";
import { Bytes32 } from "../../attestor/values/primitives.ts";
import { replyWith } from "../http/cache.ts";
import type { AnswerDoc } from "../http/route.ts";
import { StoredReport } from "../jobs/schemas.ts";
import { createArtifacts } from "../published/artifacts.ts";
import { once, route } from "../route.ts";

/** Of the general limit per address: one trade takes its evidence and what that names. */
const TIMES_ADDRESS_LIMIT = 6;
/** Content addressed by its hash never changes. */
const IMMUTABLE = "public, max-age=31536000, immutable";
/** Evidence whose proof of the decision log is still to come. */
const UNFINISHED = "public, max-age=2";

const Params = z.object({ hash: Bytes32.describe("Hash by which evidence, or the guard's event, names it") });

const artifacts = once((service) =>
  createArtifacts({ ...service, publicEvidence: service.config.publicEvidence }),
);
type Artifacts = ReturnType<typeof createArtifacts>;

export const publishedRoutes = [
  published({
    path: "/evidence/:hash",
    operationId: "getPublicEvidence",
    summary: "The evidence of an executed trade, by the hash in the guard's event",
    description:
      "Report, trade intent and certificate of a trade that the guard executed, once its block is final: the document that `assay verify` reads. `log.proof` leads from the report to a checkpoint that the decision log signed. Any other hash is 404, and so is every hash where the operator publishes no evidence.",
    answer: "The report, with its execution",
    schema: StoredReport,
    find: "evidence",
  }),
  published({
    path: "/registry/:hash",
    operationId: "getRegistry",
    summary: "A registry that evidence names, by its hash",
    description:
      "The body is the canonical JSON itself: keccak256 of its bytes is the hash. Every version that this service ever used to judge is there.",
    answer: "The registry",
    schema: Registry,
    find: "registry",
  }),
  published({
    path: "/policies/:hash",
    operationId: "getPolicyDefinition",
    summary: "A policy definition that evidence names, by its hash",
    description:
      "The body is the canonical JSON itself: keccak256 of its bytes is the definition hash. Every version that was ever published is there.",
    answer: "The definition",
    schema: PolicyDefinition,
    find: "policy",
  }),
  published({
    path: "/samples/:hash",
    operationId: "getLiquiditySamples",
    summary: "The samples behind a liquidity grade, by the root that evidence names",
    description:
      "The body is the canonical JSON itself: keccak256 of its bytes is `liquidity.samplesRoot`, and medians and grade of the evidence follow from it. A batch is kept as long as a report that rests on it.",
    answer: "The batch of samples",
    schema: SampleBatch,
    find: "samples",
  }),
];

interface Published {
  readonly path: string;
  readonly operationId: string;
  readonly summary: string;
  readonly description: string;
  /** What the answer is, in words. */
  readonly answer: string;
  readonly schema: z.ZodType;
  readonly find: keyof Artifacts;
}

function published({ answer, schema, find, ...words }: Published) {
  return route({
    ...words,
    tags: ["Public artefacts"],
    auth: "public",
    addressLimit: { bucket: "published", times: TIMES_ADDRESS_LIMIT },
    params: Params,
    responses: immutableResponses(answer, schema),
    errors: ["not_found", "unavailable"],
    handle: async ({ params, headers }, service) => {
      const { finished, isFinal } = await artifacts(service)[find](params.hash);
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
