/** Which addresses are tokens, as far as anybody here knows. */
import { chainOf } from "../../attestor/chains.ts";
import type { Registry } from "../../attestor/registry.ts";
import { loadRegistry, registryAssetKey } from "../../market/registry/registry.ts";

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
