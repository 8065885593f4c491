/**
 * The evidence: every fact that the checks may look at, as one JSON object.
 *
 * Facts come from outside (chain, reference sources, stored samples); figures are worked out from
 * them here, so that a verifier can work them out again. Amounts, prices and hashes are strings,
 * numbers are safe integers, times are unix seconds, distances are basis points with four places.
 */
import * as z from "zod";
import { PoolState } from "../pools/poolState.ts";
import { TokenKind } from "../shares.ts";
import {
  Address,
  AssetKey,
  BasisPoints,
  Bytes32,
  RawAmount,
  UnixSeconds,
  UnsignedDecimal,
  UsdFigure,
} from "../values/primitives.ts";
import { Evidence1 } from "./evidence1.ts";
import {
  commonFacts,
  judgedBy,
  LiquidityFacts as LiquidityParts,
  PriceReading,
  QuoteFacts1,
  Source,
  tradedAssets,
} from "./evidenceParts.ts";

export type { ChainFacts, GuardFacts, PriceReading } from "./evidenceParts.ts";

/** Where a price stands on the chain of the evidence; it was read at the evidence's block. */
export const OnChainFeed = z.strictObject({
  /** The contract that was asked. */
  address: Address,
  /** Which of the contract's feeds; null where it has but one. */
  feedId: Bytes32.nullable(),
  roundId: RawAmount.nullable().meta({
    description: "The contract's own count of its answers; null where it does not count",
  }),
});
export type OnChainFeed = z.infer<typeof OnChainFeed>;

/** Several times what the longest known proof has. */
const MAX_PROOF_BYTES = 16_384;

/** What the publisher signed. A reader that does not know the format takes the price as the provider's word. */
export const PriceProof = z.strictObject({
  /** `pyth-accumulator`: one price message of Pyth with its Merkle path, and the guardians' signatures over the root. */
  format: z.string().min(1).max(40),
  data: z
    .string()
    .max(2 + 2 * MAX_PROOF_BYTES)
    .regex(/^0x([0-9a-f]{2})+$/, "must be 0x and lower-case hexadecimal bytes"),
});
export type PriceProof = z.infer<typeof PriceProof>;

/** One reading of a price, and what it rests on; both null: the provider's word, over HTTP. */
export const ReferencePrice = PriceReading.extend({
  onChain: OnChainFeed.nullable(),
  proof: PriceProof.nullable(),
});
export type ReferencePrice = z.infer<typeof ReferencePrice>;

/** A statement about the token: who made it, where it was read, and what the raw answer hashes to. */
const stated = {
  /** Who says it: `erc-8056`, `backed` and `ondo-oracle` on the chain, else the provider's name. */
  provider: Source,
  source: Source,
  blockNumber: z
    .int()
    .min(0)
    .nullable()
    .meta({ description: "Number of the block that it was read at; null: the provider's word, over HTTP" }),
  /** The contract that was read; null: the provider's word, over HTTP. With `provider` it says how to read it again. */
  address: Address.nullable(),
  receivedAt: UnixSeconds.meta({ description: "When the service received it, unix seconds" }),
  /** keccak256 of the raw answer. */
  rawHash: Bytes32,
};

/** The issuer's factor: what it means depends on the token's kind, see `sharesPerUnit`. */
export const SharesFactor = z.strictObject({
  ...stated,
  value: UnsignedDecimal.meta({
    description: "The issuer's factor as it is stated, unrounded; what it means depends on the kind of token",
  }),
});
export type SharesFactor = z.infer<typeof SharesFactor>;

/** Whether a change of the factor was announced; `change` may lie in the past, and is null where there is none. */
export const Announcement = z.strictObject({
  ...stated,
  change: z
    .strictObject({
      value: UnsignedDecimal.nullable().meta({
        description: "The factor from then on, as it is stated; null where it is not told yet",
      }),
      effectiveAt: UnixSeconds.meta({
        description: "When the change takes effect, unix seconds; it may lie in the past",
      }),
    })
    .nullable(),
});
export type Announcement = z.infer<typeof Announcement>;

export const HaltStatement = z.strictObject({ ...stated, halted: z.boolean() });
export type HaltStatement = z.infer<typeof HaltStatement>;

