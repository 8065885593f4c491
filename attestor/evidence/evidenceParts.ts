/**
 * The parts that evidence of every schema is made of. They are as they were written first: a stored report is read and
 * hashed by them, so none of them may change its meaning.
 */
import * as z from "zod";
import { Intent } from "../intent.ts";
import { Grade, MarketSession } from "../policies/policyDefinition.ts";
import {
  Address,
  AssetKey,
  BasisPoints,
  Bytes32,
  RawAmount,
  Selector,
  UnixSeconds,
  UnsignedDecimal,
} from "../values/primitives.ts";

/** Who stated a fact: `simulated` in the local world, else the provider's name. */
export const Source = z.string().min(1).max(40);

/** The block that every on-chain fact of one piece of evidence was read at. */
export const ChainFacts = z.strictObject({
  chainId: z.int().min(1).meta({ description: "EIP-155 id of the chain that was read" }),
  blockNumber: z
    .int()
    .min(0)
    .meta({ description: "Number of the block that every fact of the chain was read at" }),
  blockHash: Bytes32,
  blockTimestamp: UnixSeconds.meta({ description: "Time of that block, unix seconds" }),
});
export type ChainFacts = z.infer<typeof ChainFacts>;

/** The best route found for the amount, and the same route for a tiny amount at the same block. */
export const QuoteFacts1 = z.strictObject({
  routeName: z.string().min(1).max(40),
  route: Address,
  selector: Selector,
  path: z.array(Address).min(2).max(6),
  fees: z.array(z.int().min(0).max(1_000_000)).max(5).meta({
    description:
      "Fee tier of each hop in hundredths of a bip (3000 is 0.3 %), as the pools count it; empty where the pools fix them",
  }),
  amountInRaw: RawAmount.meta({ description: "What the trade puts in, raw units of the input token" }),
  amountOutRaw: RawAmount.meta({
    description:
      "What it gets at the block, before slippage, raw units of the output token, rounded down as the pools do",
  }),
  referenceAmountInRaw: RawAmount.meta({
    description:
      "What the tiny trade puts in, raw units of the input token: worth about ten settlement tokens",
  }),
  referenceAmountOutRaw: RawAmount.meta({
    description:
      "What the tiny trade gets at the block, raw units of the output token, rounded down as the pools do",
  }),
});
export type QuoteFacts1 = z.infer<typeof QuoteFacts1>;

/** One reading of a price in USD: of a share of the stock, or of a settlement token. */
export const PriceReading = z.strictObject({
  provider: Source,
  source: Source,
  kind: z.enum(["live", "close"]),
  symbol: z.string().min(1).max(40),
  price: UnsignedDecimal.meta({
    description:
      "US dollars per share of the stock, or per settlement token, as the provider states it, unrounded",
  }),
  confidence: UnsignedDecimal.nullable().meta({
    description:
      "Half-width of the provider's confidence interval in US dollars, unrounded; null where it states none",
  }),
  publishedAt: UnixSeconds.meta({ description: "When the provider published the price, unix seconds" }),
  receivedAt: UnixSeconds.meta({ description: "When the service received it, unix seconds" }),
  /** keccak256 of the raw answer. */
  rawHash: Bytes32,
});
export type PriceReading = z.infer<typeof PriceReading>;

/** Seven-day liquidity of the stock token; nulls where there is no route or no sample. */
export const LiquidityFacts = z.strictObject({
  source: Source,
  grade: Grade.nullable(),
  sampleN: z.int().min(0).meta({ description: "Samples of the last seven days" }),
  impact1kBps: BasisPoints.nullable().meta({
    description:
      "Median impact of buying for 1,000 US dollars, basis points with up to 4 decimals, half away from zero; null without samples or without a route in their middle",
  }),
  impact10kBps: BasisPoints.nullable().meta({
    description:
      "Median impact of buying for 10,000 US dollars, basis points with up to 4 decimals, half away from zero; null without samples or without a route in their middle",
  }),
  updatedAt: UnixSeconds.nullable().meta({
    description: "Time of the newest sample, unix seconds; null without samples",
  }),
});

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

/** What the outside world says whatever the schema; null where it could not be had. */
export const commonFacts = {
  chain: ChainFacts,
  quote: QuoteFacts1.nullable(),
  references: z.array(PriceReading).max(32),
  session: z.strictObject({ source: Source, state: MarketSession }).nullable(),
  liquidity: LiquidityFacts.nullable(),
  guard: GuardFacts,
};

/** What is judged, when, and by which policy and registry. */
export const judgedBy = {
  jobId: z.string().min(1).max(64),
  reportVersion: z.int().min(1).meta({ description: "Version of the report within its job, from 1" }),
  capturedAt: UnixSeconds.meta({ description: "Moment of judgement, unix seconds" }),
  intent: Intent,
  policy: z.strictObject({
    policyId: z.string().min(1).max(40),
    version: z.int().min(1).meta({ description: "Version of the policy" }),
    definitionHash: Bytes32,
  }),
  registry: z.strictObject({ version: z.string().min(1).max(40), hash: Bytes32 }),
};

/** The assets of a trade, as the registry names them. */
export const tradedAssets = {
  side: z.enum(["buy", "sell"]),
  stockAssetKey: AssetKey,
  symbol: z.string().min(1).max(24),
  underlying: z.string().min(1).max(24),
  inputDecimals: z.int().min(0).max(36).meta({
    description: "Decimals of the input token: raw units are whole tokens times 10 to the power of this",
  }),
  outputDecimals: z.int().min(0).max(36).meta({ description: "Decimals of the output token" }),
};
