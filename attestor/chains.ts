/**
 * The chains that this project knows, one row each in `chains.json`: everything else reads the row. A chain whose tokens are
 * listed needs nothing more than its row, and its listings in `market/registry/listings.json`.
 */
import ROWS from "./chains.json" with { type: "json" };

/** As the data API names it. */
export type Chain = "solana" | "bnb";

export interface ChainRow {
  /** EIP-155; null for a chain that has no number. */
  readonly chainId: number | null;
  /** What asset keys begin with, CAIP-2 but for Solana's. */
  readonly assetPrefix: string;
  /** `evm`: EIP-55, in any case where it is asked for; `base58`: of 32 bytes, where case matters. */
  readonly addresses: "evm" | "base58";
  /** Decimals that stock tokens have there. */
  readonly decimals: readonly number[];
  /** Its name among the networks of `hardhat.config.ts` and, in capitals, of their keys; null: no guard is deployed there. */
  readonly network: string | null;
  readonly coin: string;
  /** The block explorer, with transactions at `/tx/<hash>`; null: no guard is deployed there. */
  readonly explorer: string | null;
  readonly testnet: { readonly chainId: number; readonly coin: string; readonly explorer: string } | null;
  /** The dollar that tokens are bought with; `priced`: what it is worth is asked for, and not taken for 1. */
  readonly dollar: { readonly address: string; readonly decimals: number; readonly priced: boolean };
  /** What a provider calls the chain, by the provider's name; who is missing is not asked about it. */
  readonly calledBy: Readonly<Record<string, string>>;
  /** Published routers by address, as docs.uniswap.org and developer.pancakeswap.finance list them. */
  readonly routers: Readonly<Record<string, string>>;
}

export const CHAINS = ROWS as unknown as Readonly<Record<Chain, ChainRow>>;

/** In the order of the table, which is that of the API's enumerations. */
export const CHAIN_NAMES = Object.keys(CHAINS) as [Chain, ...Chain[]];

/** The chain of that number; undefined for one without a row. */
export function chainOf(chainId: number): Chain | undefined {
  return CHAIN_NAMES.find((name) => CHAINS[name].chainId === chainId);
}

/** Name of a chain's native coin, of a test network too. */
export function coinOf(chainId: number): string {
  for (const { chainId: mainId, coin, testnet } of Object.values(CHAINS)) {
    if (mainId === chainId) return coin;
    if (testnet?.chainId === chainId) return testnet.coin;
  }
  return "native coin";
}

/** Where people look up transactions of a chain, of a test network too; null: nowhere that is known. */
export function explorerOf(chainId: number): string | null {
  for (const { chainId: mainId, explorer, testnet } of Object.values(CHAINS)) {
    if (mainId === chainId) return explorer;
    if (testnet?.chainId === chainId) return testnet.explorer;
  }
  return null;
}

/** What that provider calls the chain. @throws Error where the row does not say, which is who is asked to read first */
export function nameBy(provider: string, chain: Chain): string {
  const name = CHAINS[chain].calledBy[provider];
  if (name === undefined) throw new Error(`${provider} is not asked about ${chain}`);
  return name;
}

/** Chains that a provider is asked about. */
export function chainsOf(provider: string): Chain[] {
  return CHAIN_NAMES.filter((chain) => CHAINS[chain].calledBy[provider] !== undefined);
}
