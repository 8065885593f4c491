/** Where on the chain everything stands: what a deployment leaves behind and this service starts from. */
import { z } from "zod";
import { Vkey } from "../attestor/log/vkey.ts";
import { Registry, ROUTE_SELECTORS } from "../attestor/registry.ts";
import { Address, AssetKey, Bytes32, Text } from "../attestor/values/primitives.ts";
import { feedsOf } from "../attestor/verify/verifyPrices.ts";

/** A reference price that is read from the chain. `close`: the last official close; `live`: the running price. */
export const ReferenceFeed = z.discriminatedUnion("provider", [
  z.strictObject({
    provider: z.literal("pyth"),
    kind: z.literal("live"),
    symbol: Text,
    address: Address,
    feedId: Bytes32,
  }),
  z.strictObject({
    provider: z.literal("chainlink"),
    kind: z.enum(["live", "close"]),
    symbol: Text,
    address: Address,
  }),
]);
export type ReferenceFeed = z.infer<typeof ReferenceFeed>;

/** A reference price that a provider states over HTTP; `symbol` is the stock's ticker there. */
export const ProviderFeed = z.discriminatedUnion("provider", [
  z.strictObject({
    provider: z.literal("pyth-hermes"),
    kind: z.literal("live"),
    symbol: Text,
    feedId: Bytes32,
  }),
  z.strictObject({
    provider: z.literal("chainlink-streams"),
    kind: z.literal("live"),
    symbol: Text,
    feedId: Bytes32,
  }),
  z.strictObject({ provider: z.literal("finnhub"), kind: z.enum(["live", "close"]), symbol: Text }),
]);
export type ProviderFeed = z.infer<typeof ProviderFeed>;

/** Whether the feed's publisher signs its prices. */
export const isSigned = ({ provider }: ProviderFeed): boolean => provider !== "finnhub";

/** The source that a feed counts as: a publisher is one, whether its service is read or its contract. */
export const sourceOf = (provider: string): string => provider.replace(/-(hermes|streams)$/, "");

/** What the chain itself says of a stock token, at the block of the evidence. */
export const ChainTokenSource = z.discriminatedUnion("source", [
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
]);
export type ChainTokenSource = z.infer<typeof ChainTokenSource>;

/** What a provider says of a stock token over HTTP. */
export const ProviderTokenSource = z.discriminatedUnion("source", [
  /** xStocks' API, by the symbol as minted: multiplier with its schedule, and halts. */
  z.strictObject({ source: z.literal("xstocks"), symbol: Text }),
  /** Binance's list of tokenized stocks, by address: token-to-share ratio and trading status; it announces nothing. */
  z.strictObject({ source: z.literal("binance-rwa") }),
]);
export type ProviderTokenSource = z.infer<typeof ProviderTokenSource>;

export const TokenSource = z.union([ChainTokenSource, ProviderTokenSource]);
export type TokenSource = z.infer<typeof TokenSource>;

/** Publishers' feeds that the registry does not name for the asset where it names some: nobody could hold them against it. */
function strangers(
  { assets }: Registry,
  sections: Readonly<Record<string, readonly (ReferenceFeed | ProviderFeed)[]>>,
): { path: (string | number)[]; message: string }[] {
  return Object.entries(sections).flatMap(([key, feeds]) => {
    const asset = assets.find(({ assetKey }) => assetKey === key);
    return feeds.flatMap((feed, index) => {
      const named = feedsOf(sourceOf(feed.provider), asset);
      if (named === undefined || !("feedId" in feed) || named.includes(feed.feedId)) return [];
      const message = `must be ${named.join(" or ")}, as the registry names the asset's feeds`;
      return [{ path: [key, index, "feedId"], message }];
    });
  });
}

export const Deployment = z
  .strictObject({
    chainId: z.int().min(1),
    /** Where the market's numbers come from; stands in every piece of evidence. */
    source: z.enum(["simulated", "live"]),
    guard: Address,
    executor: Address,
    /** The attestation key that the guard was deployed with, for those who verify what it signed. */
    signer: Address.optional(),
    deployedAtBlock: z.int().min(0),
    /** Verifier keys of the service's decision log, for those who verify what it logged. */
    logKeys: z.array(Vkey).optional(),
    /** The transactions that deployed the guard and changed it since, as far as its admins recorded them. */
    adminTransactions: z.array(Bytes32).optional(),
    registry: Registry,
    /** Feeds on the chain: of the stock's price by the stock token, and of the settlement token's own. */
    references: z.record(AssetKey, z.array(ReferenceFeed)),
    /** Prices over HTTP, by the same keys. */
    offchain: z.record(AssetKey, z.array(ProviderFeed)).optional(),
    /**
     * Who is asked about each stock token. The chain's word counts before a provider's, and within each the first that
     * answers; of halts everybody's word counts.
     */
    tokens: z.record(AssetKey, z.array(TokenSource)).optional(),
  })
  .refine((deployment) => deployment.registry.chainId === deployment.chainId, "registry is on another chain")
  .superRefine(({ registry, references, offchain }, context) => {
    for (const [section, feeds] of Object.entries({ references, offchain }))
      for (const { path, message } of strangers(registry, feeds ?? {}))
        context.addIssue({ code: "custom", path: [section, ...path], message });
    for (const [index, { kind, selector }] of registry.routes.entries())
      if (selector !== ROUTE_SELECTORS[kind])
        context.addIssue({
          code: "custom",
          path: ["registry", "routes", index, "selector"],
          message: `must be ${ROUTE_SELECTORS[kind]}, the function that ${kind} calls`,
        });
  });
export type Deployment = z.infer<typeof Deployment>;
