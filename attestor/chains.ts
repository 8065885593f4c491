/**
 * The chains that this project knows, one row each: everything else reads the row. Pure data. A chain whose tokens are
 * listed needs nothing more than its row, and its listings in `market/registry/listings.json`.
 */

/** As the data API names it. */
export type Chain = "solana" | "bnb";

/** A contract that says what an amount would buy. */
export type QuotingContract =
  | {
      readonly name: string;
      readonly kind: "v3";
      readonly quoter: string;
      /** Fee tiers in hundredths of a bip. */
      readonly fees: readonly number[];
    }
  | { readonly name: string; readonly kind: "v2"; readonly router: string };

export interface ChainRow {
  /** EIP-155; null for a chain that has no number. */
  readonly chainId: number | null;
  /** What asset keys begin with, CAIP-2 but for Solana's. */
  readonly assetPrefix: string;
  /** `evm`: EIP-55, in any case where it is asked for; `base58`: of 32 bytes, where case matters. */
  readonly addresses: "evm" | "base58";
  /** Decimals that stock tokens have there. */
  readonly decimals: readonly number[];
  /** Its name among the networks of `hardhat.config.ts` and, in capitals, of their keys; null: no guard stands there. */
  readonly network: string | null;
  readonly coin: string;
  readonly testnet: { readonly chainId: number; readonly coin: string } | null;
  /** The dollar that tokens are bought with; `priced`: what it is worth is asked for, and not taken for 1. */
  readonly dollar: { readonly address: string; readonly decimals: number; readonly priced: boolean };
  /** What a provider calls the chain, by the provider's name; who is missing is not asked about it. */
  readonly calledBy: Readonly<Record<string, string>>;
  readonly quoting: readonly QuotingContract[];
  /** Published routers by address, as docs.uniswap.org and developer.pancakeswap.finance list them. */
  readonly routers: Readonly<Record<string, string>>;
}

export const CHAINS: Readonly<Record<Chain, ChainRow>> = {
  solana: {
    chainId: null,
    assetPrefix: "solana:mainnet",
    addresses: "base58",
    decimals: [8, 9],
    network: null,
    coin: "SOL",
    testnet: null,
    dollar: { address: "EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v", decimals: 6, priced: false },
    calledBy: { jupiter: "solana", dexscreener: "solana", geckoterminal: "solana", xstocks: "Solana" },
    quoting: [],
    routers: {},
  },
  bnb: {
    chainId: 56,
    assetPrefix: "eip155:56",
    addresses: "evm",
    decimals: [18],
    network: "bsc",
    coin: "BNB",
    testnet: { chainId: 97, coin: "tBNB" },
    dollar: { address: "0x55d398326f99059fF775485246999027B3197955", decimals: 18, priced: true },
    calledBy: {
      pancakeswap: "56",
      kyberswap: "bsc",
      dexscreener: "bsc",
      geckoterminal: "bsc",
      binanceRwa: "56",
      xstocks: "BinanceSmartChain",
    },
    quoting: [
      {
        name: "pancakeswap-v3",
        kind: "v3",
        quoter: "0xB048Bbc1Ee6b733FFfCFb9e9CeF7375518e25997",
        fees: [100, 500, 2_500, 10_000],
      },
      { name: "pancakeswap-v2", kind: "v2", router: "0x10ED43C718714eb63d5aA57B78B54704E256024E" },
      {
        name: "uniswap-v3",
        kind: "v3",
        quoter: "0x78D78E420Da98ad378D7799bE8f4AF69033EB077",
        fees: [100, 500, 3_000, 10_000],
      },
    ],
    routers: {
      "0x10ED43C718714eb63d5aA57B78B54704E256024E": "PancakeSwap V2 router",
      "0x1b81D678ffb9C0263b24A97847620C99d213eB14": "PancakeSwap V3 router",
      "0x13f4EA83D0bd40E75C8222255bc855a974568Dd4": "PancakeSwap smart router",
      "0x4752ba5DBc23f44D87826276BF6Fd6b1C372aD24": "Uniswap V2 router",
      "0xB971eF87ede563556b2ED4b1C0b0019111Dd85d2": "Uniswap SwapRouter02",
    },
  },
};

/** In the order of the table, which is that of the API's enumerations. */
export const CHAIN_NAMES = Object.keys(CHAINS) as [Chain, ...Chain[]];

/** The chain of that number; undefined for one without a row. */
export function chainOf(chainId: number): Chain | undefined {
  return CHAIN_NAMES.find((name) => CHAINS[name].chainId === chainId);
}

/** Name of a chain's native coin, of a test network too. */
export function coinOf(chainId: number): string {
  for (const { chainId: own, coin, testnet } of Object.values(CHAINS)) {
    if (own === chainId) return coin;
    if (testnet?.chainId === chainId) return testnet.coin;
  }
  return "native coin";
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
