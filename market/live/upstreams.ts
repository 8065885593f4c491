/** The providers, connected once, and those of their lists that serve several questions of one round. */
import type { Chain } from "../../attestor/chains.ts";
import type { TokenFacts } from "../../attestor/evidence/facts.ts";
import type { UnixMs, UnixSeconds } from "../../attestor/values/time.ts";
import { BINANCE_RWA } from "../providers/binanceRwa.ts";
import { createBudgets, shareOf } from "../providers/budgets.ts";
import { type Clock, systemClock } from "../providers/clock.ts";
import { DEXSCREENER } from "../providers/dexscreener.ts";
import { FINNHUB } from "../providers/finnhub.ts";
import type { ProviderDeps } from "../providers/http.ts";
import { HYPERLIQUID } from "../providers/hyperliquid.ts";
import { JUPITER } from "../providers/jupiter.ts";
import type { Provider } from "../providers/provider.ts";
import { type AskingDeps, depsOf, isAsked, PROVIDERS, type ProviderName } from "../providers/providers.ts";
import { PYTH } from "../providers/pyth.ts";
import type { Batch } from "../providers/records.ts";
import { SOLANA } from "../providers/solana.ts";
import { XSTOCKS, type XStock } from "../providers/xstocks.ts";
import { type LiveAsset, onChain } from "./assets.ts";
import { type Dollar, dollarOf, USDT_MINT } from "./dollar.ts";
import { createTell } from "./findings.ts";
import { createSchedules } from "./schedules.ts";
import { timedMemo } from "./timedMemo.ts";

export interface LiveDeps extends AskingDeps {
  readonly assets: readonly LiveAsset[];
  now(): UnixMs;
  /** What the chain itself says of a token's shares; null: it has no source of them there. */
  readonly chainRatio?: (assetKey: string) => Promise<string | null>;
  /** What the chain itself says of a token's factor, an announced change of it and halts; null: it has no source of them there. */
  readonly chainFacts?: (assetKey: string, at: UnixSeconds) => Promise<TokenFacts | null>;
  /** Told how each request to a provider ended. */
  readonly onOutcome?: ProviderDeps["onOutcome"];
  /** Clock and randomness of the adapters; the machine's where they are left out. */
  readonly adapters?: Pick<ProviderDeps, "clock" | "random">;
}

/** The answer of one list serves several questions of one round. */
const LIST_MS = 60_000;
/** What takes several requests of a scarce limit serves a whole round. */
const ROUND_MS = 240_000;
const FAILURE_MS = 20_000;

export type Upstreams = ReturnType<typeof connect>;

/** The adapters of those that collectors ask with these keys. */
function adaptersOf(deps: LiveDeps, clock: Clock) {
  const { keys = {}, onOutcome, budgets = createBudgets({ clock }) } = deps;
  const at = (name: ProviderName): ProviderDeps => ({
    ...depsOf({ ...deps, budgets }, name),
    ...deps.adapters,
    onOutcome,
  });
  // Verifications alone ask the others.
  const asked = PROVIDERS.filter((one) => isAsked(one, keys) && shareOf(one.rate, "collecting") > 0);
  const opened = new Map(asked.map((one) => [one.name, one.connect(at(one.name))]));
  return { asked, opened };
}

export function connect(deps: LiveDeps) {
  const clock = deps.adapters?.clock ?? systemClock;
  const now = () => deps.now();
  const once = <T>(ask: () => Promise<T>) => memo(ask, LIST_MS, now);
  const { assets } = deps;
  const { asked, opened } = adaptersOf(deps, clock);
  /** Undefined where nobody is asked without a key. */
  const the = <Api>(one: Provider<ProviderName, Api>) => opened.get(one.name) as Api | undefined;
  const always = <Api>(one: Provider<ProviderName, Api>) => opened.get(one.name) as Api;
  const jupiter = always(JUPITER);
  const binanceRwa = the(BINANCE_RWA);
  const pyth = the(PYTH);
  const scaled = onChain(assets, "solana").filter(isScaled);
  /** Of the tokens on Solana, and of the dollar that others are quoted in. */
  const jupiterPrices = memo(() => jupiter.prices(mintsOf(assets)), ROUND_MS, now);
  let known: Dollar | null = null;
  const listings = timedMemo<Batch<XStock>>(ROUND_MS, now);
  return {
    assets,
    clock,
    now,
    tell: createTell(),
    chainRatio: deps.chainRatio,
    chainFacts: deps.chainFacts,
    /** Undefined without its key. */
    pyth,
    finnhub: the(FINNHUB),
    hyperliquid: always(HYPERLIQUID),
    dexscreener: always(DEXSCREENER),
    /** Those of the providers that have it, in the order of their list. */
    quotes: asked.flatMap(({ name, serves }) => {
      const quotes = serves?.quotes?.(opened.get(name));
      return quotes ? [{ name, ...quotes }] : [];
    }),
    perps: asked.flatMap(({ name, serves }) => {
      const perps = serves?.perps?.(opened.get(name));
      return perps ? [{ name, perps: once(perps) }] : [];
    }),
    jupiterPrices,
    dollar: once(async () => {
      known = await dollarOf({ pyth, jupiterPrices, now });
      return known;
    }),
    /** As it was found last, for who may not ask; null: it was not asked for yet. */
    knownDollar: () => known,
    /** Of the scaled mints, as the chain has them. */
    mints: memo(
      () => always(SOLANA).mints(scaled.map(({ address, decimals }) => ({ mint: address, decimals }))),
      ROUND_MS,
      now,
    ),
    /** Undefined without its key. */
    shareRatios: binanceRwa && once(() => binanceRwa.shareRatios()),
    schedules: createSchedules(scaled, always(XSTOCKS), now),
    xstocks: (chain: Chain) => listings(chain, () => always(XSTOCKS).assets(chain)),
  };
}

const mintsOf = (assets: readonly LiveAsset[]) => [
  ...onChain(assets, "solana").map((asset) => ({
    mint: asset.address,
    symbol: asset.underlying,
    scaled: isScaled(asset),
  })),
  { mint: USDT_MINT, symbol: "USDT", scaled: false },
];

const isScaled = ({ shares }: LiveAsset) => shares === "multiplier";

/**
 * Caches an answer for a while, and a failure for a moment. A request that several steps of a round share is thus
 * sent once even when its provider is down, and does not cut off the provider's other answers.
 */
function memo<T>(ask: () => Promise<T>, ttlMs: number, now: () => number): () => Promise<T> {
  const kept = timedMemo<T>(ttlMs, now, FAILURE_MS);
  return () => kept("", ask);
}