/** What is said of the stock token; null or empty where nobody says it. */
export const TokenFacts = z.strictObject({
  factor: SharesFactor.nullable(),
  announcement: Announcement.nullable(),
  halts: z.array(HaltStatement).max(8),
});
export type TokenFacts = z.infer<typeof TokenFacts>;

/** Seven-day liquidity of the stock token, and which samples it is computed from. */
export const LiquidityFacts = LiquidityParts.extend({
  /** Commits to the batch of samples; null where there is none. See `attestor/evidence/samples.ts`. */
  samplesRoot: Bytes32.nullable(),
});
export type LiquidityFacts = z.infer<typeof LiquidityFacts>;

/** What the report's `proofs` hash to; they are stored beside the evidence and can be left out of an answer. */
export const ProofsNamed = z.strictObject({ format: z.literal("assay.proofs/1"), hash: Bytes32 });

/** The best route for the amount, and what its amounts follow from. */
export const QuoteFacts = QuoteFacts1.extend({
  /** The pool of each hop of `path`, in its order; null: the route's own quoter said the amounts. */
  pools: z.array(PoolState).min(1).max(5).nullable(),
});
export type QuoteFacts = z.infer<typeof QuoteFacts>;

/** What the outside world says; null where it could not be had. */
export const Facts = z.strictObject({
  ...commonFacts,
  references: z.array(ReferencePrice).max(32),
  liquidity: LiquidityFacts.nullable(),
  quote: QuoteFacts.nullable(),
  token: TokenFacts,
  /** Prices of the settlement token in USD. */
  settlement: z.array(ReferencePrice).max(8),
  /** Proofs of the state that was read at the block; null: the node offers none. */
  proofs: ProofsNamed.nullable(),
});
export type Facts = z.infer<typeof Facts>;

/** The assets of the trade, as the registry names them. */
export const TradeFacts = z.strictObject({
  ...tradedAssets,
  settlementAssetKey: AssetKey,
  /** null where the registry does not say: the shares per token are then not known. */
  tokenKind: TokenKind.nullable(),
});
export type TradeFacts = z.infer<typeof TradeFacts>;

/** What follows from the facts; null where a fact that it needs is missing. */
export const Figures = z.strictObject({
  settlementPriceUsd: UsdFigure.nullable().meta({
    description:
      "US dollars per whole settlement token: the median of the prices that the policy counts, up to 8 decimals, half up; null without one",
  }),
  notionalUsd: UsdFigure.nullable().meta({
    description:
      "The trade's value in US dollars at the price of the settlement token, up to 8 decimals, half up; null without that price, and of a sell without a quote",
  }),
  referencePriceUsd: UsdFigure.nullable().meta({
    description:
      "US dollars per share: the median of the reference prices that the policy counts, up to 8 decimals, half up; null without one",
  }),
  sharesPerToken: UnsignedDecimal.nullable().meta({
    description:
      "Shares of the stock that one whole token stands for, as stated, unrounded; null where the kind of token or its factor is not known",
  }),
  tokenPricePerShareUsd: UsdFigure.nullable().meta({
    description:
      "US dollars that the tiny trade pays per share, up to 8 decimals, half up; null without a quote, the price of the settlement token or the shares per token",
  }),
  premiumBps: BasisPoints.nullable().meta({
    description:
      "Token above (+) or below (-) the stock, basis points, up to 4 decimals, half away from zero; null where either price is",
  }),
  impactBps: BasisPoints.nullable().meta({
    description:
      "What this size costs more than the tiny trade, basis points, up to 4 decimals, half away from zero; null without a quote, or where one of its amounts is zero",
  }),
  minAmountOutRaw: RawAmount.nullable().meta({
    description:
      "The least that the recipient may get: the quote less the slippage, raw units of the output token, rounded down; null without a quote",
  }),
});
export type Figures = z.infer<typeof Figures>;

/** The schema that is written. Those of before are read and judged as they were. */
export const EVIDENCE_SCHEMA = "assay.evidence/2";

export const Evidence2 = Facts.extend({
  schema: z.literal(EVIDENCE_SCHEMA),
  ...judgedBy,
  trade: TradeFacts,
  figures: Figures,
}).meta({ id: "Evidence2" });
export type Evidence2 = z.infer<typeof Evidence2>;

/** Evidence of any schema that this program knows. */
export const Evidence = z.discriminatedUnion("schema", [Evidence1, Evidence2]).meta({ id: "Evidence" });
export type Evidence = z.infer<typeof Evidence>;
