/**
 * The three policies. A definition is data: its hash stands in every report and certificate, so a
 * changed limit is a changed policy, and everyone can see which one a trade was judged by.
 */
import { z } from "zod";
import { canonicalHash } from "./canonical.ts";
import { AttestorError } from "./errors.ts";
import { UnsignedDecimal } from "./primitives.ts";

/** When US stocks trade, in the order of a day. */
export const SESSIONS = ["overnight", "pre-market", "regular", "post-market", "closed"] as const;
export const MarketSession = z.enum(SESSIONS);
export type MarketSession = z.infer<typeof MarketSession>;

/** Liquidity grades, best first. */
export const GRADES = ["A", "B", "C", "D"] as const;
export const Grade = z.enum(GRADES);
export type Grade = z.infer<typeof Grade>;

const bps = z.int().min(0).max(10_000);

export const PolicyDefinition = z
  .strictObject({
    schema: z.literal("assay.policy/1"),
    policyId: z.string().min(1).max(40),
    version: z.int().min(1),
    /** Sessions of the stock market in which the trade may be judged. */
    allowedSessions: z.array(MarketSession).min(1),
    reference: z.strictObject({
      /** `live`: the running price; `close`: the last official close. */
      kind: z.enum(["live", "close"]),
      maxAgeSeconds: z.int().min(1),
      minSources: z.int().min(1),
      maxDisagreementBps: bps,
      /** A source's own confidence interval relative to its price. */
      maxConfidenceBps: bps,
    }),
    /** How far the token may stand from the stock to the trader's disadvantage. */
    maxAdversePremiumBps: bps,
    /** How much worse this size may be than a tiny one. */
    maxImpactBps: bps,
    maxSlippageBps: bps,
    lowestGrade: Grade,
    minLiquiditySamples: z.int().min(0),
    /** Between the block that was quoted and the moment of judgement. */
    maxQuoteAgeSeconds: z.int().min(1),
    notionalCapUsd: UnsignedDecimal,
    certificateLifetimeSeconds: z.int().min(1).max(300),
  })
  .meta({ id: "PolicyDefinition" });
export type PolicyDefinition = z.infer<typeof PolicyDefinition>;

export interface Policy {
  readonly description: string;
  readonly definition: PolicyDefinition;
  /** keccak256 of the definition's canonical JSON. */
  readonly definitionHash: string;
}

function policy(description: string, definition: PolicyDefinition): Policy {
  return Object.freeze({
    description,
    definition: frozen(definition),
    definitionHash: canonicalHash(definition),
  });
}

/** A definition stands for its hash, so nobody may change it in place. */
function frozen(definition: PolicyDefinition): PolicyDefinition {
  Object.freeze(definition.reference);
  Object.freeze(definition.allowedSessions);
  return Object.freeze(definition);
}

/** By `policyId`. */
export const POLICIES: ReadonlyMap<string, Policy> = new Map(
  [
    policy(
      "Regular session only, against at least two fresh reference prices that agree, with a tight premium and impact.",
      {
        schema: "assay.policy/1",
        policyId: "STRICT_LIVE",
        version: 1,
        allowedSessions: ["regular"],
        reference: {
          kind: "live",
          maxAgeSeconds: 60,
          minSources: 2,
          maxDisagreementBps: 50,
          maxConfidenceBps: 50,
        },
        maxAdversePremiumBps: 100,
        maxImpactBps: 50,
        maxSlippageBps: 100,
        lowestGrade: "B",
        minLiquiditySamples: 3,
        maxQuoteAgeSeconds: 60,
        notionalCapUsd: "50000",
        certificateLifetimeSeconds: 120,
      },
    ),
    policy(
      "Pre-market, regular and post-market sessions, against one fresh reference price, with wider bands and half the size.",
      {
        schema: "assay.policy/1",
        policyId: "EXTENDED_HOURS",
        version: 1,
        allowedSessions: ["pre-market", "regular", "post-market"],
        reference: {
          kind: "live",
          maxAgeSeconds: 300,
          minSources: 1,
          maxDisagreementBps: 100,
          maxConfidenceBps: 100,
        },
        maxAdversePremiumBps: 200,
        maxImpactBps: 100,
        maxSlippageBps: 200,
        lowestGrade: "C",
        minLiquiditySamples: 3,
        maxQuoteAgeSeconds: 60,
        notionalCapUsd: "25000",
        certificateLifetimeSeconds: 180,
      },
    ),
    policy(
      "Any time, judged against the last official close, for small sizes only and with the widest bands.",
      {
        schema: "assay.policy/1",
        policyId: "LAST_CLOSE",
        version: 1,
        allowedSessions: ["overnight", "pre-market", "regular", "post-market", "closed"],
        // Five days: a long weekend lies between two closes.
        reference: {
          kind: "close",
          maxAgeSeconds: 432_000,
          minSources: 1,
          maxDisagreementBps: 100,
          maxConfidenceBps: 100,
        },
        maxAdversePremiumBps: 500,
        maxImpactBps: 150,
        maxSlippageBps: 300,
        lowestGrade: "C",
        minLiquiditySamples: 3,
        maxQuoteAgeSeconds: 60,
        notionalCapUsd: "5000",
        certificateLifetimeSeconds: 300,
      },
    ),
  ].map((entry) => [entry.definition.policyId, entry]),
);

/**
 * The built-in policy of that id.
 * @throws AttestorError `unknown_policy`
 */
export function policyById(policyId: string): Policy {
  const found = POLICIES.get(policyId);
  if (!found) throw new AttestorError("unknown_policy", `no policy is called ${JSON.stringify(policyId)}`);
  return found;
}

const PolicyEntry = z.union([
  PolicyDefinition.transform((definition) => ({ description: "", definition })),
  z.looseObject({
    description: z.string().default(""),
    definition: PolicyDefinition,
    definitionHash: z.string().optional(),
  }),
]);
const PolicyList = z.union([z.array(PolicyEntry), z.looseObject({ policies: z.array(PolicyEntry) })]);

/**
 * Policies from outside: the answer of `GET /v1/policies`, or a list of such policies or of bare definitions.
 * Hashes are worked out here, never taken over.
 * @throws AttestorError `invalid_policy`
 */
export function parsePolicies(value: unknown): Policy[] {
  const parsed = PolicyList.safeParse(value);
  if (!parsed.success)
    throw new AttestorError("invalid_policy", "not a list of policies as GET /v1/policies answers it");
  const entries = Array.isArray(parsed.data) ? parsed.data : parsed.data.policies;
  return entries.map((entry) => {
    const made = policy(entry.description, entry.definition);
    const stated = "definitionHash" in entry ? entry.definitionHash : undefined;
    if (stated !== undefined && stated !== made.definitionHash)
      throw new AttestorError(
        "invalid_policy",
        `the definition of ${entry.definition.policyId} hashes to ${made.definitionHash}, not as stated`,
      );
    return made;
  });
}
