/** What the outside world says of a trade, all that the checks may look at; null where it could not be had. */
import * as z from "zod";
import { PoolState } from "../pools/poolState.ts";
import { MultiplierLayout } from "../shares.ts";
import { Grade, MarketSession } from "../values/market.ts";
import {
  Address,
  BasisPoints,
  Bytes32,
  RawAmount,
  Selector,
  Text,
  UnixSeconds,
  UnsignedDecimal,
} from "../values/primitives.ts";

/** The source of a fact: `simulated` in the local world, else the provider's name. */
const Source = Text.min(1).max(40);

/** The block that every on-chain fact of one piece of evidence was read at. */
export const ChainFacts = z.strictObject({
  chainId: z.int().min(1).describe("EIP-155 id of the chain that was read"),
  blockNumber: z.int().min(0).describe("Number of the block that every fact of the chain was read at"),
  blockHash: Bytes32,
  blockTimestamp: UnixSeconds.describe("Time of that block, unix seconds"),
});
export type ChainFacts = z.infer<typeof ChainFacts>;

/** The best route found for the amount, the same route for a tiny amount at the same block, and what the amounts follow from. */
export const QuoteFacts = z.strictObject({
  routeName: Text.min(1).max(40),
  route: Address,
  selector: Selector,
  path: z.array(Address).min(2).max(6),
  fees: z
    .array(z.int().min(0).max(1_000_000))
    .max(5)
    .describe(
      "Fee tier of each hop in hundredths of a bip (3000 is 0.3 %), as the pools count it; empty where the pools fix them",
    ),
  amountInRaw: RawAmount.describe("What the trade puts in, raw units of the input token"),
  amountOutRaw: RawAmount.describe(
    "What it gets at the block, before slippage, raw units of the output token, rounded down as the pools do",
  ),
  referenceAmountInRaw: RawAmount.describe(
    "What the tiny trade puts in, raw units of the input token: worth about ten settlement tokens",
  ),
  referenceAmountOutRaw: RawAmount.describe(
    "What the tiny trade gets at the block, raw units of the output token, rounded down as the pools do",
  ),
  /** The pool of each hop of `path`, in its order; null: the route's own quoter said the amounts. */
  pools: z.array(PoolState).min(1).max(5).nullable(),
});
export type QuoteFacts = z.infer<typeof QuoteFacts>;

/** The on-chain location of a price, read at the evidence's block. */
export const OnChainFeed = z.strictObject({
  /** The contract that was asked. */
  address: Address,
  /** Which of the contract's feeds; null where it has but one. */
  feedId: Bytes32.nullable(),
  roundId: RawAmount.nullable().describe(
    "The contract's own count of its answers; null where it does not count",
  ),
});
export type OnChainFeed = z.infer<typeof OnChainFeed>;

/** Several times what the longest known proof has. */
const MAX_PROOF_BYTES = 16_384;

/** What the publisher signed. A reader that does not know the format takes the price as the provider's word. */
export const PriceProof = z.strictObject({
  /** Names the publisher: `pyth-accumulator`, `chainlink-report`. */
  format: Text.min(1).max(40),
  data: z
    .string()
    .max(2 + 2 * MAX_PROOF_BYTES)
    .regex(/^0x([0-9a-f]{2})+$/, "must be 0x and lower-case hexadecimal bytes"),
});
export type PriceProof = z.infer<typeof PriceProof>;

/** Who signed a price, and what the signed message says beside the price. */
const PriceSigner = z.strictObject({
  set: Text.min(1)
    .max(120)
    .describe(
      "The publisher's set of keys, such as `pyth router set 1`: readers decide whether they trust it",
    ),
  session: MarketSession.nullable().describe(
    "The session of the stock market that the signed message states; null where it states none",
  ),
  signedAt: UnixSeconds.describe("When it was signed, unix seconds"),
});

/** One reading of a price in USD, of a share of the stock or of a settlement token, and what it rests on. */
export const ReferencePrice = z
  .strictObject({
    provider: Source,
    source: Source,
    kind: z.enum(["live", "close"]),
    symbol: Text.min(1).max(40),
    price: UnsignedDecimal.describe(
      "US dollars per share of the stock, or per settlement token, as the provider states it, unrounded",
    ),
    confidence: UnsignedDecimal.nullable().describe(
      "Half-width of the provider's confidence interval in US dollars, unrounded; null where it states none",
    ),
    publishedAt: UnixSeconds.describe("When the provider published the price, unix seconds"),
    receivedAt: UnixSeconds.describe("When the service received it, unix seconds"),
    /** keccak256 of the raw answer. */
    rawHash: Bytes32,
    /** With `proof` null too: the provider's word, over HTTP. */
    onChain: OnChainFeed.nullable(),
    proof: PriceProof.nullable(),
    signer: PriceSigner.nullable().describe(
      "By whom `proof` is signed, as the service checked it; null where `proof` is null",
    ),
  })
  .meta({ id: "ReferencePrice" });
export type ReferencePrice = z.infer<typeof ReferencePrice>;

/** A reading of a price, wherever it was read. */
export type PriceReading = Omit<ReferencePrice, "onChain">;

