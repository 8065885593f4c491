/**
 * The evidence: every fact that the checks may look at, as one JSON object.
 *
 * Facts come from outside (chain, reference sources, stored samples); figures are worked out from
 * them here, so that a verifier can work them out again. Amounts, prices and hashes are strings,
 * numbers are safe integers, times are unix seconds, distances are basis points with four places.
 */
import { z } from "zod";
import { Intent } from "./intent.ts";
import { Grade, MarketSession } from "./policy.ts";
import {
  Address,
  AssetKey,
  BasisPoints,
  Bytes32,
  RawAmount,
  Selector,
  UnixSeconds,
  UnsignedDecimal,
  UsdFigure,
} from "./primitives.ts";

/** Who stated a fact: `simulated` in the local world, else the provider's name. */
const Source = z.string().min(1).max(40);

/** The block that every on-chain fact of one piece of evidence was read at. */
export const ChainFacts = z.strictObject({
  chainId: z.int().min(1),
  blockNumber: z.int().min(0),
  blockHash: Bytes32,
  blockTimestamp: UnixSeconds,
});
export type ChainFacts = z.infer<typeof ChainFacts>;

/** The best route found for the amount, and the same route for a tiny amount at the same block. */
export const QuoteFacts = z.strictObject({
  routeName: z.string().min(1).max(40),
  route: Address,
  selector: Selector,
  path: z.array(Address).min(2).max(6),
  /** Fee tier of each hop in hundredths of a bip (3000 = 0.3 %), as the pools count it. */
  fees: z.array(z.int().min(0).max(1_000_000)).max(5),
  amountInRaw: RawAmount,
  amountOutRaw: RawAmount,
  referenceAmountInRaw: RawAmount,
  referenceAmountOutRaw: RawAmount,
});
export type QuoteFacts = z.infer<typeof QuoteFacts>;

/** One reading of the stock's price in USD per share. */
export const ReferencePrice = z.strictObject({
  provider: Source,
  source: Source,
  kind: z.enum(["live", "close"]),
  symbol: z.string().min(1).max(40),
  price: UnsignedDecimal,
  /** Half-width of the provider's confidence interval in USD; null where it states none. */
  confidence: UnsignedDecimal.nullable(),
  publishedAt: UnixSeconds,
  receivedAt: UnixSeconds,
  /** keccak256 of the raw answer. */
  rawHash: Bytes32,
});
export type ReferencePrice = z.infer<typeof ReferencePrice>;

export const TokenFacts = z.strictObject({
  source: Source,
  /** Shares of the stock that one whole token stands for. */
  sharesPerToken: UnsignedDecimal,
  halted: z.boolean(),
});
export type TokenFacts = z.infer<typeof TokenFacts>;

/** Seven-day liquidity of the stock token; nulls where there is no route or no sample. */
export const LiquidityFacts = z.strictObject({
  source: Source,
  grade: Grade.nullable(),
  sampleN: z.int().min(0),
  impact1kBps: BasisPoints.nullable(),
  impact10kBps: BasisPoints.nullable(),
  updatedAt: UnixSeconds.nullable(),
});
export type LiquidityFacts = z.infer<typeof LiquidityFacts>;

export const GuardFacts = z.strictObject({
  address: Address,
  executor: Address,
  paused: z.boolean(),
  signer: Address,
  /** The address of the key that would sign the certificate. */
  attestor: Address,
  routeAllowed: z.boolean(),
  /** True where the recipient is the owner, or on the guard's list. */
  recipientAllowed: z.boolean(),
});
export type GuardFacts = z.infer<typeof GuardFacts>;

/** What the outside world says; null where it could not be had. */
export const Facts = z.strictObject({
  chain: ChainFacts,
  quote: QuoteFacts.nullable(),
  references: z.array(ReferencePrice).max(32),
  session: z.strictObject({ source: Source, state: MarketSession }).nullable(),
  token: TokenFacts.nullable(),
  liquidity: LiquidityFacts.nullable(),
  guard: GuardFacts,
});
export type Facts = z.infer<typeof Facts>;

/** The assets of the trade, as the registry names them. */
export const TradeFacts = z.strictObject({
  side: z.enum(["buy", "sell"]),
  stockAssetKey: AssetKey,
  symbol: z.string().min(1).max(24),
  underlying: z.string().min(1).max(24),
  inputDecimals: z.int().min(0).max(36),
  outputDecimals: z.int().min(0).max(36),
});
export type TradeFacts = z.infer<typeof TradeFacts>;

/** What follows from the facts; null where a fact that it needs is missing. */
export const Figures = z.strictObject({
  /** The settlement token is counted at one USD. */
  notionalUsd: UsdFigure.nullable(),
  /** Median of the reference prices that the policy counts. */
  referencePriceUsd: UsdFigure.nullable(),
  tokenPricePerShareUsd: UsdFigure.nullable(),
  /** Token above (+) or below (-) the stock. */
  premiumBps: BasisPoints.nullable(),
  impactBps: BasisPoints.nullable(),
  /** The least that the recipient may get: the quote less the slippage, rounded down. */
  minAmountOutRaw: RawAmount.nullable(),
});
export type Figures = z.infer<typeof Figures>;

export const EVIDENCE_SCHEMA = "assay.evidence/1";

export const Evidence = Facts.extend({
  schema: z.literal(EVIDENCE_SCHEMA),
  jobId: z.string().min(1).max(64),
  reportVersion: z.int().min(1),
  capturedAt: UnixSeconds,
  intent: Intent,
  policy: z.strictObject({
    policyId: z.string().min(1).max(40),
    version: z.int().min(1),
    definitionHash: Bytes32,
  }),
  registry: z.strictObject({ version: z.string().min(1).max(40), hash: Bytes32 }),
  trade: TradeFacts,
  figures: Figures,
}).meta({ id: "Evidence" });
export type Evidence = z.infer<typeof Evidence>;
