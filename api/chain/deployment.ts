/** Where on the chain everything stands: what a deployment leaves behind and this service starts from. */
import { z } from "zod";
import { Address, AssetKey, Bytes32 } from "../../attestor/primitives.ts";
import { Registry } from "../../attestor/registry.ts";

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

export const Deployment = z
  .strictObject({
    chainId: z.int().min(1),
    /** Where the market's numbers come from; stands in every piece of evidence. */
    source: z.enum(["simulated", "live"]),
    guard: Address,
    executor: Address,
    deployedAtBlock: z.int().min(0),
    registry: Registry,
    references: z.record(AssetKey, z.array(ReferenceFeed)),
  })
  .refine((deployment) => deployment.registry.chainId === deployment.chainId, "registry is on another chain");
export type Deployment = z.infer<typeof Deployment>;
