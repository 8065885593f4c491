/** The providers that the live profile asks, and what can be set about each: a key, and another address. */
import { PROVIDERS, type ProviderName } from "../../market/providers/names.ts";
import type { Secret } from "./secret.ts";

/** As in the names of the settings: `PYTH_HERMES_URL`, `PYTH_HERMES_KEY`. */
export const PROVIDER_SETTINGS: Readonly<Record<ProviderName | "xstocks", string>> = {
  jupiter: "JUPITER",
  pancakeswap: "PANCAKESWAP",
  kyberswap: "KYBERSWAP",
  dexscreener: "DEXSCREENER",
  geckoterminal: "GECKOTERMINAL",
  pythHermes: "PYTH_HERMES",
  finnhub: "FINNHUB",
  hyperliquid: "HYPERLIQUID",
  binance: "BINANCE",
  binanceRwa: "BINANCE_RWA",
  xstocks: "XSTOCKS",
};

/**
 * Those that take a key. Pyth has asked for one since August 2026; Finnhub and Binance's list of tokenized stocks
 * are not asked without one, and that of the latter is a key and its secret with a colon between.
 */
export const KEYED_PROVIDERS = ["jupiter", "pancakeswap", "pythHermes", "finnhub", "binanceRwa"] as const;
export type KeyedProvider = (typeof KEYED_PROVIDERS)[number];

export const PROVIDER_NAMES = [...PROVIDERS, "xstocks"] as const;

export interface LiveProviders {
  readonly keys: Readonly<Partial<Record<KeyedProvider, Secret>>>;
  /** Other places to find the providers at, for proxies and tests. */
  readonly baseUrls: Readonly<Partial<Record<ProviderName | "xstocks", string>>>;
}

/** The keys in the clear, for who asks the providers with them. */
export function revealed(keys: LiveProviders["keys"]): Partial<Record<KeyedProvider, string>> {
  return Object.fromEntries(Object.entries(keys).map(([name, key]) => [name, key.reveal()]));
}

/** Those whose key is set. */
export function keyedProviders({ providers }: { readonly providers: LiveProviders }): Set<KeyedProvider> {
  return new Set(KEYED_PROVIDERS.filter((name) => providers.keys[name] !== undefined));
}
