/**
 * The policies. A definition is data, and its hash is in every report and certificate. A changed limit is thus a
 * changed policy, and everyone can see which one judged a trade. A published version stays known: a job is judged to
 * its end by the version that it was created with.
 */
import * as z from "zod";
import { AttestorError } from "../values/attestorErrors.ts";
import { canonicalHash } from "../values/canonical.ts";
import { Grade, MarketSession } from "../values/market.ts";
import { PolicyId, Text, UnsignedDecimal } from "../values/primitives.ts";
import EXTENDED_HOURS from "./extendedHours.json" with { type: "json" };
import LAST_CLOSE from "./lastClose.json" with { type: "json" };
import STRICT_LIVE from "./strictLive.json" with { type: "json" };

export { GRADES, Grade, MarketSession, SESSIONS } from "../values/market.ts";

const Bps = z.int().min(0).max(10_000);

/** What a policy demands. Every check is made under every policy. */
export const PolicyDefinition = z
  .strictObject({
    schema: z.literal("assay.policy/2"),
    policyId: PolicyId,
    version: z.int().min(1).describe("Version of the policy, from 1"),
    reference: z.strictObject({
      kind: z
        .enum(["live", "close"])
        .describe("`live`: the running price of the stock; `close`: its last official close"),
      minSources: z.int().min(1).describe("How many sources must state a reference price"),
      // LAST_CLOSE allows five days: a long weekend lies between two closes.
      maxAgeSeconds: z.int().min(1).describe("The greatest age of a reference price, seconds"),
      maxDisagreementBps: Bps.describe(
        "How far the counted prices may lie apart, basis points of the lowest",
      ),
      maxConfidenceBps: Bps.describe(
        "The widest confidence interval that a source may state, basis points of its price",
      ),
    }),
    settlement: z.strictObject({
      // Chainlink's feeds of dollar tokens write when the price moved, and else once a day: a limit below a day and
      // an hour would deny a dollar because it stands still.
      maxAgeSeconds: z.int().min(1).describe("The greatest age of a price of the settlement token, seconds"),
      minSources: z.int().min(1).describe("How many sources must state a price of the settlement token"),
      maxDeviationBps: Bps.describe(
        "How far any fresh source's price may be from one US dollar, either way, basis points",
      ),
    }),
    allowedSessions: z
      .array(MarketSession)
      .min(1)
      .describe("Sessions of the stock market in which it allows a trade"),
    corporateAction: z.strictObject({
      // LAST_CLOSE has a day: a close may be of before a change, and the token's price of after it.
      marginSeconds: z
        .int()
        .min(0)
        .describe("How long before and after a change of the shares per token no trade is allowed, seconds"),
      announcementNeeded: z
        .boolean()
        .describe("Whether it denies a token of which no source says what changes are announced"),
    }),
    maxAdversePremiumBps: Bps.describe(
      "How far the token may stand from the stock to the trader's disadvantage, basis points",
    ),
    maxImpactBps: Bps.describe("How much worse this size may be than a tiny one, basis points"),
    maxSlippageBps: Bps.describe("The greatest slippage that an intent may accept, basis points"),
    notionalCapUsd: UnsignedDecimal.describe("The greatest value of a trade, US dollars"),
    lowestGrade: Grade.describe("The lowest liquidity grade that it allows"),
    minLiquiditySamples: z.int().min(0).describe("Samples of the last seven days that a token needs"),
    maxQuoteAgeSeconds: z
      .int()
      .min(1)
      .describe("The most seconds between the block that was quoted and the moment of judgement, either way"),
    certificateLifetimeSeconds: z.int().min(1).max(300).describe("How long a certificate holds, seconds"),
    evidence: z.strictObject({
      minSignedReferences: z
        .int()
        .min(0)
        .max(32)
        .describe("Of the reference prices that count, how many must carry their publisher's signatures"),
      maxFailedSources: z
        .int()
        .min(0)
        .max(64)
        .describe("Of the listed sources, how many may state nothing of what they are asked for"),
      quoteProof: z
        .enum(["required", "preferred", "optional"])
        .describe(
          "`required`: it denies a quote without proofs of its pools' state. `preferred`: a report without proofs passes, and one that names proofs must have them. `optional`: the named proofs may be missing",
        ),
    }),
  })
  .meta({ id: "PolicyDefinition" });
export type PolicyDefinition = z.infer<typeof PolicyDefinition>;

export interface Policy {
  readonly description: string;
  readonly definition: PolicyDefinition;
  /** keccak256 of the definition's canonical JSON. */
  readonly definitionHash: string;
}

/** A policy with its hash. */
export function policyOf(description: string, definition: PolicyDefinition): Policy {
  return Object.freeze({
    description,
    definition: frozen(definition),
    definitionHash: canonicalHash(definition),
  });
}

/** A definition stands for its hash, so nobody may change it in place. */
function frozen<T extends PolicyDefinition>(definition: T): T {
  for (const member of Object.values(definition)) if (typeof member === "object") Object.freeze(member);
  return Object.freeze(definition);
}

/** All published versions, oldest first. */
export const POLICY_VERSIONS: readonly Policy[] = [STRICT_LIVE, EXTENDED_HOURS, LAST_CLOSE].map(
  ({ description, definition }) => policyOf(description, PolicyDefinition.parse(definition)),
);

/**
 * Those that new jobs are judged by, by `policyId`: the newest of each.
 * @param versions oldest first
 */
export function newestPolicies(versions: readonly Policy[]): ReadonlyMap<string, Policy> {
  return new Map(versions.map((policy) => [policy.definition.policyId, policy]));
}

export const POLICIES = newestPolicies(POLICY_VERSIONS);

/**
 * One of the published policies.
 * @param version the one that new jobs are judged by without it
 * @param versions oldest first
 * @throws AttestorError `unknown_policy`
 */
export function policyById(policyId: string, version?: number, versions = POLICY_VERSIONS): Policy {
  const found =
    version === undefined
      ? newestPolicies(versions).get(policyId)
      : versions.find(({ definition }) => definition.policyId === policyId && definition.version === version);
  if (found) return found;
  const named = version === undefined ? "" : ` version ${version}`;
  throw new AttestorError("unknown_policy", `no policy is called ${JSON.stringify(policyId)}${named}`);
}

const PolicyEntry = z.union([
  PolicyDefinition.transform((definition) => ({ description: "", definition })),
  z.looseObject({
    description: Text.default(""),
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
    const made = policyOf(entry.description, entry.definition);
    const stated = "definitionHash" in entry ? entry.definitionHash : undefined;
    if (stated !== undefined && stated !== made.definitionHash)
      throw new AttestorError(
        "invalid_policy",
        `the definition of ${entry.definition.policyId} hashes to ${made.definitionHash}, not as stated`,
      );
    return made;
  });
}
