/**
 * The sources that may state a fact of an asset. The registry lists every source, a judgement asks each, and no other
 * source counts. For a source on the chain, the entry names its contract.
 */
import * as z from "zod";
import { Address, Bytes32, Text } from "./values/primitives.ts";

const symbol = Text.min(1).max(40).describe("What the source calls the price: a ticker, or a feed's name");
const live = z.literal("live");

/**
 * A source of a price in US dollars, of a share of the stock or of the settlement token. `live`: the running price;
 * `close`: the last official close.
 */
export const PriceSource = z.discriminatedUnion("provider", [
  /** Pyth's contract on the chain. */
  z.strictObject({ provider: z.literal("pyth"), kind: live, symbol, address: Address, feedId: Bytes32 }),
  /** An aggregator of Chainlink's shape on the chain. */
  z.strictObject({
    provider: z.literal("chainlink"),
    kind: z.enum(["live", "close"]),
    symbol,
    address: Address,
    decimals: z.int().min(0).max(36).describe("Decimals of the feed's answers"),
  }),
  /** Pyth's service, which hands out what its routers signed. */
  z.strictObject({ provider: z.literal("pyth-hermes"), kind: live, symbol, feedId: Bytes32 }),
  /** Chainlink Data Streams: signed reports over HTTP. */
  z.strictObject({ provider: z.literal("chainlink-streams"), kind: live, symbol, feedId: Bytes32 }),
  /** Finnhub's quotes over HTTP, which nobody signs. */
  z.strictObject({ provider: z.literal("finnhub"), kind: z.enum(["live", "close"]), symbol }),
]);
export type PriceSource = z.infer<typeof PriceSource>;

/** What is said of a stock token: the issuer's factor, an announced change of it, a halt of its trading. */
export const TokenSource = z.discriminatedUnion("source", [
  /** ERC-8056 on the token: `uiMultiplier`, and `newUIMultiplier` with `effectiveAt`. */
  z.strictObject({ source: z.literal("erc-8056") }),
  /** Backed's token: `multiplier`, and `newMultiplier` with `newMultiplierActivationTime` where it has them. */
  z.strictObject({ source: z.literal("backed") }),
  /** Ondo's SyntheticSharesOracle: sValue, the pending one, and the pause around a corporate action. */
  z.strictObject({ source: z.literal("ondo-oracle"), address: Address }),
  /** A flag of the token that is raised while nobody should trade it. */
  z.strictObject({
    source: z.literal("halt-flag"),
    function: z.enum(["tradingHalted", "oraclePaused", "paused", "isPaused"]),
  }),
  /** xStocks' API, by the symbol as minted: multiplier with its schedule, and halts. */
  z.strictObject({ source: z.literal("xstocks"), symbol: Text.min(1).max(40) }),
  /** Binance's list of tokenized stocks, by address: token-to-share ratio and trading status; it announces nothing. */
  z.strictObject({ source: z.literal("binance-rwa") }),
]);
export type TokenSource = z.infer<typeof TokenSource>;

/** Sources of prices on the chain, and those over HTTP. */
export type ChainPriceSource = Extract<PriceSource, { address: string }>;
export type ProviderPriceSource = Exclude<PriceSource, ChainPriceSource>;
export type ProviderTokenSource = Extract<TokenSource, { source: "xstocks" | "binance-rwa" }>;
export type ChainTokenSource = Exclude<TokenSource, ProviderTokenSource>;

export const isChainPrice = (source: PriceSource): source is ChainPriceSource => "address" in source;
export const isChainToken = (source: TokenSource): source is ChainTokenSource =>
  source.source !== "xstocks" && source.source !== "binance-rwa";

/** What a source of prices counts as: a publisher is one, whether its service is read or its contract. */
export function providerOf({ provider }: PriceSource): "pyth" | "chainlink" | "finnhub" {
  if (provider === "pyth-hermes") return "pyth";
  return provider === "chainlink-streams" ? "chainlink" : provider;
}

/** Whether the source's publisher signs its prices. */
export const isSigned = ({ provider }: PriceSource): boolean =>
  provider === "pyth-hermes" || provider === "chainlink-streams";

/** One text for each source of an asset, such as `finnhub close AAPL` and `ondo-oracle 0x…`. */
export function sourceName(source: PriceSource | TokenSource): string {
  if ("provider" in source) {
    const { provider, kind } = source;
    const place = "address" in source ? ` ${source.address}` : "";
    return `${provider} ${kind}${place} ${"feedId" in source ? source.feedId : source.symbol}`;
  }
  const which =
    "address" in source
      ? source.address
      : "function" in source
        ? source.function
        : "symbol" in source
          ? source.symbol
          : null;
  return which === null ? source.source : `${source.source} ${which}`;
}

/** What a source can be asked. */
export type Subject = "price" | "factor" | "announcement" | "halt";

/** What each source of token facts has to state. Of Backed's tokens only some announce changes. */
const STATED: Readonly<Record<TokenSource["source"], readonly Exclude<Subject, "price">[]>> = {
  "erc-8056": ["factor", "announcement"],
  backed: ["factor"],
  "ondo-oracle": ["factor", "announcement", "halt"],
  "halt-flag": ["halt"],
  xstocks: ["factor", "announcement", "halt"],
  "binance-rwa": ["factor", "halt"],
};

export const subjectsOf = ({ source }: TokenSource) => STATED[source];

/** The chain's word counts before a provider's, and within each the first that answers. */
export const inOrder = (sources: readonly TokenSource[]): TokenSource[] => [
  ...sources.filter(isChainToken),
  ...sources.filter((source) => !isChainToken(source)),
];
