/** What a policy says, schema by schema. */
import * as z from "zod";
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

const ReferenceRules = z.strictObject({
  /** `live`: the running price; `close`: the last official close. */
  kind: z.enum(["live", "close"]),
  maxAgeSeconds: z.int().min(1),
  minSources: z.int().min(1),
  maxDisagreementBps: bps,
  /** A source's own confidence interval relative to its price. */
  maxConfidenceBps: bps,
});
export type ReferenceRules = z.infer<typeof ReferenceRules>;

const rules = {
  policyId: z.string().min(1).max(40),
  version: z.int().min(1),
  /** Sessions of the stock market in which the trade may be judged. */
  allowedSessions: z.array(MarketSession).min(1),
  reference: ReferenceRules,
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
};

/** Frozen, as `assay.evidence/1` is, which it judges by the list of checks of that schema. */
export const PolicyDefinition1 = z
  .strictObject({ schema: z.literal("assay.policy/1"), ...rules })
  .meta({ id: "PolicyDefinition1" });
export type PolicyDefinition1 = z.infer<typeof PolicyDefinition1>;

/** The checks of `assay.evidence/2`, in the order of the report. */
export const CHECK_NAMES = [
  "session",
  "trading-halt",
  "corporate-action",
  "settlement-peg",
  "reference-sources",
  "reference-age",
  "reference-agreement",
  "reference-confidence",
  "premium",
  "route",
  "impact",
  "minimum-output",
  "slippage",
  "notional",
  "liquidity-grade",
  "liquidity-samples",
  "quote-age",
  "recipient",
  "guard-active",
  "guard-signer",
  "signed-references",
  "quote-proof",
] as const;
const CheckName = z.enum(CHECK_NAMES);
export type CheckName = z.infer<typeof CheckName>;

/** Judges `assay.evidence/2` by the checks that it names. */
export const PolicyDefinition2 = z
  .strictObject({
    schema: z.literal("assay.policy/2"),
    ...rules,
    /** What is checked, in the order of the report. A check that is not named here is not made. */
    checks: z
      .array(CheckName)
      .min(1)
      .refine((names) => new Set(names).size === names.length, "names a check twice"),
    /** What the settlement token may be worth. */
    settlement: z.strictObject({
      maxAgeSeconds: z.int().min(1),
      minSources: z.int().min(1),
      /** Of any fresh source's price from one USD, either way. */
      maxDeviationBps: bps,
    }),
    /** Announced changes of the shares per token. */
    corporateAction: z.strictObject({
      /** How long before and after a change no trade is allowed, in seconds. */
      marginSeconds: z.int().min(0),
      /** Whether a token of which nobody says what is announced may be traded. */
      announcementNeeded: z.boolean(),
    }),
    /** What facts must rest on; not there in versions of before. */
    evidence: z
      .strictObject({
        /** Of the reference prices that count, how many carry their publisher's signatures. */
        minSignedReferences: z.int().min(0).max(32),
        /** Whether a quote without proofs of its pools' state is denied. */
        quoteProof: z.enum(["required", "preferred"]),
      })
      .optional(),
  })
  .meta({ id: "PolicyDefinition2" });
export type PolicyDefinition2 = z.infer<typeof PolicyDefinition2>;

export const PolicyDefinition = z
  .discriminatedUnion("schema", [PolicyDefinition1, PolicyDefinition2])
  .meta({ id: "PolicyDefinition" });
export type PolicyDefinition = z.infer<typeof PolicyDefinition>;
