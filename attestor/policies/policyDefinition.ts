/** What a policy says. */
import * as z from "zod";
import { UnsignedDecimal } from "../values/primitives.ts";

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
  maxAgeSeconds: z.int().min(1).meta({ description: "The greatest age of a reference price, seconds" }),
  minSources: z.int().min(1).meta({ description: "How many sources must state a reference price" }),
  maxDisagreementBps: bps.meta({
    description: "How far the counted prices may lie apart, basis points of the lowest",
  }),
  maxConfidenceBps: bps.meta({
    description: "The widest confidence interval that a source may state, basis points of its price",
  }),
});
export type ReferenceRules = z.infer<typeof ReferenceRules>;

/** The checks, in the order of the report. */
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
export const PolicyDefinition = z
  .strictObject({
    schema: z.literal("assay.policy/2"),
    policyId: z.string().min(1).max(40),
    version: z.int().min(1).meta({ description: "Version of the policy, from 1" }),
    /** Sessions of the stock market in which the trade may be judged. */
    allowedSessions: z.array(MarketSession).min(1),
    reference: ReferenceRules,
    maxAdversePremiumBps: bps.meta({
      description: "How far the token may stand from the stock to the trader's disadvantage, basis points",
    }),
    maxImpactBps: bps.meta({ description: "How much worse this size may be than a tiny one, basis points" }),
    maxSlippageBps: bps.meta({
      description: "The greatest slippage that an intent may accept, basis points",
    }),
    lowestGrade: Grade,
    minLiquiditySamples: z
      .int()
      .min(0)
      .meta({ description: "Samples of the last seven days that a token needs" }),
    maxQuoteAgeSeconds: z.int().min(1).meta({
      description:
        "The most seconds between the block that was quoted and the moment of judgement, either way",
    }),
    notionalCapUsd: UnsignedDecimal.meta({ description: "The greatest value of a trade, US dollars" }),
    certificateLifetimeSeconds: z
      .int()
      .min(1)
      .max(300)
      .meta({ description: "How long a certificate holds, seconds" }),
    /** What is checked, in the order of the report. A check that is not named here is not made. */
    checks: z
      .array(CheckName)
      .min(1)
      .refine((names) => new Set(names).size === names.length, "names a check twice"),
    /** What the settlement token may be worth. */
    settlement: z.strictObject({
      maxAgeSeconds: z
        .int()
        .min(1)
        .meta({ description: "The greatest age of a price of the settlement token, seconds" }),
      minSources: z
        .int()
        .min(1)
        .meta({ description: "How many sources must state a price of the settlement token" }),
      maxDeviationBps: bps.meta({
        description: "How far any fresh source's price may be from one US dollar, either way, basis points",
      }),
    }),
    /** Announced changes of the shares per token. */
    corporateAction: z.strictObject({
      marginSeconds: z
        .int()
        .min(0)
        .meta({ description: "How long before and after a change no trade is allowed, seconds" }),
      /** Whether a token of which nobody says what is announced may be traded. */
      announcementNeeded: z.boolean(),
    }),
    /** What facts must rest on. */
    evidence: z.strictObject({
      minSignedReferences: z.int().min(0).max(32).meta({
        description: "Of the reference prices that count, how many must carry their publisher's signatures",
      }),
      /** Whether a quote without proofs of its pools' state is denied. */
      quoteProof: z.enum(["required", "preferred"]),
    }),
  })
  .meta({ id: "PolicyDefinition" });
export type PolicyDefinition = z.infer<typeof PolicyDefinition>;
