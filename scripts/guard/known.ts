/** Names addresses by the registry, by published deployments or by their code, and tells which are tokens. */
import { CHAINS, chainOf } from "../../attestor/chains.ts";
import type { Registry } from "../../attestor/registry.ts";
import { V2_ROUTER, V3_ROUTER } from "../../devnet/artifacts.ts";
import { loadRegistry, registryAssetKey } from "../../market/registry/registry.ts";

/** The routers' code as their makers published it on npm. */
const CODES = {
  "Uniswap V2 Router02 (@uniswap/v2-periphery)": V2_ROUTER,
  "Uniswap V3 SwapRouter (@uniswap/v3-periphery)": V3_ROUTER,
};

/**
 * @param code the contract's code; null where nobody asked for it
 * @returns the name with its source; null when the address is not known
 */
export function nameOfContract(
  chainId: number,
  registry: Registry | null,
  address: string,
  code: string | null,
): string | null {
  const names: string[] = [];
  const route = registry?.routes.find((candidate) => candidate.address === address);
  if (route !== undefined) names.push(`${route.name} of the registry`);
  const chain = chainOf(chainId);
  const deployment = chain && CHAINS[chain].routers[address];
  if (deployment !== undefined) names.push(`the published ${deployment}`);
  if (code !== null)
    for (const [source, { bytecode }] of Object.entries(CODES))
      if (metadataOf(code) !== null && metadataOf(bytecode) === metadataOf(code))
        names.push(`code of ${source}`);
  return names.length === 0 ? null : names.join(", ");
}

/**
 * @param registry of the service on that chain, where there is one
 * @returns `the token AAPLx of the registry`; null when the address is no token that is known here
 */
export function tokenAt(chainId: number, registry: Registry | null, address: string): string | null {
  const asset = registry?.assets.find((candidate) => candidate.address === address);
  if (asset !== undefined) return `the token ${asset.symbol} of the registry`;
  const chain = chainOf(chainId);
  if (chain === undefined) return null;
  // The data API lists more tokens than are traded.
  const key = registryAssetKey(chain, address);
  const listed = loadRegistry().find(({ assetKey }) => assetKey === key);
  return listed === undefined ? null : `the listed token ${listed.symbol} (${listed.issuer})`;
}

/**
 * The end of a contract's code, where the compiler puts a hash over all its sources and settings. Immutable values
 * differ from one deployment to another, this does not.
 * @returns null where there is none
 */
export function metadataOf(code: string): string | null {
  const length = Number.parseInt(code.slice(-4), 16);
  if (!(length >= 30 && length <= 200)) return null;
  const metadata = code.slice(-(length + 2) * 2).toLowerCase();
  // CBOR: a map of few entries.
  return /^a[1-9]/.test(metadata) ? metadata : null;
}
