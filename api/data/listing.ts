/** Which tokens the data API lists. */

import { CHAINS } from "../../attestor/chains.ts";
import type { Deployment } from "../../chain/deployment.ts";
import type { MarketAsset } from "../../market/queries.ts";
import { UNDERLYINGS } from "../../market/registry/listings.ts";
import { loadRegistry } from "../../market/registry/registry.ts";
import { Issuer } from "./schemas.ts";

/** The local chain has the place of BNB Chain: EVM addresses, 18 decimals. */
const LOCAL_CHAIN = "bnb";

/** Of the simulated market the deployment's own stock tokens, of the live one the registry of real tokens. */
export function listedAssets(deployment: Pick<Deployment, "source" | "registry">): MarketAsset[] {
  return deployment.source === "live" ? loadRegistry() : localAssets(deployment);
}

/** Names and tags are those of the real stocks; a stock that the registry does not know keeps its token's name. */
function localAssets({ registry }: Pick<Deployment, "registry">): MarketAsset[] {
  return registry.assets
    .filter(({ kind }) => kind === "stock")
    .map(({ assetKey, symbol, name, underlying, issuer, address, decimals }) => {
      const company = UNDERLYINGS.get(underlying ?? "");
      return {
        assetKey,
        symbol,
        underlying: underlying ?? symbol,
        nameEn: company?.nameEn ?? name,
        nameCn: company?.nameCn ?? name,
        issuer: issuerOf(symbol, issuer),
        chain: LOCAL_CHAIN,
        address,
        decimals,
        tags: [...(company?.tags ?? [])],
      };
    });
}

/** @throws Error for a deployment whose stock has an issuer that the data API does not know */
function issuerOf(symbol: string, issuer: string | null): string {
  const parsed = Issuer.safeParse(issuer);
  if (parsed.success) return parsed.data;
  throw new Error(
    `the deployment names ${JSON.stringify(issuer)} as the issuer of ${symbol}; it must be one of ${Issuer.options.join(", ")}`,
  );
}

/**
 * The token that is minted under that symbol, letter by letter.
 * @param chain selects among the chains of the symbol; the first listed by default
 */
function findBySymbol(
  assets: readonly MarketAsset[],
  symbol: string,
  chain: string | undefined,
): MarketAsset | undefined {
  return assets.find((asset) => asset.symbol === symbol && (chain === undefined || asset.chain === chain));
}

/** EVM addresses in any case; those of Solana are what they are. */
export function findByAddress(assets: readonly MarketAsset[], address: string): MarketAsset[] {
  const wanted = address.startsWith("0x") ? address.toLowerCase() : address;
  return assets.filter((asset) =>
    CHAINS[asset.chain].addresses === "evm"
      ? asset.address.toLowerCase() === wanted
      : asset.address === wanted,
  );
}

/** By address where one is given, else by symbol. */
export function findToken(assets: readonly MarketAsset[], wanted: TokenQuery): MarketAsset | undefined {
  return wanted.address === undefined
    ? findBySymbol(assets, wanted.symbol, wanted.chain)
    : findByAddress(assets, wanted.address)[0];
}

export interface TokenQuery {
  /** Empty: none was given. */
  readonly symbol: string;
  readonly chain: string | undefined;
  /** Names one token; overrides the other parameters. */
  readonly address: string | undefined;
}
