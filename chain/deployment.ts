/** Where on the chain everything stands: what a deployment leaves behind and this service starts from. */
import { z } from "zod";
import { Address, AssetKey, Bytes32 } from "../attestor/primitives.ts";
import { Registry } from "../attestor/registry.ts";

/** A reference price that is read from the chain. `close`: the last official close; `live`: the running price. */
export const ReferenceFeed = z.discriminatedUnion("provider", [
  z.strictObject({
    provider: z.literal("pyth"),
    kind: z.literal("live"),
    symbol: z.string(),
    address: Address,
    feedId: Bytes32,
  }),
  z.strictObject({
    provider: z.literal("chainlink"),
    kind: z.enum(["live", "close"]),
    symbol: z.string(),
    address: Address,
  }),
]);
export type ReferenceFeed = z.infer<typeof ReferenceFeed>;

/** A reference price that a provider states over HTTP; `symbol` is the stock's ticker there. */
export const ProviderFeed = z.discriminatedUnion("provider", [
  z.strictObject({
    provider: z.literal("pyth-hermes"),
    kind: z.literal("live"),
    symbol: z.string(),
    feedId: Bytes32,
  }),
  z.strictObject({ provider: z.literal("finnhub"), kind: z.enum(["live", "close"]), symbol: z.string() }),
]);
export type ProviderFeed = z.infer<typeof ProviderFeed>;

/** Who states shares per token and halts of a stock token, by the symbol as minted. */
export const TokenSource = z.strictObject({ provider: z.literal("xstocks"), symbol: z.string() });
export type TokenSource = z.infer<typeof TokenSource>;

/** What providers are asked of a stock token, beside what stands on the chain. */
export const OffchainFacts = z.strictObject({
  references: z.array(ProviderFeed),
  /** Without it the token itself is asked, on the chain. */
  token: TokenSource.optional(),
});
export type OffchainFacts = z.infer<typeof OffchainFacts>;

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
    registry: Registry,
    references: z.record(AssetKey, z.array(ReferenceFeed)),
    offchain: z.record(AssetKey, OffchainFacts).optional(),
  })
  .refine((deployment) => deployment.registry.chainId === deployment.chainId, "registry is on another chain");
export type Deployment = z.infer<typeof Deployment>;
