/** The versioned list of what may be traded and through what: assets and routes. */
import * as z from "zod";
import { MultiplierLayout, TokenKind } from "./shares.ts";
import { PriceSource, sourceName, TokenSource } from "./sources.ts";
import { AttestorError } from "./values/attestorErrors.ts";
import { canonicalHash } from "./values/canonical.ts";
import {
  Address,
  AssetKey,
  assetKeyOf,
  Bytes32,
  RegistryVersion,
  Selector,
  Text,
  TradedSymbol,
} from "./values/primitives.ts";

export const Asset = z
  .strictObject({
    assetKey: AssetKey,
    symbol: TradedSymbol,
    name: Text.min(1).max(120),
    kind: z.enum(["stock", "settlement"]),
    underlying: TradedSymbol.nullable(),
    issuer: Text.min(1).max(24).nullable(),
    chainId: z.int().min(1).describe("EIP-155 chain id"),
    address: Address,
    decimals: z.int().min(0).max(36).describe("Decimals of the token"),
    /** Of a stock token: what its issuer's factor does. Without it no premium is known, and every policy denies. */
    tokenKind: TokenKind.optional(),
    /** Of an ERC-8056 token whose storage is known. Without it the factor is read from the contract, and not proved. */
    multiplierLayout: MultiplierLayout.optional(),
    /** The sources of the price of a share of the stock, or of the settlement token. A judgement asks each of them. */
    priceSources: z.array(PriceSource).max(16).default([]),
    /** The sources of a stock token's factor, announced changes and halts. A judgement asks each of them. */
    tokenSources: z.array(TokenSource).max(8).default([]),
  })
  .meta({ id: "VerificationAsset" });
export type Asset = z.infer<typeof Asset>;

const routeBase = {
  name: Text.min(1).max(40),
  chainId: z.int().min(1).describe("EIP-155 chain id"),
  address: Address,
  /** That of the kind, in what the service trades by; registries of stored reports are read as they are. */
  selector: Selector,
  factory: Address,
};

/** How a pool's address follows from its tokens: CREATE2 of `deployer`. `layout`: whose storage and arithmetic it has. */
const pools = { deployer: Address, initCodeHash: Bytes32 };
const v2Layout = z.strictObject({
  ...pools,
  layout: z.literal("uniswap-v2"),
  feeBps: z
    .int()
    .min(0)
    .max(9_999)
    .describe("What the router takes of the input, in basis points: 30 (Uniswap), 25 (PancakeSwap)"),
});
const v3Layout = z.strictObject({ ...pools, layout: z.literal("uniswap-v3") });

const v3Pools = {
  quoter: Address,
  feeTiers: z
    .array(z.int().min(1).max(1_000_000))
    .min(1)
    .max(8)
    .describe("Fee tiers that are looked at, hundredths of a bip"),
  /** Without it, quotes rest on trust in `quoter`. */
  pools: v3Layout.optional(),
};

/** The one function that the guard may call of each kind of router. */
export const ROUTE_SELECTORS = {
  /** `swapExactTokensForTokens(uint256,uint256,address[],address,uint256)`: Uniswap's V2 router and its forks. */
  "uniswap-v2": "0x38ed1739",
  /** `exactInputSingle` with a deadline: Uniswap's SwapRouter, PancakeSwap's V3 router. */
  "uniswap-v3": "0x414bf389",
  /** `exactInputSingle` without a deadline: Uniswap's SwapRouter02, PancakeSwap's SmartRouter. */
  "uniswap-v3-router02": "0x04e45aaf",
} as const;

/** A router function that the guard may call; the kind says which one, and how it is encoded. */
export const Route = z.discriminatedUnion("kind", [
  z.strictObject({
    ...routeBase,
    kind: z.literal("uniswap-v2"),
    /** Without it, quotes rest on trust in the router. */
    pools: v2Layout.optional(),
  }),
  z.strictObject({ ...routeBase, kind: z.literal("uniswap-v3"), ...v3Pools }),
  z.strictObject({ ...routeBase, kind: z.literal("uniswap-v3-router02"), ...v3Pools }),
]);
export type Route = z.infer<typeof Route>;

export const Registry = z
  .strictObject({
    version: RegistryVersion,
    chainId: z.int().min(1).describe("EIP-155 chain id"),
    assets: z.array(Asset).min(2),
    routes: z.array(Route).min(1),
  })
  .superRefine((registry, context) => {
    const seen = new Set<string>();
    registry.assets.forEach((asset, index) => {
      const path = ["assets", index];
      if (asset.chainId !== registry.chainId)
        context.addIssue({ code: "custom", path, message: "is on another chain than the registry" });
      if (asset.assetKey !== assetKeyOf(asset.chainId, asset.address))
        context.addIssue({ code: "custom", path, message: "assetKey does not name chainId and address" });
      if (seen.has(asset.assetKey)) context.addIssue({ code: "custom", path, message: "stands here twice" });
      if ((asset.kind === "stock") !== (asset.underlying !== null))
        context.addIssue({
          code: "custom",
          path,
          message: "a stock has an underlying, a settlement token none",
        });
      if (asset.kind === "settlement" && (asset.tokenKind ?? asset.multiplierLayout) !== undefined)
        context.addIssue({ code: "custom", path, message: "a settlement token has no shares" });
      if (asset.kind === "settlement" && asset.tokenSources.length > 0)
        context.addIssue({
          code: "custom",
          path,
          message: "a settlement token has no shares, so it has no tokenSources",
        });
      const names = [...asset.priceSources, ...asset.tokenSources].map(sourceName);
      const twice = names.find((name, at) => names.indexOf(name) !== at);
      if (twice !== undefined)
        context.addIssue({ code: "custom", path, message: `lists a source twice: ${twice}` });
      seen.add(asset.assetKey);
    });
    registry.routes.forEach((route, index) => {
      if (route.chainId !== registry.chainId)
        context.addIssue({ code: "custom", path: ["routes", index], message: "is on another chain" });
      const call = `${route.address} ${route.selector}`;
      if (seen.has(call))
        context.addIssue({ code: "custom", path: ["routes", index], message: "stands here twice" });
      seen.add(call);
    });
  });
export type Registry = z.infer<typeof Registry>;

/**
 * @param value the registry as it came from a file
 * @throws AttestorError `invalid_registry`, with every fault in the message
 */
export function parseRegistry(value: unknown): Registry {
  const result = Registry.safeParse(value);
  if (!result.success) throw new AttestorError("invalid_registry", z.prettifyError(result.error));
  return result.data;
}

// A registry is read once and never changed, and every judgement needs its hash.
const hashes = new WeakMap<Registry, string>();

/** keccak256 of the registry's canonical JSON. */
export function registryHash(registry: Registry): string {
  const keptHash = hashes.get(registry);
  if (keptHash !== undefined) return keptHash;
  const hash = canonicalHash(registry);
  hashes.set(registry, hash);
  return hash;
}

/** The asset of that key, or undefined. The key must be checksummed (as `AssetKey` parses it). */
export function findAsset(registry: Registry, assetKey: string): Asset | undefined {
  return registry.assets.find((asset) => asset.assetKey === assetKey);
}