/** A statement about the token: who made it, where it was read, and what the raw answer hashes to. */
const stated = {
  /** The source: `erc-8056`, `backed` and `ondo-oracle` on the chain, else the provider's name. */
  provider: Source,
  source: Source,
  blockNumber: z
    .int()
    .min(0)
    .nullable()
    .describe("Number of the block that it was read at; null: the provider's word, over HTTP"),
  /** The contract that was read; null: the provider's word, over HTTP. With `provider` it says how to read it again. */
  address: Address.nullable(),
  receivedAt: UnixSeconds.describe("When the service received it, unix seconds"),
  /** keccak256 of the raw answer. */
  rawHash: Bytes32,
};

/** The issuer's factor: what it means depends on the token's kind, see `sharesPerUnit`. */
export const SharesFactor = z.strictObject({
  ...stated,
  value: UnsignedDecimal.describe(
    "The issuer's factor as it is stated, unrounded; what it means depends on the kind of token",
  ),
});
export type SharesFactor = z.infer<typeof SharesFactor>;

/** Whether a change of the factor was announced; `change` may lie in the past, and is null where there is none. */
export const Announcement = z.strictObject({
  ...stated,
  change: z
    .strictObject({
      value: UnsignedDecimal.nullable().describe(
        "The factor from then on, as it is stated; null where it is not told yet",
      ),
      effectiveAt: UnixSeconds.describe("When the change takes effect, unix seconds; it may lie in the past"),
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
  /** The registry's, by which the proofs prove both of these; null: they rest on a contract's or a provider's word. */
  layout: MultiplierLayout.nullable(),
  halts: z.array(HaltStatement).max(8),
});
export type TokenFacts = z.infer<typeof TokenFacts>;

/** Seven-day liquidity of the stock token, and which samples it is computed from; nulls where there is no route or no sample. */
export const LiquidityFacts = z.strictObject({
  source: Source,
  grade: Grade.nullable(),
  sampleN: z.int().min(0).describe("Samples of the last seven days"),
  impact1kBps: BasisPoints.nullable().describe(
    "Median impact of buying for 1,000 US dollars, basis points with up to 4 decimals, half away from zero; null without samples or without a route in their middle",
  ),
  impact10kBps: BasisPoints.nullable().describe(
    "Median impact of buying for 10,000 US dollars, basis points with up to 4 decimals, half away from zero; null without samples or without a route in their middle",
  ),
  updatedAt: UnixSeconds.nullable().describe("Time of the newest sample, unix seconds; null without samples"),
  /** Commits to the batch of samples; null where there is none. See `attestor/evidence/samples.ts`. */
  samplesRoot: Bytes32.nullable(),
});
export type LiquidityFacts = z.infer<typeof LiquidityFacts>;

/** What the report's `proofs` hash to; they are stored beside the evidence and can be left out of an answer. */
const ProofsNamed = z.strictObject({ format: z.literal("assay.proofs/1"), hash: Bytes32 });

/** A source that the registry lists and that stated nothing: what it was asked for, and why there is no answer. */
export const SourceFailure = z.strictObject({
  asset: z.enum(["stock", "settlement"]),
  source: Text.min(1).max(160).describe("The source, as `sourceName` writes it"),
  subject: z.enum(["price", "factor", "announcement", "halt"]),
  reason: z
    .enum(["not-configured", "unreachable", "no-answer", "unusable"])
    .describe(
      "`not-configured`: the service has no key for it. `unreachable`: it did not answer, or with an error. `no-answer`: it answered that it has none. `unusable`: what it answered is no statement, such as a signature that does not hold",
    ),
  at: UnixSeconds.describe("When the service asked, unix seconds"),
  rawHash: Bytes32.nullable().describe(
    "keccak256 of the answer that was turned away; null where there was none, or where it was not read whole",
  ),
});
export type SourceFailure = z.infer<typeof SourceFailure>;

/** A change of the guard that was scheduled and waits for its delay, or for somebody to execute it. */
export const PendingChange = z.strictObject({
  /** As the guard's AccessManager names it. */
  operation: Bytes32,
  /** `allowRoute(route: 0x…, selector: 0x…)` */
  call: Text.max(1_000),
  readyAt: UnixSeconds.describe("From when on it can be executed, unix seconds"),
});
export type PendingChange = z.infer<typeof PendingChange>;

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
  /** The next to become ready first. */
  pending: z.array(PendingChange).max(64),
});
export type GuardFacts = z.infer<typeof GuardFacts>;

export const Facts = z.strictObject({
  chain: ChainFacts,
  quote: QuoteFacts.nullable(),
  references: z.array(ReferencePrice).max(32),
  session: z.strictObject({ source: Source, state: MarketSession }).nullable(),
  liquidity: LiquidityFacts.nullable(),
  guard: GuardFacts,
  token: TokenFacts,
  /** Prices of the settlement token in USD. */
  settlement: z.array(ReferencePrice).max(16),
  /** Sources of both assets that the registry lists and that did not state what they were asked for. */
  failures: z.array(SourceFailure).max(64),
  /** Proofs of the state that was read at the block; null: the node offers none. */
  proofs: ProofsNamed.nullable(),
});
export type Facts = z.infer<typeof Facts>;
