/** The providers of the live market, by the names that settings, faults and records use. */

export const PROVIDERS = [
  "jupiter",
  "pancakeswap",
  "kyberswap",
  "dexscreener",
  "geckoterminal",
  "pythHermes",
  "finnhub",
  "hyperliquid",
  "binance",
  "binanceRwa",
] as const;
export type ProviderName = (typeof PROVIDERS)[number];
