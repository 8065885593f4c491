/** The providers of the live market: where several have the same, in the order in which they are asked. */
import { BINANCE } from "./binance.ts";
import { BINANCE_RWA } from "./binanceRwa.ts";
import type { Budgets } from "./budgets.ts";
import { CHAINLINK_STREAMS } from "./chainlinkStreams.ts";
import { DEXSCREENER } from "./dexscreener.ts";
import { FINNHUB } from "./finnhub.ts";
import type { ProviderDeps } from "./http.ts";
import { HYPERLIQUID } from "./hyperliquid.ts";
import { JUPITER } from "./jupiter.ts";
import { KYBERSWAP } from "./kyberswap.ts";
import { PANCAKESWAP } from "./pancakeswap.ts";
import type { Provider } from "./provider.ts";
import { PYTH } from "./pyth.ts";
import { SOLANA } from "./solana.ts";
import { XSTOCKS } from "./xstocks.ts";

const ALL = [
  PYTH,
  CHAINLINK_STREAMS,
  JUPITER,
  PANCAKESWAP,
  KYBERSWAP,
  DEXSCREENER,
  HYPERLIQUID,
  BINANCE,
  FINNHUB,
  BINANCE_RWA,
  XSTOCKS,
  SOLANA,
] as const;

export type ProviderName = (typeof ALL)[number]["name"];
export const PROVIDERS: readonly Provider<ProviderName>[] = ALL;

/** By the provider's name. */
export type Keys = Readonly<Partial<Record<ProviderName, string>>>;
export type BaseUrls = Readonly<Partial<Record<ProviderName, string>>>;
/** Requests a minute where they are not the documented ones. */
export type Limits = Readonly<Partial<Record<ProviderName, number>>>;

/** What those who ask several providers have for all of them. */
export interface AskingDeps {
  readonly fetch: typeof fetch;
  readonly keys?: Keys;
  /** Other places to find the providers at. */
  readonly baseUrls?: BaseUrls;
  readonly limits?: Limits;
  /** What this process shares with others; without it the limits are its own. */
  readonly budgets?: Budgets;
  readonly watch?: ProviderDeps["watch"];
}

/** Of these what one provider's adapter takes. */
export function depsOf({ keys, baseUrls, limits, ...deps }: AskingDeps, name: ProviderName): ProviderDeps {
  const own = { baseUrl: baseUrls?.[name], apiKey: keys?.[name], limit: limits?.[name] };
  return { fetch: deps.fetch, budgets: deps.budgets, watch: deps.watch, ...own };
}

/** Whether the market asks the provider with these keys. */
export function isAsked({ name, key }: Provider<ProviderName>, keys: Keys): boolean {
  return key?.required !== true || Boolean(keys[name]);
}
